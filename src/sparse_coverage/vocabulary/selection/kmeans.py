"""Density-minded centers: exact k-means++ seeding, and spherical k-means on mini-batches."""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s
from sparse_coverage.kernels.dense import canonical_distance, meet
from sparse_coverage.kernels.threads import Workers
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.points import Points, Reader, check_enough, too_few
from sparse_coverage.vocabulary.quantised import BLOCK, Centers, quantise

DRAWS = 4096
STEPS = 10
BATCH_PER_CENTER = 10


def seed_by_distance(points: Points, count: int, *, seed: int = 0, threads: int | None = None) -> Int64s:
    """Draw `count` distinct rows, each with a chance proportional to its distance from the rows before (k-means++).

    Distances are brought up to date only now and then. In between a row drawn with its old distance is accepted with the
    chance new / old, which gives exactly the distribution of the new distances.
    """
    check_enough(points, count)
    random = np.random.default_rng([seed, 4])
    centers = Centers(count, points.dimension)
    chosen: list[int] = []
    nearest = np.zeros(len(points), dtype=np.int32)
    distances = np.full(len(points), np.inf, dtype=np.float32)
    met = 0
    with Workers(threads) as workers, progress_bar("Drawing centers", count) as advance:
        _add(points, centers, chosen, int(random.integers(len(points))))
        while len(chosen) < count:
            _update(points, centers, nearest, distances, met, workers)
            met = centers.count
            weights = np.maximum(distances.astype(np.float64), 0.0)
            weights[distances <= 1e-6] = 0.0
            cumulated = np.cumsum(weights)
            if cumulated[-1] <= 0.0:
                raise too_few(count, len(points), len(chosen))
            drawn = np.searchsorted(cumulated, random.random(DRAWS) * cumulated[-1], side="right")
            accepted = _accept(points, centers, chosen, drawn, weights, random.random(DRAWS), met, count)
            advance(accepted)
    return np.array(chosen, dtype=np.int64)


def _accept(
    points: Points,
    centers: Centers,
    chosen: list[int],
    drawn: Int64s,
    weights: Doubles,
    chances: Doubles,
    met: int,
    count: int,
) -> int:
    """Go through the draws until half of the last hundred were refused; return how many were accepted."""
    before, refused = len(chosen), 0
    for tried, (row, chance) in enumerate(zip(drawn.tolist(), chances.tolist(), strict=True)):
        if len(chosen) == count or (tried >= 100 and refused > tried // 2):
            break
        vector = points.rows(np.array([row]))
        now = np.full(1, weights[row], dtype=np.float32)
        meet(
            vector, quantise(vector), np.zeros(1, np.int32), now, centers.rows, centers.panels, met, centers.count, centers.margin
        )  # fmt: skip
        if now[0] > 1e-6 and chance * weights[row] < now[0]:
            _add(points, centers, chosen, row)
        else:
            refused += 1
    return len(chosen) - before


def _add(points: Points, centers: Centers, chosen: list[int], row: int) -> None:
    centers.append(points.rows(np.array([row])))
    chosen.append(row)


def _update(points: Points, centers: Centers, nearest: Int32s, distances: Floats, met: int, workers: Workers) -> None:
    """Bring the distances of all points up to date with the centers they have not met."""
    reader = Reader(points, BLOCK)

    def work(top: int) -> None:
        part = slice(top, min(top + BLOCK, len(points)))
        rows, quantised = reader.read(np.arange(part.start, part.stop))
        meet(
            rows,
            quantised,
            nearest[part],
            distances[part],
            centers.rows,
            centers.panels,
            met,
            centers.count,
            centers.margin,
        )

    workers.each(work, range(0, len(points), BLOCK))


def refine(
    points: Points, rows: Int64s, *, seed: int = 0, threads: int | None = None, steps: int = STEPS
) -> tuple[Floats, Int64s]:
    """Move the centers to the directions of their cells' means, batch by batch; return them and their anchors' rows.

    Each batch weighs as much as the points a center has met so far. A center that nothing comes near stays where it is.
    """
    random = np.random.default_rng([seed, 5])
    centers = points.rows(rows).astype(np.float64)
    weights = np.ones(len(rows))
    anchors = rows.copy()
    with progress_bar("Moving centers", steps) as advance:
        for _ in range(steps):
            size = min(len(points), BATCH_PER_CENTER * len(rows))
            batch = np.sort(random.choice(len(points), size, replace=False))
            vectors = points.rows(batch)
            current = _unit(centers)
            found = nearest_centers(vectors, current, threads=threads, quiet=True)[len(rows)]
            order = np.argsort(found.nearest, kind="stable")
            cells, firsts, counts = np.unique(found.nearest[order], return_index=True, return_counts=True)
            sums = np.add.reduceat(vectors[order].astype(np.float64), firsts, axis=0)
            centers[cells] = (current[cells] * weights[cells, None] + sums) / (weights[cells] + counts)[:, None]
            weights[cells] += counts
            advance()
    final = _unit(centers)
    found = nearest_centers(vectors, final, threads=threads, quiet=True)[len(rows)]
    best = np.array([canonical_distance(points.rows(anchors[i : i + 1])[0], final[i]) for i in range(len(rows))])
    for place in np.lexsort((batch, found.distances)):
        cell = found.nearest[place]
        if found.distances[place] < best[cell]:
            anchors[cell], best[cell] = batch[place], found.distances[place]
    return final, anchors


def _unit(vectors: Doubles) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = (vectors / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)
    return unit
