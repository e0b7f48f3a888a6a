"""The radius of each center: a percentile of the distances of the spans whose nearest center it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int32s, Int64s

if TYPE_CHECKING:
    from sparse_coverage.vocabulary.nearest import Assignment

FLOOR = np.float32(1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of V centers: each one's radius and how many sampled spans it holds.

    `covered` is the share of the spans within the radius of their nearest center, `error` their mean distance to it (the
    quantisation error), `farthest` the largest.
    """

    radii: Floats
    counts: Int64s
    covered: float
    error: float
    farthest: float

    def __len__(self) -> int:
        return len(self.radii)


def measure_cells(assignment: Assignment, size: int, tau: float) -> Cells:
    """Return radii and statistics of the cells of an assignment to `size` centers."""
    radii = cell_radii(assignment.nearest, assignment.distances, size, tau)
    inside = assignment.distances <= radii[assignment.nearest]
    return Cells(
        radii=radii,
        counts=np.bincount(assignment.nearest, minlength=size).astype(np.int64),
        covered=float(inside.mean()),
        error=float(assignment.distances.mean(dtype=np.float64)),
        farthest=float(assignment.distances.max()),
    )


def cell_radii(nearest: Int32s, distances: Floats, size: int, tau: float) -> Floats:
    """Return the tau-th percentile (exact, linear interpolation) of each cell's distances, never below FLOOR.

    >>> cell_radii(np.array([0, 0, 0, 1], np.int32), np.array([0.0, 0.1, 0.2, 0.0], np.float32), 3, 50.0).tolist()
    [0.10000000149011612, 9.999999974752427e-07, 9.999999974752427e-07]
    """
    if not 0 < tau <= 100:
        raise InputError(f"tau is a percentile: above 0, at most 100, not {tau}.")
    order = np.lexsort((distances, nearest))
    ordered = distances[order]
    counts = np.bincount(nearest, minlength=size)
    firsts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    radii = np.zeros(size, dtype=np.float64)
    filled = counts > 0
    place = (counts[filled] - 1) * (tau / 100.0)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, counts[filled] - 1)
    below = ordered[firsts[filled] + low].astype(np.float64)
    above = ordered[firsts[filled] + high].astype(np.float64)
    radii[filled] = below + (above - below) * (place - low)
    floored: Floats = np.maximum(radii.astype(np.float32), FLOOR)
    return floored
