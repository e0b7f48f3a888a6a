"""Ranking by centers, words and the vectors of whole passages, each scaled to 0..1 and added; or by one of them.

Each part ranks documents by itself, by the same rule. Its scores over its own first 1,000 documents are scaled so that the best
counts 1 and the last 0, and the three are added with equal weights. A part that ranks alone keeps its own scores.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from time import perf_counter
from typing import TypeVar

import numpy as np

from sparse_coverage.aggregation import Aggregation
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.search.explaining import Explanations, TracedQuery, best_paragraphs, trace_queries
from sparse_coverage.search.feedback import Enriched, Marks
from sparse_coverage.search.part_scores import (
    DEPTH,
    FEW_WORDS,
    SCALES,
    Closeness,
    PartScores,
    Ranked,
    VectorScores,
    WordScores,
    parts_of,
)
from sparse_coverage.search.ranking import Allowed
from sparse_coverage.search.results import (
    ExplainedHits,
    Explanation,
    Hit,
    PassageHit,
    QueryCost,
    Reason,
    Reasons,
    WordReason,
)
from sparse_coverage.search.stored import require_document
from sparse_coverage.text import index_terms
from sparse_coverage.vectors import SparseVector

R = TypeVar("R", Reason, WordReason)
_AT_ONCE = 64  # queries that are ranked before the next are encoded: each keeps all its spans
_STAGES = ("encoding", "filtering", "feedback", "scoring", "selecting")


class _LastRanked(threading.local):
    """What a thread ranked last: the query and all else that was asked, and the ranking, which explains its hits."""

    last: tuple[tuple[object, ...], Ranked] | None = None


class CombinedRanker:
    """Ranks the passages and documents of one state of an index by some of its parts, and explains what it finds."""

    def __init__(self, explanations: Explanations) -> None:
        self.explanations = explanations
        self._local = _LastRanked()
        self._ranker = explanations.ranker

    def forget(self) -> None:
        """Let go of what this thread ranked last: a score for each passage and part."""
        self._local.last = None

    @property
    def store(self) -> IndexStore:
        """The state of the index that is ranked."""
        return self._ranker.store

    @cached_property
    def words(self) -> WordScores:
        """What scores words; an error where the index keeps none."""
        return WordScores(self.store)

    @cached_property
    def vectors(self) -> VectorScores:
        """What scores vectors of whole passages; an error where the index keeps none."""
        return VectorScores(self.store)

    def rank(
        self,
        query: str,
        names: Sequence[str],
        condition: Filter | None,
        marks: Marks | None,
        aggregation: Aggregation | None = None,
        k: int = DEPTH,
    ) -> Ranked:
        """Rank the documents of one query by the parts of these names. One part alone ranks at least its best `k`."""
        asked, last = (query, tuple(names), condition, marks, aggregation, max(k, DEPTH)), self._local.last
        if last is None or last[0] != asked:
            _require_centers(names, marks)
            explanations, seconds = self.explanations, dict[str, float]()
            with _timed(seconds, "encoding"):
                traced = explanations.traced(query)
            with _timed(seconds, "filtering"):
                allowed = self._ranker.allowed(condition)
            with _timed(seconds, "feedback"):
                enriched = explanations.enriched(query, marks) if "centers" in names else None
            ranked = self._ranked(
                traced, enriched, names, allowed, aggregation, asked[-1], self._ranker.shares, seconds
            )
            self._local.last = last = (asked, ranked)
        return last[1]

    def search_several(
        self,
        queries: list[str],
        names: Sequence[str],
        condition: Filter | None,
        marks: Marks | None,
        aggregation: Aggregation | None,
        k: int,
        passages: int,
    ) -> list[list[Hit]]:
        """Return the hits of several queries, which are encoded at once; each core takes its own."""
        allowed = self._ranker.allowed(condition)
        _require_centers(names, marks)

        def one(traced: TracedQuery) -> list[Hit]:
            enriched = self.explanations.enrich(traced.vector, marks) if "centers" in names else None
            ranked = self._ranked(traced, enriched, names, allowed, aggregation, max(k, DEPTH), 1, {})
            return self.hits(ranked, k, passages).hits

        every, found = trace_queries(self.explanations.model, queries), []
        while block := list(islice(every, _AT_ONCE)):
            found += self._ranker.in_parallel(one, block)
        return found

    def _ranked(
        self,
        query: TracedQuery,
        enriched: Enriched | None,
        names: Sequence[str],
        allowed: Allowed | None,
        aggregation: Aggregation | None,
        depth: int,
        threads: int,
        seconds: dict[str, float],
    ) -> Ranked:
        ranker, parts = self._ranker, []
        alone = len(names) == 1
        over = partial(ranker.over_segments, threads=threads)
        for name in names:
            with _timed(seconds, "scoring"):
                if name == "words":
                    scores = self.words.scores(query.text, allowed, over)
                elif name == "vectors":
                    scores = self.vectors.scores(query.chunks, allowed, over)
                else:
                    assert enriched is not None
                    scores = ranker.passage_scores(enriched.vector, allowed, threads)
            with _timed(seconds, "selecting"):
                numbers, best = ranker.best_documents(scores, allowed, depth if alone else DEPTH, aggregation)
            parts.append(PartScores(name, scores, numbers, best, alone))
        starts = ranker.store.document_starts
        totals = np.zeros(len(starts) - 1)
        for part in parts:
            totals[part.documents] += part.scaled(part.document_scores)
        found, shares = np.unique(np.concatenate([part.documents for part in parts])), None
        if "words" in names and not alone and not ranker.store.state.complete:
            shares = np.where(ranker.store.encoded_passages, 1.0, len(names))
            totals[found] *= shares[starts[found]]
        order = np.lexsort((found, -totals[found]))
        vector = None if enriched is None else enriched.vector
        return Ranked(
            query.text, vector, found[order], totals[found[order]], tuple(parts), allowed, starts, shares, seconds
        )

    def _cost(self, ranked: Ranked, reading: float) -> QueryCost:
        """Return what a ranking cost, and the reading of its texts."""
        centers, stop_centers, postings, names = 0, 0, 0, [part.name for part in ranked.parts]
        if ranked.vector is not None:
            centers, stop_centers, postings = self._ranker.lists_read(ranked.vector)
        if "words" in names:
            postings += self.words.cost(ranked.query)
        stages = {stage: ranked.seconds.get(stage, 0.0) for stage in _STAGES} | {"reading": reading}
        vectors = self.store.state.encoded_passages if "vectors" in names else 0
        return QueryCost(centers, stop_centers, postings, **stages, total=sum(stages.values()), vectors=vectors)

    def closeness(
        self, query: str, documents: Sequence[str], names: Sequence[str], condition: Filter | None, marks: Marks | None
    ) -> dict[str, Closeness]:
        """Say how close documents are, by id; nothing for an encoder that no scale was measured for, or without words or vectors."""
        model, needed = self.explanations.model, ("words", "vectors")
        scale = SCALES.get(model.vocabulary.config.encoder if model.vectors is None else model.vectors.name)
        if scale is None or not set(needed) <= set(parts_of("combined", self.store.state)):
            return {}
        ranked_already = set(needed) <= set(names)
        asked = (names, condition, marks) if ranked_already else (needed, condition, None)
        found = self.figures(query, documents, self.rank(query, *asked))
        return {id_: scale.level(*one) for id_, one in found.items()}

    def figures(self, query: str, documents: Sequence[str], ranked: Ranked) -> dict[str, tuple[float, float]]:
        """Return how like documents are to a query, in a ranking by words and vectors: the cosine, and the share of its words."""
        parts = {part.name: part.scores for part in ranked.parts}
        worth = self.words.worths(index_terms(query)) + FEW_WORDS
        found = {}
        for id_ in documents:
            number = require_document(self.store, id_)
            cosine, words = (
                self._ranker.document_score(parts[name], number, ranked.allowed) for name in ("vectors", "words")
            )
            found[id_] = cosine, words / worth
        return found

    def hits(self, ranked: Ranked, k: int, passages: int) -> ExplainedHits:
        """Return the k best documents, each with its best passages, and what each part added."""
        hits, parts, begun = [], {}, perf_counter()
        for number, score in zip(ranked.documents[:k].tolist(), ranked.scores[:k].tolist(), strict=True):
            record = self.store.document(number)
            own = np.asarray(self.store.passages_of(number), dtype=np.int64)
            own = own[ranked.found(own)]
            values = ranked.values(own)
            order = np.lexsort((own, -values))[:passages]
            best = self._ranker.passage_hits(own[order], values[order].astype(np.float32))
            hits.append(Hit(record.id, record.title, score, record.metadata, tuple(best)))
            parts[record.id] = ranked.part_scores(number)
        found = {id_: own for id_, own in parts.items() if own}
        return ExplainedHits(hits, parts=found, cost=self._cost(ranked, perf_counter() - begun))

    def passages(self, ranked: Ranked, k: int | None, documents: int | None = None) -> list[PassageHit]:
        """Return the k best passages with a score: of all, or of the best `documents`; without k, all of these documents."""
        if documents is not None:
            own = [np.asarray(self.store.passages_of(number)) for number in ranked.documents[:documents].tolist()]
            every = np.concatenate([np.zeros(0, np.int64), *own])
            every = every if ranked.allowed is None else every[ranked.allowed[every] > 0]
        else:
            every = np.arange(self.store.size) if ranked.allowed is None else np.flatnonzero(ranked.allowed)
        every = every if k is None else every[ranked.found(every)]
        values = ranked.values(every)
        if k is not None and k < len(every):  # sorting all of them would take longer than ranking
            enough = values >= np.partition(values, -k)[-k]
            every, values = every[enough], values[enough]
        order = np.lexsort((every, -values))[:k]
        return self._ranker.passage_hits(every[order], values[order].astype(np.float32))

    def best_by_centers(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        """Return the k best passages of each query by centers alone: their lists are read once and no other score is kept."""
        ranker, allowed = self._ranker, self._ranker.allowed(condition)

        def one(vector: SparseVector, threads: int = 1) -> list[PassageHit]:
            ranking = ranker.rank_passages(vector, k, allowed, threads)
            return ranker.passage_hits(ranking.numbers, ranking.scores)

        if len(queries) == 1:
            return [one(self.explanations.traced(queries[0]).vector, ranker.shares)]
        return ranker.in_parallel(one, self.explanations.model.encode_query(queries))

    def explain(
        self, query: str, id_: str, names: Sequence[str], condition: Filter | None, marks: Marks | None
    ) -> Explanation:
        """Explain the score of a passage, or that of the best passage of a document or paragraph."""
        if tuple(names) == ("centers",):
            return self.explanations.explain(query, id_, marks)
        ranked, store = self.rank(query, names, condition, marks), self.store
        passages = np.asarray(self.explanations.passages_of(id_), np.int64)
        values = ranked.values(passages)
        place = int(np.lexsort((passages, -values))[0])
        passage, record = int(passages[place]), store.passage(int(passages[place]))
        hit = PassageHit.of(record, float(values[place]))
        parts = ranked.part_scores(require_document(store, record.document))
        if "centers" not in names:
            return Explanation(query, hit, (), (), reasons=self._joined(query, passage, ranked, Reasons()), parts=parts)
        centers = self.explanations.explain(query, record.id, marks)
        reasons = self._joined(query, passage, ranked, centers.reasons)
        return replace(centers, passage=hit, reasons=reasons, parts=parts)

    def best_of(self, query: str, document: int, names: Sequence[str], count: int) -> dict[str, Explanation]:
        """Explain the paragraphs of a document that score best, by their ids; one that was cut, by its best piece."""
        if tuple(names) == ("centers",):
            return self.explanations.best_of(query, document, count)
        ranked, store = self.rank(query, names, None, None), self.store
        passages = np.asarray(store.passages_of(document), np.int64)
        values = dict(zip(passages.tolist(), ranked.values(passages).tolist(), strict=True))
        best = best_paragraphs(store, document, values, count)
        return {id_: self.explain(query, store.passage(number).id, names, None, None) for id_, number in best.items()}

    def reasons(
        self, query: str, ids: Sequence[str], names: Sequence[str], condition: Filter | None, marks: Marks | None
    ) -> dict[str, Reasons]:
        """Return the reasons of passages, by id, without the matches behind them."""
        if tuple(names) == ("centers",):
            return self.explanations.reasons(query, ids, marks)
        ranked = self.rank(query, names, condition, marks)
        centers = self.explanations.reasons(query, ids, marks) if "centers" in names else {}
        numbers = {id_: self.explanations.passages_of(id_)[0] for id_ in ids}
        return {
            id_: self._joined(query, number, ranked, centers.get(id_, Reasons())) for id_, number in numbers.items()
        }

    def _joined(self, query: str, passage: int, ranked: Ranked, centers: Reasons) -> Reasons:
        """Return the reasons of a passage's score: those of each part, so scaled that they sum up to what the part adds."""
        found = Reasons()
        for part in ranked.parts:
            adds = float(part.scaled(part.scores[passage : passage + 1])[0]) * ranked.share(passage)
            if not adds:
                continue
            if part.name == "vectors":
                found = replace(found, whole=adds)
            elif part.name == "words":
                own = self.words.reasons(query, passage, self.store.passage(passage).text)
                factor = adds / (sum(one.contribution for one in own) or 1.0)
                found = replace(found, words=_times(own, factor))
            else:
                factor = adds / (centers.total or 1.0)
                similarity, feedback = factor * centers.similarity, factor * centers.feedback
                found = replace(
                    found, phrases=_times(centers.phrases, factor), similarity=similarity, feedback=feedback
                )
        return found


def _times(reasons: Sequence[R], factor: float) -> tuple[R, ...]:
    return tuple(replace(one, contribution=factor * one.contribution) for one in reasons)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Add the time that something takes to a stage."""
    begun = perf_counter()
    yield
    seconds[stage] = seconds.get(stage, 0.0) + perf_counter() - begun


def _require_centers(names: Sequence[str], marks: Marks | None) -> None:
    if marks and "centers" not in names:
        raise InputError(
            f"Marks of relevant and other documents change what centers find, and the ranking is by {names[0]} alone. Rank by "
            "combined or centers, or leave the marks out."
        )
