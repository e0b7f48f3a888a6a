"""Running a query vector over the segments of an index: scores, then the best of them. Exact, on one thread or many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from sparse_coverage.aggregation import Aggregation, document_scores
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore, Segment, allowed_passages
from sparse_coverage.index.postings import EVERYTHING, Lists, PostingsScorer, take_buffer
from sparse_coverage.kernels import Bytes, Doubles, Floats, Int32s, Int64s, Mask, plain, usable_cores
from sparse_coverage.kernels.choosing import machine_code, use
from sparse_coverage.kernels.scoring import best_documents, weigh
from sparse_coverage.progress import waiting
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.scoring import ScoringConfig

__all__ = ["CenterStatistics", "ScoringConfig"]


@dataclass(frozen=True, slots=True, eq=False)
class CenterStatistics:
    """For each center its idf, what that is worth (idf^alpha, or 0), and whether it is a stop center, which is worth 0."""

    idf: Doubles
    worth: Doubles
    stop: Mask
    config: ScoringConfig

    @classmethod
    def compute(cls, frequencies: Int64s, passages: int, config: ScoringConfig) -> CenterStatistics:
        """Derive the statistics from document frequencies and the number of passages."""
        stop = np.zeros(len(frequencies), dtype=bool)
        # Largest frequency first, ties to the lowest center; Python's round is half to even, so round half up by hand.
        count = int(np.floor(config.rho * len(frequencies) + 0.5))
        stop[np.lexsort((np.arange(len(frequencies)), -frequencies))[:count]] = True
        idf = np.log((passages + 1) / (frequencies + 1)) + 1
        return cls(idf, np.where(stop, 0.0, idf**config.alpha), stop, config)

    def factors(self, centers: Int32s, weights: Floats) -> tuple[Int64s, Doubles]:
        """Return the query's centers that count, and w(q,c) * idf^alpha of each."""
        return (weigh if machine_code(0.0) else plain.weigh)(self.worth, centers, weights)

    def norms(self, segment: Segment) -> Floats:
        """Return what each passage's sum is multiplied by, or 0 for a deleted one."""
        return np.where(segment.live_passages, self.config.norms(segment.span_counts), 0).astype(np.float32)


Allowed = Bytes  # 1 for each passage that may be found, 0 for the others
T = TypeVar("T")
R = TypeVar("R")

# Below this many passages a query takes less time than waking a second thread pays for.
_WORTH_SHARING = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class RankedPassages:
    """Numbers of passages, best first, with their scores."""

    numbers: Int64s
    scores: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RankedDocument:
    """A document with the passages that count, best first (ties in corpus order)."""

    number: int
    score: float
    passages: Int64s
    passage_scores: Floats


