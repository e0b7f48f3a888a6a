"""Ranking queries on an engine: passages, and from these documents, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from sparse_coverage.aggregation import Aggregation, TopMean, document_scores
from sparse_coverage.engines.engine import (
    AnyOf,
    Condition,
    EngineError,
    FoundPoint,
    NoneOf,
    PointQuery,
    all_of,
    sparse,
)
from sparse_coverage.engines.points import Statistics
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.errors import InputError
from sparse_coverage.index.passage_parts import rounded_queries
from sparse_coverage.search.explaining import TracedQuery
from sparse_coverage.search.part_scores import DEPTH
from sparse_coverage.search.ranking import CenterStatistics, ScoringConfig

AT_ONCE = 32
_PASSAGES_PER_DOCUMENT = 4
_FEWEST = 32
PartQuery = tuple[PointQuery, ...]
"""What one part is asked: one request, or one for each chunk of a query, of which the largest score counts."""


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document with its best points, best first. `complete`: there are no more points of it than these."""

    id: str
    points: tuple[FoundPoint, ...]
    complete: bool
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Scale:
    """Scales the scores of a part as the index does: 1 for its best document, 0 for its last. `alone`, a part is not scaled."""

    high: float
    low: float
    alone: bool

    @classmethod
    def of(cls, documents: Sequence[FoundDocument], alone: bool) -> _Scale:
        return cls(documents[0].score, documents[-1].score, alone) if documents else cls(0.0, 0.0, alone)

    def scaled(self, score: float) -> float:
        if self.alone:
            return score
        if self.high <= self.low:
            return float(score >= self.high > 0)
        return max(0.0, (score - self.low) / (self.high - self.low))


