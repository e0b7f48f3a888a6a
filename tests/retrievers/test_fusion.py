"""Fusion and rescoring: worked by hand, and what must hold whatever is fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.index.filters import country, document
from sparse_coverage.retrievers import Fuse, Rerank
from sparse_coverage.search import Hit, PassageHit


class Fixed:
    """A retriever with one answer to everything: passage scores by `document/passage`. It notes what it was asked."""

    def __init__(self, scores: dict[str, float]) -> None:
        self._scores = scores
        self.filters: list[Filter | None] = []

    def search(self, queries: Any, k: int = 10, *, passages: int = 3, filter: Filter | None = None) -> Any:  # noqa: A002
        self.filters.append(filter)
        documents: dict[str, list[PassageHit]] = {}
        for id_, score in sorted(self._scores.items(), key=lambda item: (-item[1], item[0])):
            name = id_.split("/")[0]
            documents.setdefault(name, []).append(PassageHit(id_, name, "claims", f"text of {id_}", score))
        hits = [
            Hit(name, f"Title {name}", found[0].score, {"country": "EP"}, tuple(found[:passages]))
            for name, found in documents.items()
        ][:k]
        return hits if isinstance(queries, str) else [hits for _ in queries]


class Plain:
    """A retriever that knows nothing of passages, such as a remote one: its hits have none."""

    def search(self, queries: Any, k: int = 10, *, passages: int = 3, filter: Filter | None = None) -> Any:  # noqa: A002
        hits = [Hit("b", "Title b", 3.0, {}, ()), Hit("a", "Title a", 2.0, {}, ())][:k]
        return hits if isinstance(queries, str) else [hits for _ in queries]


def ranking(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.document, hit.score) for hit in hits]


FIRST = Fixed({"a/1": 9.0, "a/2": 8.0, "b/1": 6.0, "c/1": 3.0})
SECOND = Fixed({"c/1": 0.5, "a/2": 0.4, "d/1": 0.1})


def test_reciprocal_rank_fusion_by_hand() -> None:
    found = Fuse(FIRST, SECOND).search("q")
    expected = {"a": 1 / 61 + 1 / 62, "c": 1 / 63 + 1 / 61, "b": 1 / 62, "d": 1 / 63}
    assert ranking(found) == [(name, pytest.approx(score)) for name, score in expected.items()]
    assert found[0].title == "Title a"
    assert found[0].metadata == {"country": "EP"}


def test_weighted_fusion_by_hand() -> None:
    found = Fuse(FIRST, SECOND, how="weighted", weights=(1, 2)).search("q")
    expected = {"c": 3 / 9 + 2.0, "a": 1 + 2 * 0.8, "b": 6 / 9, "d": 2 * 0.2}
    order = sorted(expected, key=lambda name: -expected[name])
    assert ranking(found) == [(name, pytest.approx(expected[name])) for name in order]


def test_the_best_passage_has_the_score_of_its_document() -> None:
    for hit in Fuse(FIRST, SECOND).search("q"):
        assert hit.passages[0].score == pytest.approx(hit.score)
        assert sorted(hit.passages, key=lambda one: -one.score) == list(hit.passages)


def test_a_fusion_can_be_fused_and_several_queries_asked() -> None:
    inner = Fuse(FIRST, SECOND)
    found = Fuse(inner, FIRST).search(["q", "r"], k=2, passages=1)
    assert [len(hits) for hits in found] == [2, 2]
    assert found[0][0].document == "a"
    assert [len(hit.passages) for hits in found for hit in hits] == [1, 1, 1, 1]


def test_a_part_without_passages_counts_too() -> None:
    found = Fuse(FIRST, Plain()).search("q")
    assert [hit.document for hit in found] == ["a", "b", "c"]
    assert found[0].score == found[1].score == pytest.approx(1 / 61 + 1 / 62)


def test_filters_go_to_every_part() -> None:
    parts = [Fixed({"a/1": 1.0}), Fixed({"b/1": 1.0})]
    condition = country("EP")
    Fuse(*parts).search("q", filter=condition)
    assert [part.filters for part in parts] == [[condition], [condition]]
    Rerank(parts[0], parts[1]).search("q", filter=condition)
    assert parts[0].filters[-1] == condition
    assert parts[1].filters[-1] == condition & document("a")


scores_of_passages = st.dictionaries(
    st.tuples(st.sampled_from("abcdefg"), st.integers(1, 3)).map(lambda one: f"{one[0]}/{one[1]}"),
    st.integers(1, 5).map(float),
    max_size=12,
)
ways = st.sampled_from(["rrf", "weighted"])


@given(st.lists(scores_of_passages, min_size=2, max_size=4), ways, st.permutations(range(4)))
def test_the_order_of_the_parts_never_matters(parts: list[dict[str, float]], way: Any, order: list[int]) -> None:
    shuffled = [parts[place] for place in order if place < len(parts)]
    one, other = (Fuse(*map(Fixed, some), how=way).search("q", 100, passages=9) for some in (parts, shuffled))
    assert one == other


@given(st.lists(scores_of_passages, min_size=2, max_size=3), ways, st.sampled_from([0.25, 2.0, 1024.0]))
def test_the_scale_of_a_part_never_matters(parts: list[dict[str, float]], way: Any, factor: float) -> None:
    scaled = [{id_: score * factor for id_, score in parts[0].items()}, *parts[1:]]
    one, other = (Fuse(*map(Fixed, some), how=way).search("q", 100, passages=9) for some in (parts, scaled))
    assert one == other


def test_rescoring_by_hand() -> None:
    """Of the two best, a and b, the second retriever knows a alone; c, which it likes best, is not among them."""
    found = Rerank(FIRST, SECOND, top=2, weight=0.5).search("q", k=3)
    assert [hit.document for hit in found] == ["a", "b", "c"]
    assert found[0].score == pytest.approx(0.5 + 0.5)
    assert found[1].score == pytest.approx(0.5 * 6 / 9)
    assert found[2].score == 0.0
    assert [hit.document for hit in Rerank(FIRST, SECOND, top=3).search("q", k=3)] == ["c", "a", "b"]


def test_rescoring_nothing_gives_nothing() -> None:
    assert Rerank(Fixed({}), SECOND).search("q") == []


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (lambda: Fuse(FIRST), "at least two parts"),
        (lambda: Fuse(FIRST, SECOND, how="best"), "no fusion 'best'"),
        (lambda: Fuse(FIRST, SECOND, weights=[1, 0]), "2 weights above 0"),
        (lambda: Rerank(FIRST, SECOND, top=0), "At least one document"),
        (lambda: Rerank(FIRST, SECOND, weight=2), "at most 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        make()
