"""Why a passage was found: every shared center with the two spans that activated it. And the reverse: what found nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import tee

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import IndexStoreError, NoDocumentError
from sparse_coverage.index import IndexStore
from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s, Mask
from sparse_coverage.model import SparseCoverage
from sparse_coverage.search.feedback import Enriched, Marks, unchanged, with_marks
from sparse_coverage.search.ranking import CenterStatistics, Ranker, ScoringConfig
from sparse_coverage.search.reasons import Phrases, SpanWords, summed_up, unmatched_words
from sparse_coverage.search.results import Answer, Answers, Explanation, Match, PassageHit, Place, Reasons, Unsearched
from sparse_coverage.search.stored import paragraph_id
from sparse_coverage.spans.span import normalise
from sparse_coverage.vectors import Activations, SparseVector

_LOCATED = 1024
"""So many passages keep where their spans and phrases are: some 30 kB each, and what is found is often found again."""


@dataclass(frozen=True, slots=True, eq=False)
class TracedQuery:
    """A query, its vector, the places of all its spans, the centers that each of them activated, and a vector for each chunk."""

    text: str
    vector: SparseVector
    places: tuple[Place, ...]
    activations: Activations
    chunks: Floats

    def unsearched(self, stop: Mask) -> Unsearched:
        """Return the spans that nothing can match: those that activate no center, and those with stop centers only."""
        active = self._active
        counted = active & ~stop[self.activations.centers]
        some = active.any(axis=1)
        return Unsearched(self._places(~some), self._places(some & ~counted.any(axis=1)))

    def unmatched(self, stop: Mask, weights: Mapping[int, float], texts: Iterable[str]) -> tuple[Place, ...]:
        """Return the words that found nothing in texts with these weights."""
        return unmatched_words(self.text, self.places, self.activations, stop, weights, texts)

    @property
    def _active(self) -> Mask:
        return np.asarray((self.activations.centers >= 0) & (self.activations.similarities > 0))

    def _places(self, rows: npt.ArrayLike) -> tuple[Place, ...]:
        return tuple(self.places[row] for row in np.flatnonzero(rows).tolist())


def trace_queries(model: SparseCoverage, texts: Iterable[str]) -> Iterator[TracedQuery]:
    """Encode queries and keep what their vectors forget: the centers of spans that were not the strongest."""
    kept, passed = tee(texts)
    for text, traced in zip(kept, model.trace(passed, query=True), strict=True):
        bounds = zip(traced.spans.starts.tolist(), traced.spans.ends.tolist(), strict=True)
        places = tuple(_place(text, start, end) for start, end in bounds)
        totals = traced.spans.totals
        chunks = np.zeros((0, model.whole_encoder.dimension), np.float32) if totals is None else normalise(totals)
        yield TracedQuery(text, traced.vector, places, traced.activations, chunks)


def trace_query(model: SparseCoverage, text: str) -> TracedQuery:
    """Do the same for one query."""
    return next(trace_queries(model, [text]))


def best_paragraphs(store: IndexStore, document: int, scores: Mapping[int, float], count: int) -> dict[str, int]:
    """Return the best passage of each of the `count` paragraphs of a document that score best, by the ids of the paragraphs."""
    best: dict[str, int] = {}
    for number in store.passages_of(document):
        id_ = paragraph_id(store.passage(number))
        if scores[number] > scores[best.setdefault(id_, number)]:
            best[id_] = number
    strongest = sorted((id_ for id_ in best if scores[best[id_]] > 0), key=lambda id_: -scores[best[id_]])
    return {id_: best[id_] for id_ in strongest[:count]}


class _LastEnriched(threading.local):
    """What one thread found out last: another may explain another query at the same time."""

    last: tuple[tuple[str, Marks | None], Enriched] | None = None
    lent: tuple[Enriched, dict[int, Place]] | None = None


class Explanations:
    """Explains the hits of one index.

    A search and the explanations of its hits come one after the other: the query is encoded, and enriched by what was marked, once.
    """

    def __init__(self, ranker: Ranker, model: SparseCoverage) -> None:
        self.ranker = ranker
        self.model = model
        self.traced = lru_cache(32)(partial(trace_query, model))
        self._local = _LastEnriched()
        self._explainer = Explainer(ranker.store, model, ranker.statistics)

    def explain(self, query: str, id_: str, marks: Marks | None = None) -> Explanation:
        """Explain a passage's score, or that of the best passage of a document, or of a paragraph that was cut into several."""
        traced, enriched, store = self.traced(query), self.enriched(query, marks), self.ranker.store
        passage = store.find_passage(id_)
        if passage is None:
            scores = self.ranker.scores(enriched.vector)
            passage = max(self.passages_of(id_), key=lambda number: (scores[number], -number))
        return self._explainer.explain(traced, enriched, passage)

    def passages_of(self, id_: str) -> Sequence[int]:
        """Return the passage with an id, the pieces of the paragraph with it, or all passages of the document."""
        passage = self.ranker.store.find_passage(id_)
        if passage is not None:
            return [passage]
        what = "neither a passage nor a document"
        return self._pieces(id_) or self.ranker.store.passages_of(self._document(id_, what))

    def reasons(self, query: str, ids: Sequence[str], marks: Marks | None = None) -> dict[str, Reasons]:
        """Return the reasons of passages, by id, all at once."""
        traced, enriched, store = self.traced(query), self.enriched(query, marks), self.ranker.store
        passages = [store.find_passage(id_) for id_ in ids]
        for id_, passage in zip(ids, passages, strict=True):
            if passage is None:
                raise NoDocumentError(f"The index holds no passage with the id '{id_}'.")
        numbers = np.asarray(passages, np.int64)
        return dict(zip(ids, self._explainer.reasons(traced, enriched, numbers), strict=True))

    def best_of(self, query: str, document: int, count: int) -> dict[str, Explanation]:
        """Explain the paragraphs of a document that score best, by their ids; one that was cut, by its best piece."""
        traced, enriched, store = self.traced(query), self.enriched(query), self.ranker.store
        scores = self.ranker.scores(enriched.vector)
        scores_of = {number: float(scores[number]) for number in store.passages_of(document)}
        best = best_paragraphs(store, document, scores_of, count)
        found = {id_: self._explainer.explain(traced, enriched, number) for id_, number in best.items()}
        return dict(sorted(found.items(), key=lambda item: -item[1].score))

    def answers(self, query: str, document: str) -> Answers:
        """Set a whole document against a query."""
        number = self._document(document, "no document")
        return self._explainer.answers(self.traced(query), number)

    def enriched(self, query: str, marks: Marks | None = None) -> Enriched:
        """Return a query with what marks add to it, which is the same for a search and for all its hits."""
        asked, last = (query, marks), self._local.last
        if last is None or last[0] != asked:
            self._local.last = last = (asked, self.enrich(self.traced(query).vector, marks))
        return last[1]

    def enrich(self, vector: SparseVector, marks: Marks | None) -> Enriched:
        """Return a query vector with what marks add to it and take from it."""
        return with_marks(self.ranker, vector, marks) if marks else unchanged(vector)

    def _pieces(self, paragraph: str) -> list[int]:
        """Return the passages that a paragraph of a document was cut into, if it was: those with its id, a colon and a number."""
        store = self.ranker.store
        for place, letter in enumerate(paragraph):
            if letter == "/" and (document := store.find_document(paragraph[:place])) is not None:
                mine = store.passages_of(document)
                return [number for number in mine if store.passage(number).id.rpartition(":")[0] == paragraph]
        return []

    def _document(self, id_: str, what: str) -> int:
        number = self.ranker.store.find_document(id_)
        if number is None:
            raise NoDocumentError(f"The index holds {what} with the id '{id_}'{self.ranker.store.near(id_)}.")
        if not len(self.ranker.store.passages_of(number)):
            raise IndexStoreError(f"The document '{id_}' has no passages.")
        return number


