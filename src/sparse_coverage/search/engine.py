"""Running a query vector over the segments of an index: scores, then the best of them. Exact, on one thread or many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate as accumulated
from itertools import pairwise
from time import perf_counter
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.index import IndexStore, weight_scale
from sparse_coverage.index.accumulate import accumulate
from sparse_coverage.index.selection import best_documents, best_scores, columns_of, normalise
from sparse_coverage.search.aggregation import Aggregation
from sparse_coverage.search.scoring import CenterStatistics, ScoringConfig
from sparse_coverage.vectors import SparseVector

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Allowed = Sequence[npt.NDArray[np.uint8]]
T = TypeVar("T")
R = TypeVar("R")

_EVERYTHING = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Work:
    """Seconds that a query took in the engine: adding lists up (over all threads), and finding the best."""

    scoring: float
    selecting: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Numbers of units, best first, with their scores."""

    numbers: Numbers
    scores: Floats
    work: Work


@dataclass(frozen=True, slots=True, eq=False)
class RankedDocument:
    """A document with the units that count, best first (ties in corpus order)."""

    number: int
    score: float
    units: Numbers
    unit_scores: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Workspace:
    """Room for the scores of all units and the maxima of their columns, segment after segment."""

    scores: Floats
    maxima: Floats


class Engine:
    """Ranks units and documents for query vectors under one scoring."""

    def __init__(self, store: IndexStore, scoring: ScoringConfig, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise InputError(f"At least one thread is needed, not {threads}.")
        self.store = store
        self.threads = threads or available_cores()
        self.statistics = CenterStatistics.compute(store.frequencies, store.state.units, scoring)
        self._norms = [self.statistics.norms(segment) for segment in store.segments]
        self._units = _ranges(len(segment) for segment in store.segments)
        self._columns = _ranges(columns_of(len(segment)) for segment in store.segments)
        starts = [segment.document_starts[:-1].astype(np.int64) + segment.first_unit for segment in store.segments]
        self._document_starts = np.concatenate([*starts, np.asarray([store.size], dtype=np.int64)])
        self._pool: ThreadPoolExecutor | None = None
        self._spare: list[_Workspace] = []
        self._lock = threading.Lock()

    def rank_units(self, vector: SparseVector, k: int, allowed: Allowed | None = None, threads: int = 1) -> Ranking:
        """Return the k best units with a positive score."""
        with self._workspace() as room:
            scoring = self._score(vector, allowed, room, threads)
            begun = perf_counter()
            sizes = [len(segment) for segment in self.store.segments]
            numbers, scores = best_scores(room.scores, room.maxima, sizes, k)
            return Ranking(numbers, scores, Work(scoring, perf_counter() - begun))

    def rank_documents(
        self,
        vector: SparseVector,
        k: int,
        aggregation: Aggregation,
        allowed: Allowed | None = None,
        passages: int | None = None,
        threads: int = 1,
    ) -> tuple[list[RankedDocument], Work]:
        """Return the k best documents, each with its best `passages` that have a score, or with all it may be found by."""
        with self._workspace() as room:
            scoring = self._score(vector, allowed, room, threads)
            begun = perf_counter()
            numbers, scores = best_documents(room.scores, self._document_starts, *aggregation.rule, k)
            documents = [
                self._ranked(number, score, room.scores, allowed, passages)
                for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
            ]
            return documents, Work(scoring, perf_counter() - begun)

    def scores(self, vector: SparseVector) -> Floats:
        """Return the score of every unit, in corpus order, deleted ones with 0."""
        with self._workspace() as room:
            self._score(vector, None, room, 1)
            return np.array(room.scores)

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

    def _score(self, vector: SparseVector, allowed: Allowed | None, room: _Workspace, threads: int) -> float:
        """Score every unit; return the seconds it took, added up over threads."""
        centers, exact = self.statistics.factors(vector.centers, vector.weights)
        factors = (exact / weight_scale(self.store.state.weight_bits)).astype(np.float32)

        def work_through(group: npt.NDArray[np.int64]) -> float:
            begun = perf_counter()
            for place in group.tolist():
                segment = self.store.segments[place]
                scores, maxima = room.scores[self._units[place]], room.maxima[self._columns[place]]
                mask = _EVERYTHING if allowed is None else allowed[place]
                if allowed is not None and not mask.any():
                    scores[:] = 0
                    maxima[:] = 0
                    continue
                accumulate(segment.postings.offsets, segment.packed, centers, factors, scores)
                normalise(scores, self._norms[place], mask, maxima)
            return perf_counter() - begun

        everything = np.arange(len(self.store.segments))
        groups = np.array_split(everything, min(threads, max(len(everything), 1)))
        others = [self._threads().submit(work_through, group) for group in groups[1:]]
        try:
            return work_through(groups[0]) + sum(other.result() for other in others)
        finally:
            wait(others)  # after a failure too: the room goes to the next query, and nobody may write into it then

    def _ranked(
        self, number: int, score: float, scores: Floats, allowed: Allowed | None, passages: int | None
    ) -> RankedDocument:
        units = np.asarray(self.store.units_of(number), dtype=np.int64)
        if passages is None and allowed is not None:
            segment = self.store.segment_of_document(number)
            units = units[allowed[self.store.segments.index(segment)][units - segment.first_unit] > 0]
        mine = scores[units]
        order = np.lexsort((units, -mine))
        if passages is not None:
            order = order[mine[order] > 0][:passages]
        return RankedDocument(number, score, units[order], mine[order])

    @contextmanager
    def _workspace(self) -> Iterator[_Workspace]:
        """Lend room for the scores of all units; it is used again, since fresh memory of that size costs time."""
        with self._lock:
            room = self._spare.pop() if self._spare else None
        if room is None:
            columns = self._columns[-1].stop if self._columns else 0
            room = _Workspace(np.empty(self.store.size, np.float32), np.empty(columns, np.float32))
        try:
            yield room
        finally:
            with self._lock:
                self._spare.append(room)

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="sparse-coverage")
            return self._pool


def _ranges(sizes: Iterable[int]) -> list[slice]:
    ends = list(accumulated(sizes, initial=0))
    return [slice(first, last) for first, last in pairwise(ends)]


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
