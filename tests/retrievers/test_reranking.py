"""A reranker of one's own: what it is given, what becomes of what it gives, and what follows behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.index.filters import country, document
from sparse_coverage.retrievers import ByRetriever, Rerank
from sparse_coverage.search import Hit, PassageHit, Retriever
from sparse_coverage.search.searcher import Searcher


class Listed(Searcher):
    """Finds the same documents for everything, in one order, and notes how it was asked."""

    def __init__(self, names: str) -> None:
        self._names = names
        self.asked: list[tuple[int, int, Filter | None]] = []

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        self.asked.append((k, passages, condition))
        return [
            [
                Hit(name, f"Title {name}", 9.0 - place, {}, (PassageHit(f"{name}/1", name, "claims", "text", 1.0),))
                for place, name in enumerate(self._names)
            ][:k]
            for _ in queries
        ]


class Alphabet:
    """The documents by name, last letter first; letters of the query come before the others. Scores are below zero."""

    def __init__(self) -> None:
        self.given: list[tuple[str, list[str]]] = []

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        self.given.append((query, [hit.document for hit in hits]))
        ordered = sorted(hits, key=lambda hit: (hit.document in query, hit.document), reverse=True)
        return [replace(hit, score=-1.0 - place) for place, hit in enumerate(ordered)]


def names(hits: Sequence[Hit]) -> str:
    return "".join(hit.document for hit in hits)


def test_a_reranker_orders_the_best_and_the_others_follow() -> None:
    reranker = Alphabet()
    found = Rerank(Listed("abcde"), reranker, top=3).search("the query a", k=5)
    assert reranker.given == [("the query a", ["a", "b", "c"])]
    assert names(found) == "acbde"
    assert [hit.score for hit in found] == [-1.0, -2.0, -3.0, -3.0, -3.0]
    assert found[0].title == "Title a"
    assert found[-1].passages[0].id == "e/1"


def test_more_is_looked_at_than_is_asked_for() -> None:
    first = Listed("abcde")
    assert names(Rerank(first, Alphabet(), top=4).search("q", k=1, passages=7)) == "d"
    assert first.asked == [(4, 7, None)]


def test_several_queries_are_each_ranked_again() -> None:
    found = Rerank(Listed("abc"), Alphabet()).search(["a", "b"])
    assert [names(hits) for hits in found] == ["acb", "bca"]


def test_nothing_found_is_nothing_to_rank() -> None:
    reranker = Alphabet()
    assert Rerank(Listed(""), reranker).search("q") == []
    assert reranker.given == []


def test_rerankers_go_on_top_of_each_other() -> None:
    inner: Retriever = Rerank(Listed("abcde"), Alphabet(), top=5)
    assert names(Rerank(inner, Alphabet(), top=2).search("a", k=5)) == "aedcb"


def test_a_reranker_that_searches_is_told_what_may_be_found() -> None:
    by = Listed("ba")
    condition = country("EP")
    Rerank(Listed("ab"), ByRetriever(by)).search("q", passages=5, filter=condition)
    Rerank(Listed("ab"), ByRetriever(by)).search("q", filter="country:EP")
    assert by.asked == [(2, 5, condition & document("a", "b")), (2, 3, condition & document("a", "b"))]


def test_a_rescoring_is_a_reranking_by_a_retriever() -> None:
    for weight in (0.25, 1.0):
        rescored = Rerank(Listed("abcd"), Listed("ca"), top=3, weight=weight).search("q")
        assert rescored == Rerank(Listed("abcd"), ByRetriever(Listed("ca"), weight), top=3).search("q")


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (lambda: Rerank(Listed("a"), Alphabet(), top=0), "At least one document"),
        (lambda: ByRetriever(Listed("a"), 0.0), "above 0 and at most 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        make()
