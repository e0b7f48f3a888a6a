"""A baseline as something to search with: documents ranked by their best passage, as everywhere in this house."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sparse_coverage.index import Filter, IndexStore, allowed_passages, open_store
from sparse_coverage.patents import Patent
from sparse_coverage.patents.passages import By
from sparse_coverage.retrievers.side import Mask, Scores, Side
from sparse_coverage.retrievers.sides import refresh_side, side_scorer
from sparse_coverage.retrievers.texts import write_texts
from sparse_coverage.search import Hit, PassageHit
from sparse_coverage.search.searcher import PassageSearcher

Numbers = npt.NDArray[np.int64]


class Baseline(PassageSearcher):
    """Searches the texts of an index by one of its sides.

        bm25 = Baseline.build("bm25-index", Bm25(), read_patents("patents/"))
        bm25.search("A valve comprising a plunger biased by a spring")

    Open it again with `Baseline.open("bm25-index", Bm25())`. A side of an index of Sparse Coverage is opened in the same way.
    """

    def __init__(self, store: IndexStore, side: Side) -> None:
        self.store = store
        self.side = side
        self._scorer = side_scorer(store, side)
        self._starts = store.document_starts

    @classmethod
    def build(cls, folder: str | Path, side: Side, documents: Iterable[Patent], *, by: By = "passage") -> Baseline:
        """Write patents and what a side keeps of them into a new folder, by passage, section or whole document."""
        write_texts(Path(folder), documents, by)
        store = open_store(Path(folder))
        refresh_side(store, side)
        return cls(store, side)

    @classmethod
    def open(cls, folder: str | Path, side: Side) -> Baseline:
        """Open an index by one of its sides."""
        return cls(open_store(Path(folder)), side)

    def __len__(self) -> int:
        """Return the number of passages."""
        return self.store.state.passages

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        allowed = self._allowed(condition)
        return [self._hits(self._scores(query, allowed), k, passages) for query in queries]

    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        allowed = self._allowed(condition)
        every = (self._scores(query, allowed) for query in queries)
        return [self._shown(best(scores, k), scores) for scores in every]

    def _allowed(self, condition: Filter | None) -> Mask | None:
        """Return which passages may be found, or None where all may."""
        if condition is None:
            return None if self.store.live_passages.all() else self.store.live_passages
        return np.asarray(self.store.live_passages & allowed_passages(self.store, condition).view(bool))

    def _scores(self, query: str, allowed: Mask | None) -> Scores:
        scores = self._scorer.scores(query, allowed)
        if allowed is not None:
            scores[~allowed] = -np.inf
        return scores

    def _hits(self, scores: Scores, k: int, passages: int) -> list[Hit]:
        numbers = np.flatnonzero(np.diff(self._starts))  # a document without passages cannot be found
        values = np.maximum.reduceat(scores, self._starts[numbers]) if len(numbers) else scores[:0]
        hits = []
        for place in best(values, k).tolist():
            record = self.store.document(int(numbers[place]))
            mine = np.asarray(self.store.passages_of(int(numbers[place])), dtype=np.int64)
            found = self._shown(mine[best(scores[mine], passages)], scores)
            hits.append(Hit(record.id, record.title, float(values[place]), record.metadata, tuple(found)))
        return hits

    def _shown(self, passages: Numbers, scores: Scores) -> list[PassageHit]:
        return [PassageHit.of(self.store.passage(number), float(scores[number])) for number in passages.tolist()]


def best(scores: Scores, k: int) -> Numbers:
    """Return the places of the k best scores, best first, ties to the lowest place; minus infinity is no score.

    >>> best(np.array([0.5, 0.9, -np.inf, 0.9], dtype=np.float32), 3).tolist()
    [1, 3, 0]
    """
    if k < len(scores):
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        chosen = np.flatnonzero((scores >= threshold) & (scores > -np.inf))
    else:
        chosen = np.flatnonzero(scores > -np.inf)
    return chosen[np.argsort(-scores[chosen], kind="stable")[:k]].astype(np.int64)
