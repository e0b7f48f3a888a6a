"""The best documents of a retriever, ranked again: cheap recall first, a dearer look at the few that are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.index.filters import document
from sparse_coverage.retrievers.fusion import shares
from sparse_coverage.search.feedback import Marks
from sparse_coverage.search.index import Index
from sparse_coverage.search.results import Explanation, Hit
from sparse_coverage.search.searcher import Retriever, Searcher


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
        these = document(*(hit.document for hit in hits))
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
