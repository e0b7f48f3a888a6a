"""The best documents of one retriever, ranked again by another: cheap recall first, a dearer look at the few that are left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.index.filters import document
from sparse_coverage.retrievers.fusion import ask
from sparse_coverage.retrievers.fusion_scores import shares
from sparse_coverage.search.results import Hit, Retriever
from sparse_coverage.search.searcher import Searcher


class Rescore(Searcher):
    """Takes the `top` documents of `first` and ranks them by `by`, which looks at these documents only.

        Rescore(index, dense, top=100).search("A valve comprising a plunger biased by a spring")

    `weight` is how much the second score counts beside the first, each divided by its largest: 1 means it alone. Documents
    that `by` has no score for come after the others, in the order of `first`; so do those beyond the `top`, where more are
    asked for. Passages are those of `by`, or of `first` where it has none. It is a retriever itself.
    """

    def __init__(self, first: Retriever, by: Retriever, *, top: int = 100, weight: float = 1.0) -> None:
        if top < 1:
            raise InputError(f"At least one document must be ranked again, not {top}.")
        if not 0 < weight <= 1:
            raise InputError(f"The weight of the second score is above 0 and at most 1, not {weight}.")
        self.first = first
        self.by = by
        self._top = top
        self._weight = weight

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        found = ask(self.first, queries, max(k, self._top), passages, condition)
        return [self._again(query, hits, passages, condition)[:k] for query, hits in zip(queries, found, strict=True)]

    def _again(self, query: str, hits: Sequence[Hit], passages: int, condition: Filter | None) -> list[Hit]:
        head, tail = hits[: self._top], list(hits[self._top :])
        if not head:
            return []
        these = document(*(hit.document for hit in head))
        allowed = these if condition is None else condition & these
        [again] = ask(self.by, [query], len(head), passages, allowed)
        seconds = {hit.document: hit for hit in again}
        scores = [seconds[hit.document].score if hit.document in seconds else -np.inf for hit in head]
        mixed = (1 - self._weight) * shares(np.asarray([hit.score for hit in head], dtype=np.float64))
        mixed += self._weight * shares(np.asarray(scores, dtype=np.float64))
        order = np.lexsort((np.arange(len(head)), -mixed))
        ranked = [_with(head[place], seconds.get(head[place].document), float(mixed[place])) for place in order]
        return ranked + [_with(hit, None, 0.0) for hit in tail]


def _with(hit: Hit, second: Hit | None, score: float) -> Hit:
    passages = second.passages if second is not None and second.passages else hit.passages
    return Hit(hit.document, hit.title, score, hit.metadata, passages)
