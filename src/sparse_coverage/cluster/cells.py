"""The nearest center of every sampled span, found on the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparse_coverage.cluster.connection import Cluster
from sparse_coverage.cluster.share import PointsFile
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.nearest import Assignment, nearest_centers
from sparse_coverage.vocabulary.selection.farthest_first import Rows

STEP = 1 << 16
"""How many points a task assigns."""


def assign(cluster: Cluster, file: PointsFile, rows: Rows, sizes: Sequence[int]) -> dict[int, Assignment]:
    """Assign every point to its nearest center, for the first V centers of each of the sizes."""
    total = file.total
    found = {size: Assignment(np.zeros(total, np.int32), np.zeros(total, np.float32)) for size in sizes}
    centers = cluster.share(file.rows().rows(rows))
    tops = range(0, total, STEP)
    calls = ((file, top, centers, list(sizes), cluster.threads) for top in tops)
    with progress_bar("Assigning spans", total) as advance:
        for top, parts in zip(tops, cluster.run(assign_part, calls), strict=True):
            for size, part in parts.items():
                found[size].nearest[top : top + STEP] = part.nearest
                found[size].distances[top : top + STEP] = part.distances
            advance(min(STEP, total - top))
    return found


def assign_part(file: PointsFile, top: int, centers: Any, sizes: list[int], threads: int) -> dict[int, Assignment]:
    """Assign some points, on a worker."""
    points = file.rows(top, top + STEP)
    return nearest_centers(points, np.array(centers), sizes=sizes, threads=threads, quiet=True)
