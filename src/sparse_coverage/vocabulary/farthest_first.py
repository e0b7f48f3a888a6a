"""Exact farthest-first traversal: each new center is the point farthest from all centers so far.

Distances to the chosen centers only fall, so a distance that is out of date is an upper bound. Only the points with the
largest bounds are brought up to date; those that stay above the threshold form a pool, small enough for the cache, in
which centers are chosen one after the other until its farthest point falls to the threshold. The canonical distance
decides every comparison, so the sequence is that of the plain algorithm, whatever the threads and sizes of blocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels import Floats, Int16s, Int64s, Mask, Workers
from sparse_coverage.kernels.traversal import choose, meet_followers, meet_unseen
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.points import (
    SHORTEST,
    Centers,
    PointReader,
    Points,
    as_points,
    check_enough,
    quantise,
    too_few,
)
from sparse_coverage.vocabulary.traversal_state import Followers, TraversalState, leaders_of

SAME_POINT = np.float32(1e-6)
"""Points closer than this count as one: below it a distance is rounding."""
PIECE = 512
POOL = 256
"""How many up-to-date points are wanted before choosing among them."""
SECONDS_BETWEEN_SAVES = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Traversal:
    """The rows chosen as centers, in order, and how far each was from the centers before it (infinity for the first)."""

    rows: Int64s
    distances: Floats


def farthest_first(
    points: Points | Floats,
    count: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    block: int | None = None,
    checkpoint: Path | None = None,
) -> Traversal:
    """Choose `count` rows of normalised points. The first is drawn with the seed; ties go to the lowest row.

    Where there are not enough distinct points, the error says how many: at once where rows are equal, at the end of the
    walk where they only lie closer than SAME_POINT. `block` is how many points are brought up to date at a time. With a
    `checkpoint` file, the state is saved there every half minute and at the end, and taken up again from there: after an
    interruption, or to choose more centers.
    """
    points = as_points(points)
    if count < 1:
        raise VocabularyError(f"A vocabulary needs at least one center, not {count}.")
    if len(points) == 0:
        raise VocabularyError("There are no spans to choose centers from: the texts are empty.")
    check_enough(points, count)
    with Workers(threads) as workers:
        walk = Walk(points, count, workers, seed=seed, block=block)
        if checkpoint is not None:
            walk.resume(checkpoint)
        with progress_bar("Choosing centers", count) as advance:
            walk.run(advance, checkpoint)
    return Traversal(walk.state.picked.copy(), walk.state.gaps.copy())


class Walk:
    """One traversal under way. `pool` holds the farthest points, in row order, `state.bound` their distances."""

    def __init__(
        self,
        points: Points,
        count: int,
        workers: Workers,
        *,
        seed: int = 0,
        block: int | None = None,
    ) -> None:
        self.points = points
        self.reader = PointReader(points, PIECE, SHORTEST)
        self.count = count
        self.seed = seed
        self.fingerprint = points.fingerprint()
        self.first = int(np.random.default_rng(seed).integers(len(points)))
        self.workers = workers
        self.state = TraversalState.fresh(len(points), count)
        self.centers = Centers(count, points.dimension)
        self.followers = Followers(count)
        self.frontier = Frontier(self.state.bound, block)
        self.pool = np.empty(0, dtype=np.int64)

    def resume(self, checkpoint: Path) -> None:
        """Take up the state that an interrupted run left, if it left one of the same traversal."""
        self.state.restore(checkpoint, self.seed, self.fingerprint)
        done = self.state.count
        if done:
            self.centers.append(self.points.rows(self.state.picked[:done]))
            self._enter(0)

    def run(self, advance: Callable[[int], None], checkpoint: Path | None) -> None:
        """Choose centers until there are enough."""
        saved, found = time.monotonic(), self.state.count
        if not found:
            self._start()
        advance(self.state.count)
        while self.state.count < self.count:
            before = self.state.count
            self._fill_pool()
            self._choose()
            advance(self.state.count - before)
            if checkpoint is not None and time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                self.state.save(checkpoint, self.seed, self.fingerprint)
                saved = time.monotonic()
        if checkpoint is not None and self.state.count > found:
            self.state.save(checkpoint, self.seed, self.fingerprint)  # a shorter run keeps what a longer one left

    def _fill_pool(self) -> None:
        """Bring the points of largest bound up to date until enough of them stay above the threshold, or none is left."""
        while True:
            numbers = self.frontier.take(self.pool)
            numbers = numbers[np.argsort(self.state.owner[numbers], kind="stable")]  # neighbours share their lists
            pieces = [numbers[top : top + PIECE] for top in range(0, len(numbers), PIECE)]
            self.workers.each(self._refresh, pieces)
            staying = self._above(numbers)
            self.frontier.give_back(numbers[~staying])
            self.pool = np.concatenate([self.pool, numbers[staying]])
            staying = self._above(self.pool)
            if int(staying.sum()) >= POOL or self.frontier.exhausted:
                break
        self.frontier.give_back(self.pool[~staying])
        self.pool = np.sort(self.pool[staying])

    def _start(self) -> None:
        """Draw the first center and measure every point against it."""
        row = np.array([self.first])
        self.state.picked[:1], self.state.gaps[:1] = row, np.inf
        vector, _ = self.reader.read(row)
        self._add(vector)
        self._meet_first()
        self.state.bound[row] = -np.inf

    def _above(self, numbers: Int64s) -> Mask:
        """Return which points come before the threshold: farther than theta, or as far and in a lower row."""
        distances, theta = self.state.bound[numbers], self.frontier.theta
        found: Mask = (distances > theta) | ((distances == theta) & (numbers < self.frontier.tie_row))
        return found

    def _choose(self) -> None:
        """Choose greedily in the pool, then tell the centers' neighbourhoods."""
        state, pool, first = self.state, self.pool, self.state.count
        vectors, distances, owners = self.points.rows(pool), state.bound[pool], state.owner[pool]
        picked, gaps = np.empty(self.count - first, np.int64), np.empty(self.count - first, np.float32)
        theta, tie_row, error = self.frontier.theta, self.frontier.tie_row, self.centers.margin
        found = choose(
            pool, distances, vectors, quantise(vectors), picked, gaps, owners, theta, tie_row, SAME_POINT, first, error
        )
        picked, gaps = picked[:found], gaps[:found]
        if not len(picked):
            raise too_few(self.count, len(self.points), first)
        last = first + len(picked)
        state.picked[first:last], state.gaps[first:last] = pool[picked], gaps
        state.bound[pool], state.owner[pool] = distances, owners
        self._add(vectors[picked])
        state.seen[pool] = state.checked[pool] = state.count
        self.pool = pool[distances > -np.inf]

    def _add(self, vectors: Floats) -> None:
        """Add centers, and enter them on the lists of those around them."""
        first = self.state.count
        self.centers.append(vectors)
        self.state.count += len(vectors)
        self._enter(first)

    def _enter(self, first: int) -> None:
        last = self.state.count
        spans = [(top, min(top + PIECE, last)) for top in range(first, last, PIECE)]
        found = self.workers.map(lambda span: leaders_of(self.centers, span[0], span[1]), spans)
        for (top, _), leaders in zip(spans, found, strict=True):
            self.followers.add(top, leaders)

    def _refresh(self, numbers: Int64s) -> None:
        state, centers, followers = self.state, self.centers, self.followers
        rows, quantised = self.reader.read(numbers)
        points = (numbers, rows, quantised, *state.of_points)
        heads, nexts, newer = followers.heads, followers.nexts, followers.numbers
        meet_followers(*points, centers.rows, centers.quantised, heads, nexts, newer, state.count, centers.margin)
        left = np.flatnonzero(self._above(numbers))
        left = left[np.argsort(state.seen[numbers[left]], kind="stable")]
        self._meet(left, numbers, rows, quantised, self.frontier.theta, self.frontier.tie_row)

    def _meet_first(self) -> None:
        """Measure every point against the first center."""
        total = len(self.points)
        pieces = [np.arange(top, min(top + PIECE, total)) for top in range(0, total, PIECE)]
        self.workers.each(self._meet_all, pieces)

    def _meet_all(self, numbers: Int64s) -> None:
        rows, quantised = self.reader.read(numbers)
        self._meet(np.arange(len(numbers)), numbers, rows, quantised, np.float32(-np.inf), 0)

    def _meet(
        self, chosen: Int64s, numbers: Int64s, rows: Floats, quantised: Int16s, theta: np.float32, tie_row: int
    ) -> None:
        points, centers = (chosen, numbers, rows, quantised, *self.state.of_points), self.centers
        meet_unseen(*points, centers.rows, centers.panels, self.state.count, theta, tie_row, centers.margin)


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