class EngineRanker:
    """Ranks what a collection holds, with the document frequencies that it held when this was made or last refreshed.

    By the three parts of `combined`, as the index does: each ranks its first documents, its scores are scaled over these and added.
    """

    known: Statistics
    statistics: CenterStatistics

    def __init__(
        self, collection: QdrantCollection, scoring: ScoringConfig | None = None, ranking: str = "combined"
    ) -> None:
        self.collection = collection
        self.ranking = ranking
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
        if self.ranking not in ("combined", *known.parts):
            raise InputError(
                f"The collection '{self.collection.name}' can be ranked by combined, {', '.join(known.parts)}, not by "
                f"'{self.ranking}'."
            )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts whose scores are added."""
        return self.known.parts if self.ranking == "combined" else (self.ranking,)

    def asked(self, query: TracedQuery) -> dict[str, PartQuery]:
        """Return what each part is asked for a query; a part that has nothing to ask for is left out."""
        asked: dict[str, PartQuery] = {}
        for part in self.parts:
            if part == "centers":
                factors = sparse(*self.statistics.factors(query.vector.centers, query.vector.weights))
                asked[part] = (PointQuery(part, factors),) if factors else ()
            elif part == "words":
                words = self.known.word_factors(query.text)
                asked[part] = (PointQuery(part, words),) if words else ()
            else:
                asked[part] = tuple(PointQuery(part, chunk.tolist()) for chunk in rounded_queries(query.chunks))
        return {part: requests for part, requests in asked.items() if requests}

    def rank_passages(self, query: TracedQuery, k: int, condition: Condition | None = None) -> list[FoundPoint]:
        """Return the `k` best points of a query.

        Of each part the best points are taken, more and more of them, until no other can have a larger sum than the last of the `k`.
        """
        asked = self.asked(query)
        if len(self.parts) == 1:
            return self._search(list(asked.values()), k, condition)[0] if asked else []
        scales = {
            part: _Scale.of(self._best_documents(requests, DEPTH, condition), False) for part, requests in asked.items()
        }
        limit = min(max(4 * k, _FEWEST), self.collection.limit)
        while True:
            lists = dict(zip(asked, self._search(list(asked.values()), limit, condition), strict=True))
            every = {point.id: point for found in lists.values() for point in found}
            sums = dict.fromkeys(every, 0.0)
            for part, found in lists.items():
                scores = {point.id: point.score for point in found}
                if len(found) == limit and (others := [id_ for id_ in every if id_ not in scores]):
                    scores |= self._scores(others, asked[part])
                for id_, score in scores.items():
                    sums[id_] += scales[part].scaled(score)
            best = sorted((id_ for id_ in sums if sums[id_] > 0), key=lambda id_: -sums[id_])[:k]
            rest = sum(scales[part].scaled(found[-1].score) for part, found in lists.items() if len(found) == limit)
            last = sums[best[-1]] if len(best) == k else 0.0
            if rest <= last or limit == self.collection.limit:
                return [replace(every[id_], score=sums[id_]) for id_ in best]
            limit = min(4 * limit, self.collection.limit)

    def rank_documents(
        self, query: TracedQuery, k: int, passages: int, condition: Condition | None = None
    ) -> list[FoundDocument]:
        """Return the `k` best documents, each with its best `passages`."""
        asked = self.asked(query)
        alone = len(self.parts) == 1
        ranked = {
            part: self._best_documents(requests, k if alone else DEPTH, condition) for part, requests in asked.items()
        }
        scales = {part: _Scale.of(found, alone) for part, found in ranked.items()}
        totals: dict[str, float] = {}
        for part, found in ranked.items():
            for one in found:
                totals[one.id] = totals.get(one.id, 0.0) + scales[part].scaled(one.score)
        best = sorted(totals, key=lambda id_: -totals[id_])[:k]
        sums: dict[str, dict[str, FoundPoint]] = {id_: {} for id_ in best}
        for part, found in ranked.items():
            there = {one.id: one for one in found}
            chosen = [there.get(id_, FoundDocument(id_, (), False)) for id_ in best]
            most = passages if alone else self.collection.limit
            for document in self._with_points(chosen, asked[part], most, condition):
                own = sums[document.id]
                for point in document.points:
                    before = own[point.id].score if point.id in own else 0.0
                    own[point.id] = replace(point, score=before + scales[part].scaled(point.score))
        shown = {id_: sorted(own.values(), key=lambda point: -point.score)[:passages] for id_, own in sums.items()}
        return [FoundDocument(id_, tuple(shown[id_]), True, totals[id_]) for id_ in best]

    def _best_documents(self, query: PartQuery, k: int, condition: Condition | None) -> list[FoundDocument]:
        """Return the `k` best documents of one part.

        Engines rank passages, so documents are met in the order of their best passage, and no document makes more of its
        passages than its best one allows: once that is less than what the k-th best makes, all the best have been met.
        """
        rule = self.statistics.config.aggregation
        met = self._met(query, max(k, _FEWEST), condition)
        best: list[FoundDocument] = []
        while group := list(islice(met, AT_ONCE)):
            if len(best) == k and group[0].points[0].score < best[-1].score:
                break
            group = self._with_points(group, query, rule.m, condition)
            best = sorted([*best, *self._scored(group, rule, condition)], key=lambda one: -one.score)[:k]
        return best

    def _search(self, queries: Sequence[PartQuery], limit: int, condition: Condition | None) -> list[list[FoundPoint]]:
        """Return the best points of each query: of several requests, each point with its largest score."""
        made = [replace(request, limit=limit, condition=condition) for query in queries for request in query]
        answers = iter(self.collection.search(made))
        return [_largest([next(answers) for _ in query], limit) for query in queries]

    def _scores(self, ids: Sequence[str], query: PartQuery) -> dict[str, float]:
        """Return the scores of some points, where they are above 0."""
        found: dict[str, float] = {}
        for first in range(0, len(ids), self.collection.limit):
            for request in query:
                for id_, score in self.collection.scores(ids[first : first + self.collection.limit], request).items():
                    found[id_] = max(score, found.get(id_, 0.0))
        return found

    def _met(self, query: PartQuery, most: int, condition: Condition | None) -> Iterator[FoundDocument]:
        """Yield documents in the order of their best points; what was met already is left out of the next request."""
        met: list[str] = []
        while True:
            limit = min(_PASSAGES_PER_DOCUMENT * most, self.collection.limit)
            others = NoneOf(AnyOf("document", tuple(met))) if met else None
            (found,) = self._search([query], limit, all_of([condition, others]))
            new: dict[str, list[FoundPoint]] = {}
            for point in found:
                new.setdefault(point.document, []).append(point)
            complete = len(found) < limit  # that was everything there is
            for document, points in new.items():
                yield FoundDocument(document, tuple(points), complete)
            if complete:
                return
            met += new

    def _with_points(
        self, documents: list[FoundDocument], query: PartQuery, count: int, condition: Condition | None
    ) -> list[FoundDocument]:
        """Return documents with `count` of their points at least, or all; what is missing is asked for, many at a time."""
        short = [one for one in documents if not one.complete and len(one.points) < count]
        filled = {}
        for first in range(0, len(short), AT_ONCE):
            part = short[first : first + AT_ONCE]
            asked = [
                replace(request, limit=count, condition=all_of([condition, AnyOf("document", (one.id,))]))
                for one in part
                for request in query
            ]
            answers = iter(self.collection.search(asked))
            for one in part:
                found = _largest([next(answers) for _ in query], count)
                # A document that was deleted since keeps what it was met with.
                filled[one.id] = replace(one, points=tuple(found) or one.points, complete=len(found) < count)
        return [filled.get(one.id, one) for one in documents]

    def _scored(
        self, documents: list[FoundDocument], rule: Aggregation, condition: Condition | None
    ) -> list[FoundDocument]:
        """Return documents with the scores that their points make."""
        # Points that share nothing with the query are not found, but count in a mean.
        wanted = rule.m if isinstance(rule, TopMean) else 0
        short = [one.id for one in documents if len(one.points) < wanted]
        sizes = self.collection.sizes(short, condition) if short else {}
        return [replace(one, score=_score(one.points, rule, min(wanted, sizes.get(one.id, 0)))) for one in documents]


def _largest(lists: Sequence[list[FoundPoint]], limit: int) -> list[FoundPoint]:
    """Return the best points of several lists, each with its largest score."""
    if len(lists) == 1:
        return lists[0]
    best: dict[str, FoundPoint] = {}
    for point in (point for found in lists for point in found):
        if point.id not in best or point.score > best[point.id].score:
            best[point.id] = point
    return sorted(best.values(), key=lambda point: -point.score)[:limit]


def _score(points: Sequence[FoundPoint], rule: Aggregation, wanted: int) -> float:
    """Return what the points of a document make, with zeros where there are fewer than `wanted`."""
    scores = [point.score for point in points]
    scores += [0.0] * (wanted - len(scores))
    return float(document_scores(np.asarray(scores, np.float32), np.zeros(1, np.int64), rule)[0])