@dataclass(frozen=True, slots=True, eq=False)
class _Located:
    """A passage's text, where its spans are, its phrases, and which word each span lies in. It is the same for every query."""

    text: str
    starts: Int64s
    ends: Int64s
    phrases: Phrases
    found: SpanWords

    def place(self, span: int) -> Place:
        return _place(self.text, int(self.starts[span]), int(self.ends[span]))


@dataclass(frozen=True, slots=True, eq=False)
class _Shared:
    """What a passage shares with a query, strongest first: rows of the query's vector, the passage's weights and spans, what each adds."""

    passage: int
    rows: Int64s
    weights: Doubles
    spans: Int64s
    contributions: Doubles


class Explainer:
    """Explains the scores that one scoring gives to the passages of one index."""

    def __init__(self, store: IndexStore, model: SparseCoverage, statistics: CenterStatistics) -> None:
        self._store = store
        self._model = model
        self._statistics = statistics
        # Not methods of its own: a cache of these would keep it alive, and the files of its index open.
        self._located = lru_cache(_LOCATED)(partial(_locate, store, model))
        self._norm = lru_cache(256)(partial(_norm, store, statistics.config))
        self._local = _LastEnriched()

    def explain(self, query: TracedQuery, enriched: Enriched, passage: int) -> Explanation:
        """Return the matches of a query, with what marks lent it, and a passage, strongest first."""
        vector = enriched.vector
        lent = self._lent_places(enriched)
        [shared] = self._shared_by(enriched, np.asarray([passage]))
        matches = []
        for row, weight, span in zip(shared.rows.tolist(), shared.weights.tolist(), shared.spans.tolist(), strict=True):
            center, lender = int(vector.centers[row]), int(enriched.lent[row])
            own = _place(query.text, int(vector.starts[row]), int(vector.ends[row]))
            place = own if lender < 0 else lent[center]
            match = self._match(center, place, float(vector.weights[row]), passage, weight, span)
            matches.append(match if lender < 0 else replace(match, lender=self._store.passage(lender).id))
        record = self._store.passage(passage)
        score = sum(match.contribution for match in matches)
        hit = PassageHit.of(record, score)
        stop = self._statistics.stop
        weights = {match.center: match.passage_weight for match in matches}
        unmatched = query.unmatched(stop, weights, [record.text])
        [reasons] = self._reasons(query, enriched, [shared])
        return Explanation(query.text, hit, tuple(matches), unmatched, query.unsearched(stop), reasons)

    def reasons(self, query: TracedQuery, enriched: Enriched, passages: Int64s) -> list[Reasons]:
        """Return the reasons of passages, as their explanations have them, without the matches behind them."""
        return self._reasons(query, enriched, self._shared_by(enriched, passages))

    def _reasons(self, query: TracedQuery, enriched: Enriched, shared: Iterable[_Shared]) -> list[Reasons]:
        ours, vector = Phrases.of(query.text), enriched.vector
        at_ours = ours.at(vector.starts.astype(np.int64), vector.ends.astype(np.int64))
        found = []
        for one in shared:
            located = self._located(one.passage)
            at_theirs = located.found.of(one.spans)
            lent = enriched.lent[one.rows] >= 0
            reasons = summed_up(ours, located.phrases, at_ours.of(one.rows), at_theirs, one.contributions, lent)
            found.append(reasons)
        return found

    def _shared_by(self, enriched: Enriched, passages: Int64s) -> list[_Shared]:
        """Return what each of some passages shares with a query, the strongest first."""
        vector, statistics = enriched.vector, self._statistics
        counted = np.flatnonzero(~statistics.stop[vector.centers])
        centers = vector.centers[counted].astype(np.int64)
        weights, worth = vector.weights[counted].astype(np.float64), statistics.worth[centers]
        found: dict[int, _Shared] = {}
        for first, segment in {
            one.first_passage: one for one in map(self._store.segment_of_passage, passages.tolist())
        }.items():
            mine = np.unique(passages[(passages >= first) & (passages < first + len(segment))])
            table = segment.find_in(centers, mine - first)
            places, numbers, fixed, spans = table.T
            theirs = segment.weights(fixed)
            bounds = np.searchsorted(numbers, np.append(mine - first, len(segment)))
            for passage, begin, end in zip(mine.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
                place, weight = places[begin:end], theirs[begin:end]
                adds = weights[place] * weight * worth[place] * self._norm(passage)
                order = np.lexsort((centers[place], -adds))
                place = place[order]
                found[passage] = _Shared(passage, counted[place], weight[order], spans[begin:end][order], adds[order])
        return [found[passage] for passage in passages.tolist()]

    def answers(self, query: TracedQuery, document: int) -> Answers:
        """Return the strongest that a document has to set against each span of the query, and the spans it has nothing for."""
        passages = self._store.passages_of(document)
        best: dict[int, tuple[float, int, int, float, int]] = {}
        strongest: dict[int, float] = {}
        for center, passage, weight, span in self._shared(query.vector.centers, passages.start, passages.stop):
            value = weight * self._worth(center) * self._norm(passage)
            strongest[center] = max(weight, strongest.get(center, 0.0))
            if center not in best or value > best[center][0]:
                best[center] = (value, passage, center, weight, span)
        found: list[Answer] = []
        texts: dict[str, str] = {}
        numbers: dict[str, str] = {}
        for place, centers, similarities in zip(
            query.places, query.activations.centers.tolist(), query.activations.similarities.tolist(), strict=True
        ):
            options = [
                (similarity * best[center][0], -rank, similarity, best[center])
                for rank, (center, similarity) in enumerate(zip(centers, similarities, strict=True))
                if similarity > 0 and center in best
            ]
            if options:
                _, _, similarity, (_, passage, center, weight, span) = max(options)
                record = self._store.passage(passage)
                texts[record.id] = record.text
                if record.number:
                    numbers[record.id] = record.number
                found.append(Answer(place, record.id, self._match(center, place, similarity, passage, weight, span)))
        stop = self._statistics.stop
        every = (self._store.passage(passage).text for passage in passages)
        missing = query.unmatched(stop, strongest, every)
        nothing, says = {place.text.lower() for place in missing}, Phrases.of(query.text).word
        shown = tuple(answer for answer in found if says(answer.query) not in {None, *nothing})
        texts = {answer.passage: texts[answer.passage] for answer in shown}
        numbers = {passage: numbers[passage] for passage in texts if passage in numbers}
        return Answers(
            query.text,
            self._store.document(document).id,
            shown,
            missing,
            query.unsearched(stop),
            texts,
            numbers,
        )

    def _shared(self, centers: Int32s, first: int, last: int) -> Iterator[tuple[int, int, float, int]]:
        """Yield what passages share with a query's centers, stop centers left out: center, passage, weight, ordinal of the span."""
        segment = self._store.segment_of_passage(first)
        counted = centers[~self._statistics.stop[centers]].astype(np.int64)
        rows = segment.find(counted, first - segment.first_passage, last - segment.first_passage)
        for place, passage, fixed, span in rows.tolist():
            yield int(counted[place]), segment.first_passage + passage, segment.weight(fixed), span

    def _match(self, center: int, query: Place, query_weight: float, passage: int, weight: float, span: int) -> Match:
        located = self._located(passage)
        return Match(
            center=center,
            anchor=self._model.vocabulary.anchors[center].text,
            query=query,
            passage=located.place(span),
            query_weight=query_weight,
            passage_weight=weight,
            idf=float(self._statistics.idf[center]),
            contribution=query_weight * weight * self._worth(center) * self._norm(passage),
        )

    def _lent_places(self, enriched: Enriched) -> dict[int, Place]:
        """Return for each center that was lent to a query the span of the lending passage that activates it."""
        if self._local.lent is None or self._local.lent[0] is not enriched:
            places = {}
            for lender in np.unique(enriched.lent[enriched.lent >= 0]).tolist():
                centers = enriched.vector.centers[enriched.lent == lender].astype(np.int64)
                segment = self._store.segment_of_passage(lender)
                first = lender - segment.first_passage
                located = self._located(lender)
                for place, _, _, span in segment.find(centers, first, first + 1).tolist():
                    places[int(centers[place])] = located.place(span)
            self._local.lent = enriched, places
        return self._local.lent[1]

    def _worth(self, center: int) -> float:
        return float(self._statistics.worth[center])


def _norm(store: IndexStore, scoring: ScoringConfig, passage: int) -> float:
    segment = store.segment_of_passage(passage)
    return float(scoring.norms(segment.span_counts[passage - segment.first_passage]))


def _locate(store: IndexStore, model: SparseCoverage, passage: int) -> _Located:
    text = store.passage(passage).text
    starts, ends = np.asarray(model.locate_spans(text), np.int64).reshape(-1, 2).T
    phrases = Phrases.of(text)
    return _Located(text, starts, ends, phrases, phrases.at(starts, ends))


def _place(text: str, start: int, end: int) -> Place:
    return Place(text[start:end], start, end)
