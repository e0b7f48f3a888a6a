"""An index folder and the name of a system: everything that ranks is opened in one way and searched in one way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_patents import TEXTS, patents

from sparse_coverage import ActivationConfig, Index, ScoringConfig, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.errors import InputError
from sparse_coverage.index import parse_filter
from sparse_coverage.retrievers import (
    KINDS,
    RERANKERS,
    SYSTEMS,
    Baseline,
    Bm25,
    Dense,
    Fuse,
    Rerank,
    Rescore,
    coverage_of,
    open_index,
    open_retriever,
    opening,
    refresh_sides,
)
from sparse_coverage.search import Hit, Retriever
from sparse_coverage.search.searcher import Searcher

pytest.importorskip("Stemmer", reason="the extra [baselines] is not installed")

QUERY = "a plunger and a spring in the housing of a pump"
FILTER = "document:XX-0-A1,XX-3-A1 and section:claims"


@pytest.fixture(scope="module")
def model(tiny_checkpoint: Path) -> SparseCoverage:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    vocabulary = SparseCoverage.fit(patents(), encoder=encoder, size=40).vocabulary
    return SparseCoverage(encoder, vocabulary, ActivationConfig(k=8, uncovered="nearest"))


@pytest.fixture(scope="module")
def plain(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index without sides."""
    folder = tmp_path_factory.mktemp("plain") / "index"
    Index.build(folder, model, patents())
    return folder


