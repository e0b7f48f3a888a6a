"""The radius of each center: a percentile of the distances of the spans whose nearest center it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.progress import progress_bar

FLOOR = np.float32(1e-6)
ROWS = 2048
COLUMNS = 8192

Matrix = npt.NDArray[np.float32]


def nearest_centers(points: Matrix, centers: Matrix) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return each point's nearest center (ties: the lowest) and its cosine distance, in blocks both ways."""
    nearest = np.zeros(len(points), dtype=np.int32)
    similarity = np.full(len(points), -np.inf, dtype=np.float32)
    with progress_bar("Assigning spans", len(points)) as advance:
        for top in range(0, len(points), ROWS):
            rows = slice(top, top + ROWS)
            for left in range(0, len(centers), COLUMNS):
                block = points[rows] @ centers[left : left + COLUMNS].T
                best = block.argmax(axis=1)
                value = block[np.arange(len(block)), best]
                better = value > similarity[rows]
                nearest[rows] = np.where(better, best + left, nearest[rows])
                similarity[rows] = np.where(better, value, similarity[rows])
            advance(len(points[rows]))
    return nearest, np.maximum(np.float32(1) - similarity, np.float32(0))


def cell_radii(
    nearest: npt.NDArray[np.int32], distances: npt.NDArray[np.float32], size: int, tau: float
) -> npt.NDArray[np.float32]:
    """Return the tau-th percentile (exact, linear interpolation) of each cell's distances, never below FLOOR.

    >>> cell_radii(np.array([0, 0, 0, 1], np.int32), np.array([0.0, 0.1, 0.2, 0.0], np.float32), 3, 50.0).tolist()
    [0.10000000149011612, 9.999999974752427e-07, 9.999999974752427e-07]
    """
    order = np.lexsort((distances, nearest))
    ordered = distances[order].astype(np.float64)
    counts = np.bincount(nearest, minlength=size)
    firsts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    radii = np.zeros(size, dtype=np.float64)
    filled = counts > 0
    place = (counts[filled] - 1) * (tau / 100.0)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, counts[filled] - 1)
    below, above = ordered[firsts[filled] + low], ordered[firsts[filled] + high]
    radii[filled] = below + (above - below) * (place - low)
    floored: npt.NDArray[np.float32] = np.maximum(radii.astype(np.float32), FLOOR)
    return floored
