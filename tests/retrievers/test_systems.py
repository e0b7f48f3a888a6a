"""The registry of systems: every name in it can be made, users add their own, what is missing is told before any work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hash_encoder import HashEncoder

from sparse_coverage import Index, SparseCoverage, systems
from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.retrievers import SystemContext, open_retriever
from sparse_coverage.search import Hit, Retriever
from sparse_coverage.systems import KINDS, RANKINGS, RERANKERS, System, get_system, load_maker, require_system

TEXTS = ["A pump with a valve and a spring.", "A rubber seal of the housing.", "Noise of the sensor is filtered."]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("systems") / "index"
    Index.build(folder, SparseCoverage.fit(TEXTS, encoder=HashEncoder(), size=8), TEXTS)
    return folder


class Backwards:
    """Turns the order around."""

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        return [replace(hit, score=float(place)) for place, hit in enumerate(reversed(hits))]


def make_backwards(context: SystemContext, row: System) -> Backwards:
    return Backwards()


def make_coverage(context: SystemContext, row: System) -> Retriever:
    return context.index


MINE = System("mine", "My own", retriever=make_coverage, reranker=make_backwards)


def test_whatever_a_row_names_is_there() -> None:
    for name in {*RANKINGS, *RERANKERS, *KINDS}:
        row = get_system(name)
        assert row.label
        for maker in filter(None, (row.retriever, row.reranker, row.side)):
            assert callable(load_maker(maker))
        if row.side:
            assert load_maker(row.side).kind == name


def test_a_system_of_ones_own_is_taken_as_a_row(folder: Path) -> None:
    plain = open_retriever(folder, encoder=HashEncoder()).search("a valve", k=3)
    turned = open_retriever(folder, MINE, rerank=MINE, encoder=HashEncoder()).search("a valve", k=3)
    assert [hit.document for hit in turned] == [hit.document for hit in reversed(plain)]
    with pytest.raises(InputError, match=r"no ranking 'other'. There are: combined, .*, colbert\."):
        get_system("other")


@pytest.mark.parametrize(("ranking", "studied"), [("centers", "default"), ("words", "bm25"), ("vectors", "dense")])
def test_a_ranking_of_search_says_what_an_evaluation_calls_it(run: Run, ranking: str, studied: str) -> None:
    assert get_system(studied, "study").study
    status, _, err = run("evaluate", "demo", "--system", ranking)
    assert (status, f"To evaluate the ranking {ranking}, name {studied}." in " ".join(err.split())) == (1, True)


def test_what_only_ranks_is_not_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reranker named like a model, and a row that has no `study`."""
    monkeypatch.setitem(systems._BY_NAME, "mine", MINE)
    for name in ("cross-encoder:someone/model", "mine"):
        with pytest.raises(InputError, match=f"no system to evaluate '{name}'. There are: paper, "):
            get_system(name, "study")


def test_a_cross_encoder_is_listed_as_it_is_written() -> None:
    with pytest.raises(InputError, match=r"no reranker 'oracle'\. There are: .*cross-encoder:NAME"):
        get_system("oracle", "reranker")


def test_what_cannot_rank_is_told(folder: Path) -> None:
    with pytest.raises(InputError, match="'cross-encoder' cannot rank an index by itself"):
        open_retriever(folder, "cross-encoder")
    with pytest.raises(InputError, match="'words' cannot rank documents again"):
        open_retriever(folder, rerank="words", encoder=HashEncoder())


def test_a_missing_package_is_told_before_anything_is_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A side was made after minutes of indexing, and only then was it said that it needs an extra."""
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.setitem(sys.modules, "torch", sys)
    with pytest.raises(MissingExtraError, match=r"SPLADE needs the extra \[torch\]"):
        require_system("splade")
    (tmp_path / "empty.xml").write_text("")
    status, _, err = run("index", tmp_path / "empty.xml", "-o", tmp_path / "index", "--with", "splade")
    assert (status, "[torch]" in err) == (1, True)
    assert not (tmp_path / "index").exists()


def test_a_place_without_room_is_told_before_anything_is_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    status, _, err = run("index", tmp_path / "file", "-o", tmp_path / "file" / "index")
    assert (status, "not a folder that you may write to" in err) == (1, True)
    usage = type("Usage", (), {"free": 1 << 20})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    status, _, err = run("index", tmp_path / "file", "-o", tmp_path / "index")
    assert (status, "only 1 MiB are free" in err) == (1, True)
