"""A worker's share of a traversal: some rows of the sample, what each of them knows, and which come next among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparse_coverage.kernels.threads import Workers
from sparse_coverage.vocabulary.points import Points
from sparse_coverage.vocabulary.sampling.sample import SpanSample
from sparse_coverage.vocabulary.selection.farthest_first import Distances, Rows, Walk


@dataclass(frozen=True, slots=True)
class PointsFile:
    """Where the points of a sample lie: float16 rows in a file that all nodes see."""

    path: str
    total: int
    dimension: int

    @classmethod
    def of(cls, sample: SpanSample) -> PointsFile:
        """Return where the points of a sample lie."""
        return cls(str(sample.path), len(sample), sample.points.dimension)

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
        self._walk = Walk(points.rows(first, last), count, Workers(threads))

    def meet(self, rows: Rows) -> Candidates:
        """Take note of the next centers, given by their rows, and say which points come next here."""
        walk, own = self._walk, rows[(rows >= self._first) & (rows < self._last)]
        walk.meet_centers(self._all.rows(rows), own - self._first)
        walk.fill_pool()
        theta, tie_row = walk.frontier.theta, walk.frontier.tie_row
        return Candidates(
            walk.pool + self._first, walk.state.bound[walk.pool], float(theta), int(tie_row) + self._first
        )
