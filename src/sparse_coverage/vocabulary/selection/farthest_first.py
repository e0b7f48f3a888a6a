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
import numpy.typing as npt

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.kernels.threads import Workers
from sparse_coverage.kernels.traversal import choose, meet_followers, meet_unseen
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.on_gpu import ROWS, CentersOnGpu, find_gpu
from sparse_coverage.vocabulary.points import Points, Reader, as_points
from sparse_coverage.vocabulary.quantised import SHORTEST, Centers, quantise
from sparse_coverage.vocabulary.selection.distinct import check_enough, too_few
from sparse_coverage.vocabulary.selection.followers import Followers, leaders_of
from sparse_coverage.vocabulary.selection.frontier import Frontier
from sparse_coverage.vocabulary.selection.traversal_state import TraversalState

__all__ = ["SAME_POINT", "Traversal", "canonical_distance", "farthest_first"]

SAME_POINT = np.float32(1e-6)
"""Points closer than this count as one: below it a distance is rounding."""
PIECE = 512
POOL = 256
"""How many up-to-date points are wanted before choosing among them."""
SECONDS_BETWEEN_SAVES = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Traversal:
    """The rows chosen as centers, in order, and how far each was from the centers before it (infinity for the first)."""

    rows: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float32]


def farthest_first(
    points: Points | npt.NDArray[np.float32],
    count: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    block: int | None = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> Traversal:
    """Choose `count` rows of normalised points. The first is drawn with the seed; ties go to the lowest row.

    Where there are not enough distinct points, the error says how many: at once where rows are equal, at the end of the
    walk where they only lie closer than SAME_POINT. `block` is how many points are brought up to date at a time. With a
    `checkpoint` file, the state is saved there every half minute and at the end, and taken up again from there: after an
    interruption, or to choose more centers. Products are screened on the torch `device`; without one, on a GPU where torch
    has one and there is enough work for it, otherwise by compiled kernels. The result is the same.
    """
    points = as_points(points)
    if count < 1:
        raise VocabularyError(f"A vocabulary needs at least one center, not {count}.")
    if len(points) == 0:
        raise VocabularyError("There are no spans to choose centers from: the texts are empty.")
    check_enough(points, count)
    with Workers(threads) as workers:
        walk = Walk(points, count, seed, workers, block, device or find_gpu(len(points), count))
        if checkpoint is not None:
            walk.resume(checkpoint)
        with progress_bar("Choosing centers", count) as advance:
            walk.run(advance, checkpoint)
    return Traversal(walk.standing.picked.copy(), walk.standing.gaps.copy())


class Walk:
    """One traversal under way."""

    def __init__(
        self, points: Points, count: int, seed: int, workers: Workers, block: int | None, device: str | None = None
    ) -> None:
        self.points = points
        self.reader = Reader(points, PIECE, SHORTEST)
        self.count = count
        self.seed = seed
        self.fingerprint = points.fingerprint()
        self.first = int(np.random.default_rng(seed).integers(len(points)))
        self.workers = workers
        self.standing = TraversalState.fresh(len(points), count)
        self.centers = Centers(count, points.dimension)
        self.followers = Followers(count)
        self.gpu = CentersOnGpu(self.centers, device) if device is not None else None
        self.frontier = Frontier(self.standing.bound, block)
        self.pool = np.empty(0, dtype=np.int64)

    def resume(self, checkpoint: Path) -> None:
        """Take up the state that an interrupted run left, if it left one of the same traversal."""
        self.standing.restore(checkpoint, self.seed, self.fingerprint)
        done = self.standing.count
        if done:
            self.centers.append(self.points.rows(self.standing.picked[:done]))
            self._enter(0)

    def run(self, advance: Callable[[int], None], checkpoint: Path | None) -> None:
        """Choose centers until there are enough."""
        saved, found = time.monotonic(), self.standing.count
        if not found:
            self._start()
        advance(self.standing.count)
        while self.standing.count < self.count:
            before = self.standing.count
            self._fill_pool()
            self._choose()
            advance(self.standing.count - before)
            if checkpoint is not None and time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                self.standing.save(checkpoint, self.seed, self.fingerprint)
                saved = time.monotonic()
        if checkpoint is not None and self.standing.count > found:
            self.standing.save(checkpoint, self.seed, self.fingerprint)  # a shorter run keeps what a longer one left

    def _start(self) -> None:
        """Draw the first center and measure every point against it."""
        total, row = len(self.points), self.first
        vector, quantised = self.reader.read(np.array([row]))
        self.centers.extend_rows(vector, quantised[:1])
        self._note(np.array([row]), np.array([np.inf], dtype=np.float32))
        starts = range(0, total, PIECE)
        self.workers.each(lambda top: self._meet_first(np.arange(top, min(top + PIECE, total))), starts)
        self.standing.bound[row] = -np.inf

    def _fill_pool(self) -> None:
        """Bring the points of largest bound up to date until enough of them stay above the threshold."""
        bound = self.standing.bound
        while True:
            numbers = self.frontier.take(self.pool)
            if self.gpu is None:
                numbers = numbers[
                    np.argsort(self.standing.owner[numbers], kind="stable")
                ]  # neighbours share their lists
                pieces = [numbers[top : top + PIECE] for top in range(0, len(numbers), PIECE)]
                self.workers.each(self._refresh, pieces)
            else:
                self._refresh_on(self.gpu, numbers)
            above = self._above(numbers)
            self.frontier.give_back(numbers[~above])
            self.pool = np.concatenate([self.pool, numbers[above]])
            if int(self._above(self.pool).sum()) >= POOL or self.frontier.exhausted:
                break
        staying = self._above(self.pool)
        self.frontier.give_back(self.pool[~staying])
        self.pool = np.sort(self.pool[staying])
        if len(self.pool) == 0 or not bound[self.pool].max() > SAME_POINT:
            raise too_few(self.count, len(self.points), self.standing.count)

    def _above(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        bound = self.standing.bound[numbers]
        above: npt.NDArray[np.bool_] = (bound > self.frontier.theta) | (
            (bound == self.frontier.theta) & (numbers < self.frontier.tie_row)
        )
        return above

    def _choose(self) -> None:
        """Choose greedily in the pool, then tell the centers' neighbourhoods."""
        state, first = self.standing, self.standing.count
        rows = self.points.rows(self.pool)
        quantised = quantise(rows)
        distances = state.bound[self.pool]
        picked = np.empty(self.count - first, dtype=np.int64)
        gaps = np.empty(self.count - first, dtype=np.float32)
        winners = state.owner[self.pool]
        chosen = choose(
            self.pool,
            distances,
            rows,
            quantised,
            picked,
            gaps,
            winners,
            self.frontier.theta,
            self.frontier.tie_row,
            SAME_POINT,
            first,
            self.centers.margin,
        )
        picked = picked[:chosen]
        self.centers.extend_rows(rows[picked], quantised[picked])
        state.bound[self.pool] = distances
        state.owner[self.pool] = winners
        self._note(self.pool[picked], gaps[:chosen])
        state.seen[self.pool] = state.count
        state.checked[self.pool] = state.count
        self.pool = self.pool[distances > -np.inf]
        self._enter(first)

    def _note(self, numbers: npt.NDArray[np.int64], gaps: npt.NDArray[np.float32]) -> None:
        state = self.standing
        state.picked[state.count : state.count + len(numbers)] = numbers
        state.gaps[state.count : state.count + len(numbers)] = gaps
        state.count += len(numbers)

    def _enter(self, first: int) -> None:
        if self.gpu is not None:
            return  # it meets all centers at once and needs no lists
        last = self.standing.count
        spans = [(top, min(top + PIECE, last)) for top in range(first, last, PIECE)]
        found = self.workers.map(lambda span: leaders_of(self.centers, span[0], span[1]), spans)
        for (top, _), leaders in zip(spans, found, strict=True):
            self.followers.add(top, leaders)

    def _refresh(self, numbers: npt.NDArray[np.int64]) -> None:
        state, centers, followers = self.standing, self.centers, self.followers
        rows, quantised = self.reader.read(numbers)
        meet_followers(
            numbers,
            rows,
            quantised,
            state.bound,
            state.owner,
            state.seen,
            state.checked,
            centers.rows,
            centers.quantised,
            followers.heads,
            followers.nexts,
            followers.numbers,
            state.count,
            centers.margin,
        )
        left = np.flatnonzero(self._above(numbers))
        left = left[np.argsort(state.seen[numbers[left]], kind="stable")]
        self._meet(left, numbers, rows, quantised, self.frontier.theta, self.frontier.tie_row)

    def _refresh_on(self, gpu: CentersOnGpu, numbers: npt.NDArray[np.int64]) -> None:
        state = self.standing
        numbers = numbers[np.argsort(state.seen[numbers], kind="stable")]
        for top in range(0, len(numbers), ROWS):
            part = numbers[top : top + ROWS]
            bound, owner = state.bound[part], state.owner[part]
            gpu.meet(self.points.rows(part), owner, bound, int(state.seen[part].min()), state.count)
            state.bound[part], state.owner[part] = bound, owner
            state.seen[part] = state.checked[part] = state.count

    def _meet_first(self, numbers: npt.NDArray[np.int64]) -> None:
        rows, quantised = self.reader.read(numbers)
        self._meet(np.arange(len(numbers)), numbers, rows, quantised, np.float32(-np.inf), 0)

    def _meet(
        self,
        chosen: npt.NDArray[np.int64],
        numbers: npt.NDArray[np.int64],
        rows: npt.NDArray[np.float32],
        quantised: npt.NDArray[np.int16],
        theta: np.float32,
        tie_row: int,
    ) -> None:
        state, centers = self.standing, self.centers
        meet_unseen(
            chosen,
            numbers,
            rows,
            quantised,
            state.bound,
            state.owner,
            state.seen,
            state.checked,
            centers.rows,
            centers.panels,
            state.count,
            theta,
            tie_row,
            centers.margin,
        )
