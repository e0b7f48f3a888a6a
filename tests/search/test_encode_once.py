"""Every text is encoded once: what a vocabulary is learned from, what comes twice, and what an interruption left behind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawing import examples
from golden.golden_rankings import patents
from hash_encoder import HashEncoder
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_coverage import Index, Patent, SparseCoverage
from sparse_coverage.encoding import TokenVectors
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.index.segment import FILES, TEXTS
from sparse_coverage.patents import passages
from sparse_coverage.patents.passages import text_key
from sparse_coverage.progress import heard_by
from sparse_coverage.search.building import learning_folder
from sparse_coverage.search.vector_cache import encoding_once, sparse_cache
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vocabulary import passage_sample as sampling
from sparse_coverage.vocabulary.passage_sample import PassageDraw, draw_of

COUNT = 12


class CountingEncoder(HashEncoder):
    """Counts what it encodes, and fails after so many texts, as an interruption would end it."""

    def __init__(self, fails_after: int = 1 << 60) -> None:
        self.seen: Counter[str] = Counter()
        self.left = fails_after

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        def counted() -> Iterator[str]:
            for text in texts:
                if self.left == 0:
                    raise KeyboardInterrupt
                self.left -= 1
                self.seen[text] += 1
                yield text

        return super().encode(counted())


def contents(folder: Path, *, model: bool = True) -> dict[str, bytes]:
    """All files of an index but the manifest, whose generation tells how often it was committed, and names of segments."""
    kept = (*(name for name in FILES if name != TEXTS), *(("centers.safetensors", "anchors.jsonl") if model else ()))
    found = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.name in kept}
    assert set(found) == set(kept)
    return found


def doubled(documents: list[Patent]) -> list[Patent]:
    """Every document with a second publication of the same text."""
    return [one for patent in documents for one in (patent, replace(patent, id=f"{patent.id}-B1"))]


@pytest.mark.parametrize("max_spans", [None, 700])
def test_learning_and_indexing_encode_every_text_once(
    tmp_path: Path, max_spans: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if max_spans is not None:
        monkeypatch.setattr("sparse_coverage.model.sample_size", lambda *_: max_spans)
    encoder = CountingEncoder()
    index = Index.learn(tmp_path / "index", doubled(patents(COUNT)), encoder=encoder)
    texts = {passage.text for patent in patents(COUNT) for passage in passages(patent)}
    assert encoder.seen == Counter(texts)
    assert len(index) == 2 * sum(1 for patent in patents(COUNT) for _ in passages(patent))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"], "nothing is left beside the index"
    assert not list((tmp_path / "index").glob(".known-*"))


def test_a_file_that_cannot_be_read_is_told_once_and_the_others_are_indexed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning and indexing read the files twice, and the bar counts what is kept of the sample, which may be more than it."""
    heard: list[tuple[str, int, int | None]] = []
    monkeypatch.setattr("sparse_coverage.model.sample_size", lambda *_: 100)
    folder = tmp_path / "patents"
    folder.mkdir()
    (folder / "broken.jsonl").write_text('{"id": "EP-9-A1", "title": ', encoding="utf-8")
    lines = [json.dumps({"id": one.id, "abstract": next(iter(passages(one))).text}) for one in patents(COUNT)]
    (folder / "sound.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with heard_by(lambda *told: heard.append(told)):
        index = Index.learn(tmp_path / "index", folder, encoder=HashEncoder())
    assert len(index) > 0
    assert [record.getMessage().count("broken.jsonl") for record in caplog.records] == [1]
    activated = [(done, total) for label, done, total in heard if label == "Activating the sample"]
    assert activated[-1][0] > 100
    assert {total for _, total in activated} == {activated[-1][0]}


def test_the_index_is_that_of_fitting_and_building_one_after_the_other(tmp_path: Path) -> None:
    Index.learn(tmp_path / "one", patents(COUNT), encoder=HashEncoder())
    model = SparseCoverage.fit(patents(COUNT), encoder=HashEncoder())
    Index.build(tmp_path / "two", model, patents(COUNT))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("precision", ["auto", "int8"])
def test_a_whole_build_on_two_threads_gives_the_bytes_of_one_thread(
    tmp_path: Path, wide_checkpoint: Path, precision: str
) -> None:
    for threads in (1, 2):
        encoder = OpenVinoEncoder(wide_checkpoint, precision=precision, threads=threads)
        Index.learn(tmp_path / str(threads), patents(COUNT), encoder=encoder, threads=threads)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.7, 0.97])
