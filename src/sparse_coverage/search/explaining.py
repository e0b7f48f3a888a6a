"""Why a passage was found: every shared center with the two spans that activated it. And the reverse: what found nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sparse_coverage.index import IndexStore
from sparse_coverage.model import SparseCoverage
from sparse_coverage.search.feedback import Enriched
from sparse_coverage.search.scoring import CenterStatistics
from sparse_coverage.search.tracing import TracedQuery
from sparse_coverage.search.types import Answer, Answers, Explanation, Match, PassageHit, Place


class Explainer:
    """Explains the scores that one scoring gives to the passages of one index."""

    def __init__(self, store: IndexStore, model: SparseCoverage, statistics: CenterStatistics) -> None:
        self._store = store
        self._model = model
        self._statistics = statistics
        self._spans = lru_cache(256)(self._locate)

    def explain(self, query: TracedQuery, enriched: Enriched, unit: int) -> Explanation:
        """Return the matches of a query, with its feedback, and a unit, strongest first."""
        vector = enriched.vector
        row_of = {center: row for row, center in enumerate(vector.centers.tolist())}
        matches = []
        for center, _, weight, span in self._shared(vector.centers, unit, unit + 1):
            row = row_of[center]
            lender = int(enriched.lent[row])
            own = _place(query.text, int(vector.starts[row]), int(vector.ends[row]))
            place = own if lender < 0 else self._lent_place(center, lender)
            match = self._match(center, place, float(vector.weights[row]), unit, weight, span)
            matches.append(match if lender < 0 else replace(match, lender=self._store.unit(lender).id))
        matches.sort(key=lambda match: (-match.contribution, match.center))
        record = self._store.unit(unit)
        score = sum(match.contribution for match in matches)
        passage = PassageHit(record.id, record.document, record.section, record.text, score)
        stop = self._statistics.stop
        unmatched = query.unmatched(stop, np.asarray([match.center for match in matches], dtype=np.int64))
        return Explanation(query.text, passage, tuple(matches), unmatched, query.unsearched(stop))

    def answers(self, query: TracedQuery, document: int) -> Answers:
        """Return the strongest that a document has to set against each span of the query, and the spans it has nothing for."""
        units = self._store.units_of(document)
        best: dict[int, tuple[float, int, int, float, int]] = {}
        for center, unit, weight, span in self._shared(query.vector.centers, units.start, units.stop):
            value = weight * self._worth(center) * self._norm(unit)
            if center not in best or value > best[center][0]:
                best[center] = (value, unit, center, weight, span)
        found: list[Answer] = []
        texts: dict[str, str] = {}
        for place, centers, similarities in zip(
            query.places, query.activations.centers.tolist(), query.activations.similarities.tolist(), strict=True
        ):
            options = [
                (similarity * best[center][0], -rank, similarity, best[center])
                for rank, (center, similarity) in enumerate(zip(centers, similarities, strict=True))
                if similarity > 0 and center in best
            ]
            if options:
                _, _, similarity, (_, unit, center, weight, span) = max(options)
                record = self._store.unit(unit)
                texts[record.id] = record.text
                found.append(Answer(place, record.id, self._match(center, place, similarity, unit, weight, span)))
        stop = self._statistics.stop
        return Answers(
            query.text,
            self._store.document(document).id,
            tuple(found),
            query.unmatched(stop, np.asarray(list(best), dtype=np.int64)),
            query.unsearched(stop),
            texts,
        )

    def _shared(self, centers: npt.NDArray[np.int32], first: int, last: int) -> Iterator[tuple[int, int, float, int]]:
        """Yield what units share with a query's centers, stop centers left out: center, unit, weight, ordinal of the span."""
        segment = self._store.segment_of_unit(first)
        counted = centers[~self._statistics.stop[centers]].astype(np.int64)
        rows = segment.find(counted, first - segment.first_unit, last - segment.first_unit)
        for place, unit, fixed, span in rows.tolist():
            yield int(counted[place]), segment.first_unit + unit, segment.weight(fixed), span

    def _match(self, center: int, query: Place, query_weight: float, unit: int, weight: float, span: int) -> Match:
        text, places = self._spans(unit)
        return Match(
            center=center,
            anchor=self._model.vocabulary.anchors[center].text,
            query=query,
            passage=_place(text, *places[span]),
            query_weight=query_weight,
            passage_weight=weight,
            idf=float(self._statistics.idf[center]),
            contribution=query_weight * weight * self._worth(center) * self._norm(unit),
        )

    def _lent_place(self, center: int, unit: int) -> Place:
        """Return the span of a lending unit that activates a center."""
        segment = self._store.segment_of_unit(unit)
        first = unit - segment.first_unit
        [[_, _, _, span]] = segment.find(np.asarray([center], dtype=np.int64), first, first + 1).tolist()
        text, places = self._spans(unit)
        return _place(text, *places[span])

    def _worth(self, center: int) -> float:
        return float(self._statistics.worth[center])

    def _norm(self, unit: int) -> float:
        segment = self._store.segment_of_unit(unit)
        return float(self._statistics.config.norms(segment.span_counts[unit - segment.first_unit]))

    def _locate(self, unit: int) -> tuple[str, list[tuple[int, int]]]:
        text = self._store.unit(unit).text
        return text, self._model.locate_spans(text)


def _place(text: str, start: int, end: int) -> Place:
    return Place(text[start:end], start, end)