@pytest.fixture(scope="module")
def folder(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with the sides of hybrid."""
    folder = tmp_path_factory.mktemp("open") / "index"
    Index.build(folder, model, patents())
    refresh_sides(folder, [Bm25(), Dense(model.encoder, pooling="mean")])
    return folder


def names(hits: Sequence[Hit]) -> list[str]:
    return [hit.document for hit in hits]


def test_each_system_is_what_one_would_make_of_its_parts(folder: Path, model: SparseCoverage) -> None:
    encoder = model.encoder
    index = Index.open(folder, encoder=encoder)
    bm25 = Baseline.open(folder, Bm25())
    dense = Baseline.open(folder, Dense(encoder, pooling="mean"))
    made: dict[str, Retriever] = {
        "coverage": index,
        "bm25": bm25,
        "dense": dense,
        "hybrid": Fuse(index, bm25, dense),
    }
    for system, expected in made.items():
        opened = open_retriever(folder, system, encoder=encoder)
        assert type(opened) is type(expected)
        assert opened.search(QUERY) == expected.search(QUERY)
        assert opened.search([QUERY, TEXTS[0]], 3, passages=1) == expected.search([QUERY, TEXTS[0]], 3, passages=1)
    joined = Fuse(index, bm25, dense, how="weighted", level="passage", weights=(2, 1, 1))
    opened = open_retriever(folder, "hybrid", fuse="weighted", level="passage", encoder=encoder)
    assert opened.search(QUERY) == joined.search(QUERY)
    scoring = {"rank": "top-mean:2"}  # holds for all parts of a hybrid
    sides = [Baseline.open(folder, side, rank="top-mean:2") for side in (Bm25(), Dense(encoder, pooling="mean"))]
    by_means = Fuse(open_index(folder, scoring=scoring, encoder=encoder), *sides)
    opened = open_retriever(folder, "hybrid", scoring=scoring, encoder=encoder)
    assert opened.search(QUERY) == by_means.search(QUERY)
    again = open_retriever(folder, rerank="bm25", top=2, encoder=encoder)
    assert again.search(QUERY) == Rescore(index, bm25, top=2).search(QUERY)
    assert set(made) | set(KINDS) == set(SYSTEMS)
    assert set(RERANKERS) >= set(KINDS)
    assert tuple(opening._MAKERS) == KINDS


@pytest.mark.parametrize("system", ["coverage", "bm25", "dense", "hybrid"])
@pytest.mark.parametrize("rerank", [None, "dense"])
def test_every_system_takes_a_filter_as_text(
    folder: Path, model: SparseCoverage, system: str, rerank: str | None
) -> None:
    retriever = open_retriever(folder, system, rerank=rerank, encoder=model.encoder)
    found = retriever.search(QUERY, passages=9, filter=FILTER)
    assert set(names(found)) <= {"XX-0-A1", "XX-3-A1"}
    assert {passage.section for hit in found for passage in hit.passages} == {"claims"}
    assert found == retriever.search(QUERY, passages=9, filter=parse_filter(FILTER))
    with pytest.raises(InputError, match="nonsense"):
        retriever.search(QUERY, filter="nonsense:1")


def test_an_index_takes_a_filter_as_text_in_all_it_does(folder: Path, model: SparseCoverage) -> None:
    index, condition = Index.open(folder, encoder=model.encoder), parse_filter(FILTER)
    assert index.search_passages(QUERY, filter=FILTER) == index.search_passages(QUERY, filter=condition)
    assert index.rerank_passages(QUERY, filter=FILTER) == index.rerank_passages(QUERY, filter=condition)
    assert index.profile(QUERY, filter=FILTER)[0] == index.profile(QUERY, filter=condition)[0]
    assert index.explain(QUERY, "XX-3-A1", filter=FILTER) == index.explain(QUERY, "XX-3-A1", filter=condition)


def test_a_reranker_of_ones_own_is_given_as_it_is(folder: Path, model: SparseCoverage) -> None:
    class Backwards:
        def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
            return [replace(hit, score=1.0) for hit in reversed(hits)]

    plain = open_retriever(folder, encoder=model.encoder)
    turned = open_retriever(folder, rerank=Backwards(), top=2, encoder=model.encoder)
    first, second, *rest = names(plain.search(QUERY))
    assert names(turned.search(QUERY)) == [second, first, *rest]


def test_scoring_is_changed_in_whole_or_in_part(folder: Path, model: SparseCoverage) -> None:
    own = Index.open(folder, encoder=model.encoder).statistics.config
    for scoring, expected in (
        (None, own),
        ({"alpha": None, "rho": None}, own),
        ({"alpha": 2.0, "gamma": None}, replace(own, alpha=2.0)),
        (ScoringConfig(0, 0, 0), ScoringConfig(0, 0, 0)),
    ):
        index = open_retriever(folder, scoring=scoring, encoder=model.encoder)
        assert index.statistics.config == expected
        expected_index = Index.open(folder, scoring=expected, encoder=model.encoder)
        assert index.search(QUERY) == expected_index.search(QUERY)
    hybrid = open_retriever(folder, "hybrid", scoring={"alpha": 2.0}, encoder=model.encoder)
    found = coverage_of(hybrid)
    assert found is not None
    assert found.statistics.config.alpha == 2.0


def test_sparse_coverage_is_found_where_it_takes_part(folder: Path, model: SparseCoverage) -> None:
    for system, takes_part in (("coverage", True), ("hybrid", True), ("bm25", False)):
        for rerank in (None, "bm25"):
            found = coverage_of(open_retriever(folder, system, rerank=rerank, encoder=model.encoder))
            assert isinstance(found, Index) == takes_part


def test_what_is_not_there_is_said(plain: Path, model: SparseCoverage) -> None:
    for system, cause in (
        ("bm25", r"no bm25 side \(it has: none\).*index refresh .* --with bm25"),
        ("hybrid", r"no bm25 and no dense side\. Hybrid needs bm25 and dense.*index refresh .* --hybrid"),
        ("words", "no system 'words'.*coverage, bm25, dense, splade, colbert, hybrid"),
    ):
        with pytest.raises(InputError, match=cause):
            open_retriever(plain, system, encoder=model.encoder)
    with pytest.raises(InputError, match=r"no reranker 'oracle'.*bm25"):
        open_retriever(plain, rerank="oracle", encoder=model.encoder)
    refresh_sides(plain, [Bm25()])
    with pytest.raises(InputError, match=r"no dense side\. Hybrid needs bm25 and dense"):
        open_retriever(plain, "hybrid", encoder=model.encoder)


@pytest.mark.parametrize("kind", [Index, Baseline, Fuse, Rerank, Rescore, EngineRetriever])
def test_everything_that_ranks_is_a_searcher(kind: type) -> None:
    """mypy checks that a searcher is a retriever, since it says that it is one."""
    assert issubclass(kind, Searcher)
    assert Retriever in Searcher.__mro__