def test_an_interrupted_run_goes_on_and_gives_the_same_index(
    tmp_path: Path, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "GROUP_CHARACTERS", 5_000)
    monkeypatch.setattr("sparse_coverage.model.sample_size", lambda *_: 3_000)
    Index.learn(tmp_path / "whole", patents(COUNT), encoder=(all_of := CountingEncoder()))
    broken = CountingEncoder(int(share * sum(all_of.seen.values())))
    with pytest.raises(KeyboardInterrupt):
        Index.learn(tmp_path / "index", patents(COUNT), encoder=broken)
    again = CountingEncoder()
    Index.learn(tmp_path / "index", patents(COUNT), encoder=again)
    assert contents(tmp_path / "index") == contents(tmp_path / "whole")
    assert not learning_folder(tmp_path / "index").exists()
    if share >= 0.5:
        assert sum(again.seen.values()) < sum(all_of.seen.values()), "finished groups are not encoded again"


def test_documents_that_can_be_read_only_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="read only once"):
        Index.learn(tmp_path / "index", iter(patents(1)), encoder=HashEncoder())


@settings(max_examples=examples(30))
@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=40, unique=True),
    wanted=st.integers(1, 900),
    order=st.randoms(use_true_random=False),
)
def test_the_draw_depends_on_the_texts_alone(lengths: list[int], wanted: int, order: Any) -> None:
    texts = ["x" * length for length in lengths]

    def chosen(stream: list[str]) -> list[str]:
        draw: PassageDraw[str] = PassageDraw(wanted)
        for text in stream:
            draw.add(draw_of(text, 3), len(text), text)
        return [text for _, text in draw.chosen()]

    ranked = sorted(texts, key=lambda text: draw_of(text, 3))
    ends = np.cumsum([len(text) for text in ranked])
    expected = ranked[: int(np.searchsorted(ends, wanted)) + 1]
    shuffled = texts * 2
    order.shuffle(shuffled)
    assert chosen(texts) == chosen(shuffled) == expected


def vector_of(text: str) -> SparseVector:
    numbers = np.asarray(sorted({ord(letter) for letter in text}), dtype=np.int32)
    places = np.zeros(len(numbers), np.int32)
    return SparseVector(
        numbers,
        (numbers / 200).astype(np.float32),
        np.arange(len(numbers), dtype=np.int32),
        places,
        places,
        len(text),
        1,
    )


def same(one: SparseVector, other: SparseVector) -> bool:
    names = ("centers", "weights", "spans")
    return (one.span_count, one.uncovered) == (other.span_count, other.uncovered) and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in names
    )


@settings(max_examples=examples(20))
@given(texts=st.lists(st.text(alphabet="abcdef", max_size=4), max_size=60))
def test_what_comes_again_is_found_and_not_made_again(texts: list[str]) -> None:
    asked: list[str] = []

    def vectors(some: Iterable[str]) -> Iterator[SparseVector]:
        for text in some:
            asked.append(text)
            yield vector_of(text)

    with sparse_cache() as known:
        half = len(texts) // 2
        found = [*encoding_once(known, vectors)(texts[:half]), *encoding_once(known, vectors)(texts[half:])]
    assert all(same(one, vector_of(text)) for one, text in zip(found, texts, strict=True))
    assert Counter(asked) == Counter(dict.fromkeys(texts, 1))


def test_the_file_of_known_vectors_stays_bounded_and_a_damaged_one_is_begun_anew(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(400)]
    size = len(texts) * 100
    with sparse_cache(tmp_path / "known.sqlite", limit=size // 8) as known:
        for text in texts:
            known.add({text_key(text): vector_of(text)})
        held = [text for text in texts if text_key(text) in known]
        assert held == texts[-len(held) :]
        assert 10 < len(held) < 100
    (tmp_path / "known.sqlite").write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with sparse_cache(tmp_path / "known.sqlite") as known:
        assert known.find([text_key(texts[-1])]) == {}
        known.add({text_key("a"): vector_of("a")})
        known.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_new_version_encodes_only_what_changed(tmp_path: Path) -> None:
    documents = patents(COUNT)
    model = SparseCoverage.fit(documents, encoder=HashEncoder(), size=60)
    encoder = CountingEncoder()
    index = Index.build(
        tmp_path / "index", SparseCoverage(encoder, model.vocabulary, model.activation, model.scoring), documents,
        by="passage",
    )  # fmt: skip
    first = documents[3]
    claim = replace(first.claims[0], text=first.claims[0].text + " It is made of brass.")
    changed = replace(first, claims=(claim, *first.claims[1:]))
    encoder.seen.clear()
    assert index.add([changed, documents[5]], replace=True) == 2
    new = {one.text for one in passages(changed)} - {one.text for one in passages(first)}
    assert set(encoder.seen) == new
    assert len(new) == 1
    rest = [one for one in documents if one.id not in (first.id, documents[5].id)]
    Index.build(tmp_path / "other", index.model, [*rest, changed, documents[5]], by="passage")
    index.merge()
    assert contents(tmp_path / "index", model=False) == contents(tmp_path / "other", model=False)
