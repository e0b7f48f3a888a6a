"""Ranking query vectors on an engine: passages, and from these documents, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from sparse_coverage.engines.conditions import AnyOf, Condition, Not, all_of
from sparse_coverage.engines.engine import EngineError, Found, RemoteCollection, Request
from sparse_coverage.engines.statistics import Statistics
from sparse_coverage.search.statistics import CenterStatistics, ScoringConfig
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.aggregation import Aggregation, Best, DecayedSum, TopMean, document_scores

AT_ONCE = 8
_PASSAGES_PER_DOCUMENT = 4
_FEWEST = 32


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document with its best points, best first. `complete`: there are no more points of it than these."""

    id: str
    points: tuple[Found, ...]
    complete: bool
    score: float = 0.0


class Ranker:
    """Ranks what a collection holds, with the document frequencies that it held when this was made or last refreshed."""

    known: Statistics
    statistics: CenterStatistics

    def __init__(self, collection: RemoteCollection, scoring: ScoringConfig | None = None) -> None:
        self.collection = collection
        self._scoring = scoring
        self.refresh()

    def refresh(self) -> None:
        """Take the newest document frequencies."""
        text = self.collection.read_statistics() if self.collection.exists() else None
        if text is None:
            raise EngineError(
                f"The collection '{self.collection.name}' holds no finished index. "
                "Run `sparse-coverage engine push` (again): it goes on where it stopped."
            )
        known = Statistics.from_text(text)
        self.known, self.statistics = known, known.scored(self._scoring or known.scoring)

    def rank_passages(self, vector: SparseVector, k: int, condition: Condition | None = None) -> list[Found]:
        """Return the `k` best points of a query vector."""
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        return self.collection.search([Request(centers, factors, k, condition)])[0] if len(centers) else []

    def rank_documents(
        self, vector: SparseVector, k: int, passages: int, condition: Condition | None = None
    ) -> list[FoundDocument]:
        """Return the `k` best documents, each with its best `passages`.

        Engines rank passages, so documents are met in the order of their best passage, and no document makes more of its
        passages than its best one allows: once that is less than what the k-th best makes, all the best have been met.
        """
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        if not len(centers):
            return []
        rule = self.statistics.config.aggregation
        query = Request(centers, factors, 0, condition)
        met = self._met(query, max(k, _FEWEST))
        best: list[FoundDocument] = []
        while group := list(islice(met, AT_ONCE)):
            if len(best) == k and _most(rule, group[0].points[0].score) < best[-1].score:
                break
            group = self._with_points(group, query, _needed(rule, self.collection.limit))
            scored = [replace(one, score=self._score(one, rule, condition)) for one in group]
            best = sorted([*best, *scored], key=lambda one: -one.score)[:k]
        shown = self._with_points(best, query, passages)
        return [replace(one, points=one.points[:passages]) for one in shown]

    def _met(self, query: Request, most: int) -> Iterator[FoundDocument]:
        """Yield documents in the order of their best points; what was met already is left out of the next request."""
        met: list[str] = []
        while True:
            limit = min(_PASSAGES_PER_DOCUMENT * most, self.collection.limit)
            others = Not(AnyOf("document", tuple(met))) if met else None
            (found,) = self.collection.search(
                [replace(query, limit=limit, condition=all_of([query.condition, others]))]
            )
            new: dict[str, list[Found]] = {}
            for point in found:
                new.setdefault(point.document, []).append(point)
            complete = len(found) < limit  # that was everything there is
            for document, points in new.items():
                yield FoundDocument(document, tuple(points), complete)
            if complete:
                return
            met += new

    def _with_points(self, documents: list[FoundDocument], query: Request, count: int) -> list[FoundDocument]:
        """Return documents with `count` of their points at least, or all; what is missing is asked for, many at a time."""
        short = [one for one in documents if not one.complete and len(one.points) < count]
        filled = {}
        for first in range(0, len(short), AT_ONCE):
            part = short[first : first + AT_ONCE]
            asked = [
                replace(query, limit=count, condition=all_of([query.condition, AnyOf("document", (one.id,))]))
                for one in part
            ]
            for one, found in zip(part, self.collection.search(asked), strict=True):
                # A document that was deleted since keeps what it was met with.
                filled[one.id] = replace(one, points=tuple(found) or one.points, complete=len(found) < count)
        return [filled.get(one.id, one) for one in documents]

    def _score(self, document: FoundDocument, rule: Aggregation, condition: Condition | None) -> float:
        scores = [point.score for point in document.points]
        if isinstance(rule, TopMean) and len(scores) < rule.m:
            # Points that share nothing with the query are not found, but count in a mean.
            own = AnyOf("document", (document.id,))
            there = min(rule.m, self.collection.size(all_of([condition, own])))
            scores += [0.0] * (there - len(scores))
        return float(document_scores(np.asarray(scores, np.float32), np.zeros(1, np.int64), rule)[0])


def _needed(rule: Aggregation, limit: int) -> int:
    """Return how many of a document's points its score is made of."""
    if isinstance(rule, Best):
        return 1
    return rule.m if isinstance(rule, TopMean) else limit


def _most(rule: Aggregation, best: float) -> float:
    """Return the most that a document can make whose best point has this score."""
    return best / (1 - rule.decay) if isinstance(rule, DecayedSum) else best
