"""A worker's share of a traversal: some rows of the sample, what each of them knows, and which come next among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels.threads import Workers
from sparse_coverage.vocabulary.points import Points
from sparse_coverage.vocabulary.selection.farthest_first import PIECE, POOL, Walk

Rows = npt.NDArray[np.int64]
Distances = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PointsFile:
    """Where the points of a sample lie: float16 rows in a file that all nodes see."""

    path: str
    total: int
    dimension: int

    def rows(self, first: int = 0, last: int | None = None) -> Points:
        """Map some rows, or all."""
        matrix = np.memmap(self.path, dtype=np.float16, mode="r", shape=(self.total, self.dimension))
        return Points(matrix[first:last])


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The farthest points of a share, in row order, with their exact distances to the nearest of all centers so far.

    Every other point of the share comes after (`theta`, `tie_row`): it is nearer than theta, or as far and in a row of at
    least `tie_row`.
    """

    rows: Rows
    distances: Distances
    theta: float
    tie_row: int


class Share:
    """Rows `first` to `last` of a sample. Lives in a process of its own; the centers it has met are its whole history."""

    def __init__(self, points: PointsFile, first: int, last: int, count: int, threads: int) -> None:
        self._all = points.rows()
        self._first, self._last = first, last
        self._workers = Workers(threads)
        self._walk = Walk(points.rows(first, last), count, 0, self._workers, None, None)

    def meet(self, number: int, rows: Rows) -> Candidates:
        """Take note of the centers from that number on, given by their rows, and say which points come next here."""
        if number == 0:
            self._take(rows[:1])
            total = self._last - self._first
            pieces = [np.arange(top, min(top + PIECE, total)) for top in range(0, total, PIECE)]
            self._workers.each(self._walk._meet_first, pieces)
            self._retire(rows[:1])
            rows = rows[1:]
        self._take(rows)
        self._retire(rows)
        return self._candidates()

    def _take(self, rows: Rows) -> None:
        if len(rows):
            first = self._walk.standing.count
            self._walk.centers.append(self._all.rows(rows))
            self._walk._note(rows, np.zeros(len(rows), dtype=np.float32))
            self._walk._enter(first)

    def _retire(self, rows: Rows) -> None:
        """A center is no candidate any more."""
        own = rows[(rows >= self._first) & (rows < self._last)] - self._first
        self._walk.standing.bound[own] = -np.inf

    def _candidates(self) -> Candidates:
        """Bring the points of largest bound up to date until enough of them stay above the threshold, or none is left."""
        walk = self._walk
        walk.frontier.give_back(walk.pool)  # their distances may have fallen: they are taken again if still far
        walk.pool = np.empty(0, dtype=np.int64)
        while True:
            numbers = walk.frontier.take(walk.pool)
            numbers = numbers[np.argsort(walk.standing.owner[numbers], kind="stable")]
            self._workers.each(walk._refresh, [numbers[top : top + PIECE] for top in range(0, len(numbers), PIECE)])
            above = walk._above(numbers)
            walk.frontier.give_back(numbers[~above])
            walk.pool = np.concatenate([walk.pool, numbers[above]])
            if len(walk.pool) >= POOL or walk.frontier.exhausted:
                break
        walk.pool = np.sort(walk.pool)
        distances = walk.standing.bound[walk.pool]
        return Candidates(
            walk.pool + self._first, distances, float(walk.frontier.theta), int(walk.frontier.tie_row) + self._first
        )
