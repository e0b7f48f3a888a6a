"""The points to bring up to date next: those of largest bound, a block at a time, without looking at all points each time."""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import Floats, Int64s

SMALLEST_BLOCK, LARGEST_BLOCK = 2048, 65_536
BLOCKS_AHEAD = 8


class Frontier:
    """Orders the points outside the pool by (largest bound, lowest row) and hands out the first of them.

    After `take`, every point outside comes after (`theta`, `tie_row`): its bound is below theta, or equal to it with a row
    of at least `tie_row`.
    """

    def __init__(self, bound: Floats, block: int | None = None) -> None:
        self._bound = bound
        self._block = block or min(max(len(bound) // 16, SMALLEST_BLOCK), LARGEST_BLOCK)
        self._near: Int64s = np.empty(0, dtype=np.int64)
        self._floor = np.float32(np.inf)
        self.theta = np.float32(np.inf)
        self.tie_row = len(bound)
        self.exhausted = False

    def take(self, pool: Int64s) -> Int64s:
        """Return the next block and lower the threshold to the point that follows it."""
        self._near = self._near[self._bound[self._near] >= self._floor]
        if len(self._near) == 0:
            self._look_at_all(pool)
        bounds = self._bound[self._near]
        if len(self._near) <= self._block:
            taken, self._near = self._near, np.empty(0, dtype=np.int64)
            self.theta, self.tie_row = self._floor, len(self._bound)
            self.exhausted = bool(self._floor == -np.inf)
            return taken
        place = len(bounds) - self._block
        self.theta = np.partition(bounds, place)[place]
        inside = bounds > self.theta
        ties = np.flatnonzero(bounds == self.theta)
        ties = ties[np.argsort(self._near[ties], kind="stable")]
        left = self._block - int(inside.sum())
        self.tie_row = int(self._near[ties[left]]) if left < len(ties) else len(self._bound)
        inside[ties[:left]] = True
        block: Int64s = self._near[inside]
        self._near = self._near[~inside]
        return block

    def give_back(self, numbers: Int64s) -> None:
        """Return points, with lower bounds, to the outside."""
        self._near = np.concatenate([self._near, numbers])

    def _look_at_all(self, pool: Int64s) -> None:
        """Find the points near the top among all points; the rest is below the floor."""
        outside = self._bound.copy()
        outside[pool] = -np.inf
        place = len(outside) - BLOCKS_AHEAD * self._block
        self._floor = np.partition(outside, place)[place] if place > 0 else np.float32(-np.inf)
        self._near = np.flatnonzero((outside >= self._floor) & (outside > -np.inf))
