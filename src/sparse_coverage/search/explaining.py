"""Why a passage was found: every shared center with the two spans that activated it."""

from __future__ import annotations

from sparse_coverage.index import IndexStore
from sparse_coverage.model import SparseCoverage
from sparse_coverage.search.scoring import CenterStatistics
from sparse_coverage.search.types import Explanation, Match, PassageHit, Place
from sparse_coverage.vectors import SparseVector


def explain_unit(
    store: IndexStore, model: SparseCoverage, statistics: CenterStatistics, query: str, vector: SparseVector, unit: int
) -> Explanation:
    """Return the matches of a query vector and an indexed unit, strongest first."""
    record = store.texts.unit(unit)
    places = model.locate_spans(record.text)
    alpha = statistics.config.alpha
    matches = []
    for row, center in enumerate(vector.centers.tolist()):
        posting = None if statistics.stop[center] else store.segment.find(center, unit)
        if posting is None:
            continue
        weight = store.segment.weight(posting)
        idf = float(statistics.idf[center])
        start, end = places[store.segment.span(posting)]
        matches.append(
            Match(
                center=center,
                anchor=model.vocabulary.anchors[center].text,
                query=_place(query, int(vector.starts[row]), int(vector.ends[row])),
                passage=_place(record.text, start, end),
                query_weight=float(vector.weights[row]),
                passage_weight=weight,
                idf=idf,
                contribution=float(vector.weights[row]) * weight * idf**alpha / float(statistics.norms[unit]),
            )
        )
    matches.sort(key=lambda match: (-match.contribution, match.center))
    score = sum(match.contribution for match in matches)
    passage = PassageHit(record.id, record.document, record.section, record.text, score)
    matched = {(match.query.start, match.query.end) for match in matches}
    unmatched = [_place(query, *place) for place in model.locate_spans(query) if place not in matched]
    return Explanation(query, passage, tuple(matches), tuple(unmatched))


def _place(text: str, start: int, end: int) -> Place:
    return Place(text[start:end], start, end)
