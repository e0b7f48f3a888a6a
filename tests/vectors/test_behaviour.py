"""The analysis of Appendix C: what is measured can be checked by hand; the picture is drawn."""

from __future__ import annotations

import builtins
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage import Index, Selection, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.vectors.activation import count_covering
from sparse_coverage.vectors.analysis import Behaviour, analyse, list_lengths, plot_behaviour, posting_skew
from sparse_coverage.vocabulary import SpanSample

TEXTS = [
    " ".join(f"{word}{number % 7} {number}" for word in ("valve", "spring", "pump", "noise")) for number in range(30)
]


def test_a_posting_list_holds_each_document_once() -> None:
    active = np.array([[0, 1], [0, -1], [0, 2], [1, -1]], np.int32)
    documents = np.array([0, 0, 1, 1])
    assert posting_skew(list_lengths(active, documents, 4)) == 2 / (5 / 4)  # lists of 2, 2, 1 and 0 documents
    assert posting_skew(list_lengths(np.full((3, 2), -1, np.int32), np.array([0, 1, 2]), 4)) == 0.0


def test_every_size_is_measured_on_spans_of_the_sample(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    model = SparseCoverage.fit(TEXTS, encoder=tiny_encoder, size=60, selection=Selection(sizes=[10, 30]), work=tmp_path)
    sample = SpanSample(tmp_path)
    found = analyse(model.vocabulary, sample, spans=None)
    assert [b.size for b in found] == [10, 30, 60]
    vectors = sample.points.rows(np.arange(len(sample)))
    for behaviour in found:
        smaller = model.vocabulary.truncate(behaviour.size)
        covering = count_covering(vectors, smaller)
        assert behaviour.covering == pytest.approx(covering.mean())
        assert behaviour.activation_rate == pytest.approx(covering.mean() / behaviour.size)
        assert behaviour.uncovered == pytest.approx((covering == 0).mean())
        assert behaviour.median_radius == pytest.approx(np.median(smaller.radii))
        assert behaviour.skew >= 1
    assert found[0].median_radius > found[-1].median_radius
    assert analyse(model.vocabulary, sample, spans=20)[0].spans == 20


def test_with_an_index_the_skew_is_that_of_its_lists(tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    model = SparseCoverage.fit(
        TEXTS, encoder=tiny_encoder, size=60, selection=Selection(sizes=[10]), work=tmp_path / "work"
    )
    lists = Index.build(tmp_path / "index", model, TEXTS).store.frequencies
    [found] = analyse(model.vocabulary, SpanSample(tmp_path / "work"), lists=lists)
    assert found.size == 60
    assert found.skew == max(lists) / (sum(lists) / 60)


def behaviours() -> list[Behaviour]:
    return [
        Behaviour(encoder, unit, size, 0.8 - size / 1e5, 3.0, 3.0 / size, size / 1000, 0.01, 100)
        for encoder in ("one", "two")
        for unit in ("token", "np")
        for size in (10_000, 20_000, 50_000)
    ]


def test_a_picture_of_nothing_or_of_no_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf"):
        plot_behaviour(behaviours(), tmp_path / "panels.gif")
    with pytest.raises(InputError, match="nothing to plot"):
        plot_behaviour([], tmp_path / "panels.png")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name, *arguments, **options):  # type: ignore[no-untyped-def]
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"\[plot\]"):
        plot_behaviour(behaviours(), tmp_path / "panels.png")
