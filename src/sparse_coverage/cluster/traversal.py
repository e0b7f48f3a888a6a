"""Exact farthest-first traversal over points that are shared out to the workers of a cluster.

In each round every worker names its farthest points, up to date with all centers so far, and a threshold that no other of
its points reaches. The driver chooses among the named points, greedily and by the canonical distance, for as long as the
farthest reaches the highest of the thresholds: until then no unnamed point can be the farthest anywhere. So a round gives
many centers, and the sequence is that of one machine. Only row numbers and distances travel; vectors are read from the
shared folder. A worker that died is replaced by one that meets the centers chosen so far.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from sparse_coverage.cluster.connection import Cluster, ClusterError
from sparse_coverage.files import new_file
from sparse_coverage.kernels import Floats, Int64s, Workers
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.farthest_first import (
    SECONDS_BETWEEN_SAVES,
    Traversal,
    Walk,
    above,
    choose_among,
)
from sparse_coverage.vocabulary.points import Points, check_enough, too_few
from sparse_coverage.vocabulary.span_sample import SpanSample


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

    rows: Int64s
    distances: Floats
    theta: float
    tie_row: int


class Share:
    """Rows `first` to `last` of a sample, in their own process. Their state depends only on the centers seen so far."""

    def __init__(self, points: PointsFile, first: int, last: int, count: int, threads: int) -> None:
        self._all = points.rows()
        self._first, self._last = first, last
        self._walk = Walk(points.rows(first, last), count, Workers(threads))

    def meet(self, rows: Int64s) -> Candidates:
        """Take note of the next centers, given by their rows, and say which points come next here."""
        walk, own = self._walk, rows[(rows >= self._first) & (rows < self._last)]
        walk.meet_centers(self._all.rows(rows), own - self._first)
        walk.fill_pool()
        theta, tie_row = walk.frontier.theta, walk.frontier.tie_row
        return Candidates(
            walk.pool + self._first, walk.state.bound[walk.pool], float(theta), int(tie_row) + self._first
        )


SMALLEST_SHARE = 4096
"""Fewer points than this are not worth a worker of their own."""
MOST_LOSSES = 20
"""After so many deaths in a row, without a center chosen between them, something is wrong with the cluster."""


def traverse(cluster: Cluster, file: PointsFile, count: int, seed: int, checkpoint: Path) -> Traversal:
    """Choose `count` centers, as `farthest_first` does.

    The centers chosen so far are saved in the checkpoint now and then, and the traversal is taken up again from there.
    """
    points = file.rows()
    check_enough(points, count)
    chosen = _Chosen(count, seed)
    chosen.restore(checkpoint)
    if chosen.count < count:
        shares = _Shares(cluster, file, count)
        try:
            _walk(points, chosen, shares, checkpoint)
        finally:
            shares.end()
    return Traversal(chosen.rows, chosen.gaps)


class _Chosen:
    """The centers so far: their rows, and how far each was from those before it."""

    def __init__(self, size: int, seed: int) -> None:
        self.rows = np.empty(size, dtype=np.int64)
        self.gaps = np.empty(size, dtype=np.float32)
        self.count = 0
        self.seed = seed

    def add(self, rows: Int64s, gaps: Floats) -> None:
        """Add the next centers."""
        self.rows[self.count : self.count + len(rows)] = rows
        self.gaps[self.count : self.count + len(rows)] = gaps
        self.count += len(rows)

    def save(self, path: Path) -> None:
        """Replace the saved centers in one step."""
        rows, gaps = self.rows[: self.count], self.gaps[: self.count]
        with new_file(path) as partial:
            save_file({"seed": np.array([self.seed]), "rows": rows, "gaps": gaps}, partial)

    def restore(self, path: Path) -> None:
        """Take up saved centers of the same seed, as many as are wanted."""
        if path.exists():
            saved, wanted = load_file(path), len(self.rows)
            if int(saved["seed"][0]) == self.seed:
                self.add(saved["rows"][:wanted], saved["gaps"][:wanted])


def _walk(points: Points, chosen: _Chosen, shares: _Shares, checkpoint: Path) -> None:
    size = len(chosen.rows)
    met, saved = 0, time.monotonic()
    with progress_bar("Choosing centers", size) as advance:
        if not chosen.count:
            first = int(np.random.default_rng(chosen.seed).integers(len(points)))
            chosen.add(np.array([first]), np.array([np.inf], dtype=np.float32))
        advance(chosen.count)
        while chosen.count < size:
            found = shares.meet(chosen.rows[: chosen.count], met)
            met = chosen.count
            _choose(points, chosen, found)
            if chosen.count == met:
                raise too_few(size, len(points), met)
            advance(chosen.count - met)
            if chosen.count == size or time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                chosen.save(checkpoint)
                saved = time.monotonic()


def _choose(points: Points, chosen: _Chosen, found: list[Candidates]) -> None:
    """Choose among the candidates while the farthest reaches the threshold of every share."""
    theta = np.float32(max(one.theta for one in found))
    tie_row = min(one.tie_row for one in found if np.float32(one.theta) == theta)
    rows = np.concatenate([one.rows for one in found])
    distances = np.concatenate([one.distances for one in found])
    named = above(rows, distances, theta, tie_row)
    rows, distances = rows[named], distances[named]
    picked, gaps = choose_among(
        rows,
        distances,
        points.rows(rows),
        np.zeros(len(rows), dtype=np.int32),  # the shares find out themselves which center is nearest
        theta,
        tie_row,
        first=chosen.count,
        most=len(chosen.rows) - chosen.count,
    )
    chosen.add(rows[picked], gaps)


class _Shares:
    """The workers of a traversal, one for each run of rows."""

    def __init__(self, cluster: Cluster, file: PointsFile, count: int) -> None:
        self._cluster = cluster
        self._file = file
        self._count = count
        number = max(1, min(cluster.workers, file.total // SMALLEST_SHARE))
        self._bounds = [file.total * place // number for place in range(number + 1)]
        self._actors = [self._start(place) for place in range(number)]
        self._losses = 0

    def meet(self, rows: Int64s, met: int) -> list[Candidates]:
        """Tell every share the centers from number `met` on; return what each names."""
        asked = [actor.meet.remote(rows[met:]) for actor in self._actors]
        found = [self._answer(place, reference, rows) for place, reference in enumerate(asked)]
        self._losses = 0
        return found

    def end(self) -> None:
        """Let the workers go."""
        for actor in self._actors:
            self._cluster.ray.kill(actor)

    def _answer(self, place: int, reference: Any, rows: Int64s) -> Candidates:
        """Wait for an answer; from a worker that died, start another, tell it all centers, and take its answer."""
        while True:
            try:
                found: Candidates = self._cluster.ray.get(reference)
                return found
            except self._cluster.ray.exceptions.RayActorError:
                self._losses += 1
                if self._losses > MOST_LOSSES:
                    raise ClusterError(
                        f"Workers died {MOST_LOSSES} times in a row while choosing centers. Perhaps the nodes are short of "
                        "memory. With --work, the same command goes on from the last saved state."
                    ) from None
                self._actors[place] = self._start(place)
                reference = self._actors[place].meet.remote(rows)

    def _start(self, place: int) -> Any:
        # No cores are reserved: nothing else runs meanwhile, and after the loss of a node there may be none left over.
        kind = self._cluster.ray.remote(Share).options(num_cpus=0, scheduling_strategy="SPREAD")
        first, last = self._bounds[place : place + 2]
        return kind.remote(self._file, first, last, self._count, self._cluster.threads)
