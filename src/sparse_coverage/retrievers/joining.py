"""Several retrievers as one: their rankings joined by rank or by score, or one ranking the best documents of another again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore, filters
from sparse_coverage.kernels import Doubles
from sparse_coverage.search.feedback import Marks
from sparse_coverage.search.index import Index
from sparse_coverage.search.results import Explanation, Hit, PassageHit
from sparse_coverage.search.searcher import Retriever, Searcher
from sparse_coverage.systems import FusionRule

DEPTH = 1000
CONSTANT = 60


class Fuse(Searcher):
    """Searches with several retrievers and joins what they find. It is a retriever itself, so fusions can be fused.

        fused = Fuse(index.ranked_by("centers"), index.ranked_by("words"), my_own_retriever)
        fused.search("A valve comprising a plunger biased by a spring")

    `how`: `rrf` adds 1 / (60 + rank), `weighted` adds scores, each divided by the largest of its retriever. `weights`: how much each part
    counts, equal by default. `depth`: how many documents of each
    part are looked at. Equal scores: by id, so that a ranking never depends on the order of the parts. A filter goes to every
    part. A document's best passage has the document's score.
    """

    def __init__(
        self,
        *parts: Retriever,
        how: FusionRule = "rrf",
        weights: Sequence[float] | None = None,
        depth: int = DEPTH,
    ) -> None:
        if len(parts) < 2:
            raise InputError(f"A fusion needs at least two parts, not {len(parts)}.")
        given = [1.0] * len(parts) if weights is None else [float(weight) for weight in weights]
        if len(given) != len(parts) or not all(weight > 0 for weight in given):
            raise InputError(f"{len(parts)} parts need {len(parts)} weights above 0, not {given}.")
        fuse_scores([np.zeros(1)] * len(parts), how, given)  # refuses an unknown way at once
        self.parts = parts
        self._how = how
        self._weights = given
        self._depth = depth

    @property
    def coverage(self) -> Index | None:
        """The index of Sparse Coverage among the parts, if there is one."""
        return next((part.coverage for part in self.parts if part.coverage is not None), None)

    @property
    def store(self) -> IndexStore:
        """The index that the first part searches."""
        return self.parts[0].store

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        depth = max(k, self._depth)
        found = [part.search(queries, depth, passages=passages, filter=condition) for part in self.parts]
        return [
            [
                replace(hit, passages=hit.passages[:passages])
                for hit in self._joined([part[place] for part in found])[:k]
            ]
            for place in range(len(queries))
        ]

    def _joined(self, parts: Sequence[Sequence[Hit]]) -> list[Hit]:
        every = {hit.document: hit for part in reversed(parts) for hit in part}
        values = self._fused([{hit.document: hit.score for hit in part} for part in parts])
        passages = self._fused_passages(parts)
        hits = []
        for document, value in values.items():
            mine = passages[document]
            # The passages of a document keep their own order, at the height of the document.
            factor = value / mine[0].score if mine and mine[0].score > 0 else 0.0
            hits.append(
                replace(
                    every[document], score=value, passages=tuple(replace(one, score=one.score * factor) for one in mine)
                )
            )
        return sorted(hits, key=lambda hit: (-hit.score, hit.document))

    def _fused_passages(self, parts: Sequence[Sequence[Hit]]) -> dict[str, list[PassageHit]]:
        """Return the passages of each document with their fused scores, best first."""
        texts = {passage.id: passage for part in parts for hit in part for passage in hit.passages}
        values = self._fused([{one.id: one.score for hit in part for one in hit.passages} for part in parts])
        grouped: dict[str, list[PassageHit]] = {hit.document: [] for part in parts for hit in part}
        for id_, value in sorted(values.items(), key=lambda item: (-item[1], item[0])):
            grouped[texts[id_].document].append(replace(texts[id_], score=value))
        return grouped

    def _fused(self, parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
        ids = sorted({id_ for part in parts for id_ in part})
        arrays: list[Doubles] = [
            np.asarray([part.get(id_, -np.inf) for id_ in ids], dtype=np.float64) for part in parts
        ]
        return dict(zip(ids, fuse_scores(arrays, self._how, self._weights).tolist(), strict=True))


def reciprocal_ranks(scores: Doubles, constant: int = CONSTANT) -> Doubles:
    """Return 1 / (constant + rank) of each score, ties in the order given, and 0 where there is none (minus infinity).

    >>> reciprocal_ranks(np.array([0.5, -np.inf, 0.9])).tolist() == [1 / 62, 0.0, 1 / 61]
    True
    """
    order = np.argsort(-scores, kind="stable")
    values = np.empty(len(scores))
    values[order] = 1 / (constant + np.arange(1, len(scores) + 1))
    values[scores == -np.inf] = 0
    return values


def shares(scores: Doubles) -> Doubles:
    """Return each score divided by the largest; what is not positive, or not there, counts as 0.

    >>> shares(np.array([2.0, -np.inf, 4.0, -1.0])).tolist()
    [0.5, 0.0, 1.0, 0.0]
    """
    largest = scores.max(initial=0.0)
    return np.maximum(scores, 0) / largest if largest > 0 else np.zeros(len(scores))


def fuse_scores(parts: Sequence[Doubles], how: FusionRule, weights: Sequence[float]) -> Doubles:
    """Return one score for each thing from the scores that several parts gave it. The order of the parts does not matter."""
    if how not in ("rrf", "weighted"):
        raise InputError(f"There is no fusion '{how}'. Use rrf (by rank) or weighted (by share of the largest score).")
    single = reciprocal_ranks if how == "rrf" else shares
    added = np.stack([weight * single(part) for part, weight in zip(parts, weights, strict=True)])
    # Floating point sums depend on the order of what is added: a fixed one, whatever the order of the parts.
    return np.asarray(np.sort(added, axis=0).sum(axis=0))


@runtime_checkable
class Reranker(Protocol):
    """Anything that puts a few documents into a better order: another retriever, a cross-encoder."""

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits in their new order, best first, with their new scores."""
        ...