class Ranker:
    """Ranks passages and documents for query vectors under one scoring."""

    def __init__(self, store: IndexStore, scoring: ScoringConfig, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise InputError(f"At least one thread is needed, not {threads}.")
        self.store = store
        self.threads = threads or usable_cores()
        self.statistics = CenterStatistics.compute(store.frequencies, store.state.encoded_passages, scoring)
        lists = [Lists(segment.postings.offsets, segment.packed, len(segment)) for segment in store.segments]
        norms = [np.zeros(0, np.float32), *(self.statistics.norms(segment) for segment in store.segments)]
        self._sweep = PostingsScorer(lists, self.statistics.worth, np.concatenate(norms))
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._buffers: list[Floats] = []
        self._lock = threading.Lock()

    @property
    def shares(self) -> int:
        """How many threads it pays to share one query out to."""
        return self.threads if self.store.size >= _WORTH_SHARING else 1

    def allowed(self, condition: Filter | None) -> Allowed | None:
        """Return which passages a filter lets through."""
        return None if condition is None else allowed_passages(self.store, condition)

    def rank_passages(
        self, vector: SparseVector, k: int, allowed: Allowed | None = None, threads: int = 1
    ) -> RankedPassages:
        """Return the k best passages with a positive score."""
        mask = EVERYTHING if allowed is None else allowed
        parts = self.over_segments(lambda segments: self._sweep.best(vector, mask, segments, k), threads)
        if len(parts) == 1:
            return RankedPassages(*parts[0])
        numbers, scores = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.lexsort((numbers, -scores))[:k]
        return RankedPassages(numbers[order], scores[order])

    def rank_documents(
        self,
        vector: SparseVector,
        k: int,
        allowed: Allowed | None = None,
        passages: int | None = None,
        threads: int = 1,
        aggregation: Aggregation | None = None,
    ) -> list[RankedDocument]:
        """Return the k best documents, each with its best `passages` that have a score, or with all it may be found by.

        `aggregation` makes a document's score; by default that of the scoring.
        """
        passage_scores = take_buffer(self._buffers, self.store.size)
        self._score(vector, allowed, passage_scores, threads)
        rule = aggregation or self.statistics.config.aggregation
        numbers, scores = self._best_documents(passage_scores, rule, allowed, k)
        documents = [
            self._ranked(number, score, passage_scores, allowed, passages)
            for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        ]
        self._buffers.append(passage_scores)
        return documents

    def passage_scores(self, vector: SparseVector, allowed: Allowed | None, threads: int) -> Floats:
        """Return the score of every passage, 0 for those that are deleted or not allowed."""
        scores = np.empty(self.store.size, dtype=np.float32)
        self._score(vector, allowed, scores, threads)
        return scores

    def best_documents(
        self, scores: Floats, allowed: Allowed | None, k: int, aggregation: Aggregation | None = None
    ) -> tuple[Int64s, Floats]:
        """Return the k best documents with a score by scores of their passages, which are 0 or above, and by the rule of the scoring."""
        numbers, best = self._best_documents(scores, aggregation or self.statistics.config.aggregation, allowed, k)
        return numbers[best > 0], best[best > 0]

    def document_score(self, scores: Floats, document: int, allowed: Allowed | None) -> float:
        """Return the score of one document by scores of its passages and the rule of the scoring."""
        own = self.store.passages_of(document)
        mine = scores[own.start : own.stop]
        mask = None if allowed is None else allowed[own.start : own.stop]
        rule = self.statistics.config.aggregation
        return float(document_scores(mine, np.zeros(1, np.int64), rule, mask)[0]) if len(mine) else 0.0

    def _best_documents(
        self, scores: Floats, aggregation: Aggregation, allowed: Allowed | None, k: int
    ) -> tuple[Int64s, Floats]:
        starts = self.store.document_starts
        if machine_code(len(scores) * 1e-7):
            mask = EVERYTHING if allowed is None else allowed
            return best_documents(scores, starts, aggregation.m, k, mask)
        return plain_documents(scores, starts, aggregation, allowed, k)

    def scores(self, vector: SparseVector) -> Floats:
        """Return the score of every passage, in corpus order, deleted ones with 0."""
        return self.passage_scores(vector, None, 1)

    def hits(self, found: Sequence[RankedDocument]) -> list[Hit]:
        """Return ranked documents as a user sees them."""
        hits = []
        for ranked in found:
            record = self.store.document(ranked.number)
            best = tuple(self.passage_hits(ranked.passages, ranked.passage_scores))
            hits.append(Hit(record.id, record.title, ranked.score, record.metadata, best))
        return hits

    def passage_hits(self, numbers: Int64s, scores: Floats) -> list[PassageHit]:
        """Return ranked passages as a user sees them."""
        scored = zip(numbers.tolist(), scores.tolist(), strict=True)
        return [PassageHit.of(self.store.passage(number), score) for number, score in scored]

    def lists_read(self, vector: SparseVector) -> tuple[int, int, int]:
        """Return how many centers of a query count, how many are stop centers, and the summed lengths of the lists."""
        centers, _ = self.statistics.factors(vector.centers, vector.weights)
        postings = sum(int(segment.postings.frequencies[centers].sum()) for segment in self.store.segments)
        return len(centers), len(vector) - len(centers), postings

    def in_parallel(self, function: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Apply a function to all items, on all threads."""
        if self.threads == 1 or len(items) == 1:
            return [function(item) for item in items]
        return list(self._threads().map(function, items))

    def warm_up(self) -> None:
        """Compile what searching needs, or load it from the cache, so that the first query does not wait for it."""
        one = np.zeros(1, np.int32)
        frequencies = np.where(self.statistics.worth > 0, self.store.frequencies, 0)
        rarest = np.argmin(np.where(frequencies > 0, frequencies, np.iinfo(np.int64).max))  # a short list, but not none
        vector = SparseVector(np.full(1, rarest, np.int32), np.ones(1, np.float32), one, one, one, 1, 0)
        use("machine")
        for segment in self.store.segments:
            segment.packed.use_large_pages()
        with waiting("Preparing the search; after an installation this compiles it"):
            self.rank_passages(vector, 1)
            self.rank_documents(vector, 1, np.ones(self.store.size, np.uint8), 1)
            for segment in self.store.segments[:1]:
                segment.load_passage_vector()  # for marks

    def _score(self, vector: SparseVector, allowed: Allowed | None, scores: Floats, threads: int) -> None:
        """Score every passage."""
        mask = EVERYTHING if allowed is None else allowed
        self.over_segments(lambda segments: self._sweep.score(vector, mask, segments, scores), threads)

    def over_segments(self, work: Callable[[range], R], threads: int) -> list[R]:
        """Do the work for all segments, an equal share of them on each thread, in order."""
        count = len(self.store.segments)
        threads = max(1, min(threads, count))
        if threads == 1:
            return [work(range(count))]
        ends = [count * (part + 1) // threads for part in range(threads)]
        first, *rest = [range(begin, end) for begin, end in pairwise([0, *ends])]
        others = [self._threads().submit(work, segments) for segments in rest]
        try:
            return [work(first), *(other.result() for other in others)]
        finally:
            wait(others)  # after a failure too, so that nothing is left running

    def _ranked(
        self, number: int, score: float, scores: Floats, allowed: Allowed | None, passages: int | None
    ) -> RankedDocument:
        numbers = np.asarray(self.store.passages_of(number), dtype=np.int64)
        if passages is None and allowed is not None:
            numbers = numbers[allowed[numbers] > 0]
        mine = scores[numbers]
        order = np.lexsort((numbers, -mine))
        if passages is not None:
            order = order[mine[order] > 0][:passages]
        return RankedDocument(number, score, numbers[order], mine[order])

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None or self._pool[0] != os.getpid():  # a forked process has no threads of its parent
                self._pool = os.getpid(), ThreadPoolExecutor(self.threads, thread_name_prefix="sparse-coverage")
            return self._pool[1]


def plain_documents(
    scores: Floats, starts: Int64s, aggregation: Aggregation, allowed: Allowed | None, k: int
) -> tuple[Int64s, Floats]:
    """Return the k best documents as `best_documents` does, without machine code."""
    made, some = np.zeros(len(starts) - 1, np.float32), np.flatnonzero(np.diff(starts))
    if len(some):
        made[some] = document_scores(scores, starts[some], aggregation, allowed)
    return plain.best_scores(made, k)
