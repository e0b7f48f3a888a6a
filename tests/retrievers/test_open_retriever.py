"""An index folder and the name of a system: everything that ranks is opened in one way and searched in one way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from letters_side import Letters, install_letters
from made_up_patents import TEXTS, patents

from sparse_coverage import ActivationConfig, Index, ScoringConfig, SparseCoverage
from sparse_coverage.aggregation import TopMean
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.errors import InputError
from sparse_coverage.index import parse_filter
from sparse_coverage.retrievers import (
    KINDS,
    RANKINGS,
    RERANKERS,
    Baseline,
    Fuse,
    Rerank,
    open_retriever,
    refresh_sides,
)
from sparse_coverage.search import Hit, Retriever
from sparse_coverage.search.searcher import Searcher

QUERY = "a plunger and a spring in the housing of a pump"
FILTER = "document:XX-0-A1,XX-3-A1 and section:claims"


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install_letters(monkeypatch)


@pytest.fixture(scope="module")
def model(tiny_checkpoint: Path) -> SparseCoverage:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    vocabulary = SparseCoverage.fit(patents(), encoder=encoder, size=40).vocabulary
    return SparseCoverage(encoder, vocabulary, ActivationConfig(k=8, assignment="nearest"))


@pytest.fixture(scope="module")
def plain(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index without sides."""
    folder = tmp_path_factory.mktemp("plain") / "index"
    Index.build(folder, model, patents())
    return folder


@pytest.fixture(scope="module")
def folder(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with a side."""
    folder = tmp_path_factory.mktemp("open") / "index"
    Index.build(folder, model, patents())
    refresh_sides(folder, [Letters()])
    return folder


def names(hits: Sequence[Hit]) -> list[str]:
    return [hit.document for hit in hits]


def test_each_system_is_what_one_would_make_of_its_parts(folder: Path, model: SparseCoverage) -> None:
    encoder = model.encoder
    index = Index.open(folder, encoder=encoder)
    letters = Baseline.open(folder, Letters())
    made: dict[str, Retriever] = {
        "combined": index,
        "centers": index.ranked_by("centers"),
        "words": index.ranked_by("words"),
        "vectors": index.ranked_by("vectors"),
        "letters": letters,
    }
    for system, expected in made.items():
        opened = open_retriever(folder, system, encoder=encoder)
        assert type(opened) is type(expected)
        assert opened.search(QUERY) == expected.search(QUERY)
        assert opened.search([QUERY, TEXTS[0]], 3, passages=1) == expected.search([QUERY, TEXTS[0]], 3, passages=1)
    by_means = open_retriever(folder, scoring={"rank": "top-mean:2"}, encoder=encoder)  # holds for all parts
    assert by_means.search(QUERY) == index.search(QUERY, aggregation=TopMean(2))
    again = open_retriever(folder, rerank="letters", top=2, encoder=encoder)
    assert again.search(QUERY) == Rerank(index, letters, top=2).search(QUERY)
    assert set(made) - {"letters"} | set(KINDS) == set(RANKINGS)
    assert set(RERANKERS) >= set(KINDS)


@pytest.mark.parametrize("system", ["combined", "centers", "letters"])
@pytest.mark.parametrize("rerank", [None, "letters"])
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
    found = open_retriever(folder, "centers", scoring={"alpha": 2.0}, encoder=model.encoder).coverage
    assert found is not None
    assert found.statistics.config.alpha == 2.0


def test_sparse_coverage_is_found_where_it_takes_part(folder: Path, model: SparseCoverage) -> None:
    for system, takes_part in (("combined", True), ("words", True), ("letters", False)):
        for rerank in (None, "letters"):
            found = open_retriever(folder, system, rerank=rerank, encoder=model.encoder).coverage
            assert isinstance(found, Index) == takes_part


def test_what_is_not_there_is_said(plain: Path, model: SparseCoverage) -> None:
    for system, cause in (
        ("letters", r"no letters side \(it has: none\).*index refresh .* --with letters"),
        ("runes", "no ranking 'runes'.*combined, centers, words, vectors, splade, colbert"),
    ):
        with pytest.raises(InputError, match=cause):
            open_retriever(plain, system, encoder=model.encoder)
    with pytest.raises(InputError, match=r"no reranker 'oracle'.*splade"):
        open_retriever(plain, rerank="oracle", encoder=model.encoder)


@pytest.mark.parametrize("kind", [Index, Baseline, Fuse, Rerank, EngineRetriever])
def test_everything_that_ranks_is_a_searcher(kind: type) -> None:
    """mypy checks that a searcher is a retriever, since it says that it is one."""
    assert issubclass(kind, Searcher)
    assert Retriever in Searcher.__mro__


def test_everything_that_ranks_explains_itself_in_one_way(model: SparseCoverage, folder: Path) -> None:
    for system, rerank in (
        ("combined", None),
        ("centers", None),
        ("words", None),
        ("vectors", None),
        ("letters", None),
        ("centers", "letters"),
    ):
        retriever = open_retriever(folder, system, rerank=rerank, encoder=model.encoder)
        found = retriever.search_explained(QUERY, 3, passages=2)
        assert found.hits == retriever.search(QUERY, 3, passages=2)
        assert set(found.explanations) == {passage.id for hit in found.hits for passage in hit.passages}
        assert bool(found.parts) == (system == "combined")
        assert not retriever.search_explained(QUERY, 3, reasons=False).explanations
        assert retriever.explain(QUERY, found.hits[0].document).score > 0
        assert retriever.store.folder == folder
        assert (retriever.coverage is None) == (system == "letters")