@runtime_checkable
class SearchingReranker(Reranker, Protocol):
    """A reranker that looks into an index itself, so it must know what the search may find there."""

    def within(self, passages: int, condition: Filter | None) -> Reranker:
        """Return the reranker for a search with this filter that shows this many passages of a document."""
        ...


class Rerank(Searcher):
    """Takes the `top` documents of a retriever and ranks them again. It is a retriever itself.

        Rerank(index, my_cross_encoder, top=50).search("A valve comprising a plunger biased by a spring")
        Rerank(index, index.ranked_by("vectors"), top=100, weight=0.5)

    `by` is a reranker, or another retriever, which looks at these documents only; `weight` is how much its score counts beside
    the first one (see `ByRetriever`). Where more than `top` are asked for, the others follow in the order of the retriever, with a
    score that is not above 0 nor above the last one of the reranker.
    """

    def __init__(self, retriever: Retriever, by: Reranker | Retriever, top: int = 100, *, weight: float = 1.0) -> None:
        if top < 1:
            raise InputError(f"At least one document must be ranked again, not {top}.")
        self.retriever = retriever
        self.reranker: Reranker = by if isinstance(by, Reranker) else ByRetriever(by, weight)
        self._top = top

    @property
    def name(self) -> str:
        """The name of what finds the documents."""
        return self.retriever.name

    @property
    def coverage(self) -> Index | None:
        """The index of Sparse Coverage that the retriever searches with, if any."""
        return self.retriever.coverage

    @property
    def store(self) -> IndexStore:
        """The index that the retriever searches."""
        return self.retriever.store

    def explain(
        self,
        query: str,
        id_: str,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        marks: Marks | None = None,
    ) -> Explanation:
        """Explain a score by what found the document, before it was ranked again."""
        return self.retriever.explain(query, id_, filter=filter, marks=marks)

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        found = self.retriever.search(queries, max(k, self._top), passages=passages, filter=condition)
        reranker = self.reranker
        if isinstance(reranker, SearchingReranker):
            reranker = reranker.within(passages, condition)
        return [self._again(reranker, query, hits)[:k] for query, hits in zip(queries, found, strict=True)]

    def _again(self, reranker: Reranker, query: str, hits: list[Hit]) -> list[Hit]:
        if not hits:
            return []
        ranked = reranker.rerank(query, hits[: self._top])
        lowest = min([0.0, *(hit.score for hit in ranked[-1:])])
        return ranked + [replace(hit, score=lowest) for hit in hits[self._top :]]


@dataclass(frozen=True, slots=True)
class ByRetriever:
    """A reranker: the scores of another retriever, which is asked about the documents that were found and no others.

    `weight` is how much its score counts beside the one that a hit has, each divided by its largest: 1 means it alone.
    Documents that it has no score for come after the others, in the order they had. Passages are those of `retriever`, as
    many as `passages`, or those of the hit where it has none.
    """

    retriever: Retriever
    weight: float = 1.0
    passages: int = 3
    condition: Filter | None = None

    def __post_init__(self) -> None:
        if not 0 < self.weight <= 1:
            raise InputError(f"The weight of the second score is above 0 and at most 1, not {self.weight}.")

    def within(self, passages: int, condition: Filter | None) -> ByRetriever:
        """Return the same for a search with this filter that shows this many passages of a document."""
        return replace(self, passages=passages, condition=condition)

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by the mixed scores."""
        these = filters.document(*(hit.document for hit in hits))
        allowed = these if self.condition is None else self.condition & these
        again = self.retriever.search(query, len(hits), passages=self.passages, filter=allowed)
        seconds = {hit.document: hit for hit in again}
        scores = [seconds[hit.document].score if hit.document in seconds else -np.inf for hit in hits]
        mixed = (1 - self.weight) * shares(np.asarray([hit.score for hit in hits], dtype=np.float64))
        mixed += self.weight * shares(np.asarray(scores, dtype=np.float64))
        order = np.lexsort((np.arange(len(hits)), -mixed)).tolist()
        return [_with(hits[place], seconds.get(hits[place].document), float(mixed[place])) for place in order]


def _with(hit: Hit, second: Hit | None, score: float) -> Hit:
    passages = second.passages if second is not None and second.passages else hit.passages
    return replace(hit, score=score, passages=passages)
