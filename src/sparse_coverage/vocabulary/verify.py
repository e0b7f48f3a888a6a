"""Checking a vocabulary independently of how it was made: plain NumPy over all points, nothing skipped.

Float32 products settle every comparison that is not close; close ones are settled by the canonical distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int64s
from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.nearest import Assignment, measure_cells
from sparse_coverage.vocabulary.points import Points, as_points
from sparse_coverage.vocabulary.span_sample import SpanSample
from sparse_coverage.vocabulary.vocabulary import Vocabulary

ROWS = 256
CLOSE = np.float32(1e-4)
"""Far above the rounding of a float32 product of unit vectors, whatever their dimension."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: what, whether it holds, and the details where it does not."""

    what: str
    holds: bool
    details: str = ""


def verify(vocabulary: Vocabulary, sample: SpanSample | None = None) -> list[Check]:
    """Check a vocabulary by itself and, where the sample it was chosen from is at hand, against every span of it."""
    lengths = np.linalg.norm(vocabulary.centers.astype(np.float64), axis=1)
    long = int((~(np.abs(lengths - 1) < 1e-5)).sum())
    far = int((~((vocabulary.radii >= 0) & (vocabulary.radii <= 2))).sum())
    checks = [
        Check("every center has length one", long == 0, f"{long} have not"),
        Check("every radius lies between 0 and 2", far == 0, f"{far} do not"),
    ]
    if sample is None or long:  # with a center that is no direction, no distance means anything
        return checks
    if sample.points.dimension != vocabulary.config.dimension:
        raise InputError(
            f"The sample has {sample.points.dimension} dimensions, the vocabulary {vocabulary.config.dimension}: "
            "it was not chosen from this sample."
        )
    sample.check()
    if vocabulary.common is not None:
        sample = sample.without(vocabulary.common)
    if vocabulary.config.selection != "kmeans":
        checks += _choices(vocabulary, sample)
    return checks + [_cells(vocabulary.truncate(size), sample) for size in vocabulary.sizes]


def _choices(vocabulary: Vocabulary, sample: SpanSample) -> list[Check]:
    """Check that centers are spans and anchors theirs; for farthest-first, the first center and every one after it."""
    places: dict[bytes, list[int]] = {center.tobytes(): [] for center in np.ascontiguousarray(vocabulary.centers)}
    for numbers in _blocks(sample.points, "Looking for the centers"):
        for number, row in zip(numbers.tolist(), sample.points.rows(numbers), strict=True):
            if (held := places.get(row.tobytes())) is not None:
                held.append(number)
    equal = [places[center.tobytes()] for center in np.ascontiguousarray(vocabulary.centers)]
    missing = sum(not rows for rows in equal)
    checks = [Check("every center is a span of the sample", missing == 0, f"{missing} are not")]
    if missing:
        return checks
    needed = np.unique(np.concatenate([np.array(rows, dtype=np.int64) for rows in equal]))
    anchors = dict(zip(needed.tolist(), sample.anchors(needed), strict=True))
    pairs = zip(vocabulary.anchors, equal, strict=True)
    wrong = sum(all(anchors[row] != anchor for row in rows) for anchor, rows in pairs)
    checks.append(Check("every anchor is that of its center", wrong == 0, f"{wrong} are not"))
    if vocabulary.config.selection == "farthest-first":
        drawn = int(np.random.default_rng(vocabulary.config.seed).integers(len(sample)))
        told = f"it draws span {drawn}"
        checks.append(Check("the first center is the one that the seed draws", drawn in equal[0], told))
        lowest = np.array([rows[0] for rows in equal], dtype=np.int64)
        checks.append(verify_sequence(sample.points, lowest, vocabulary.gaps))
    return checks


def verify_sequence(points: Points | Floats, rows: Int64s, gaps: Floats) -> Check:
    """Check that each center was the farthest point (ties: the lowest row) from all centers before it."""
    points = as_points(points)
    what = "every center was the farthest span from those before it"
    centers = points.rows(rows)
    turn = np.full(len(points), len(rows), dtype=np.int64)
    turn[rows] = np.arange(len(rows))
    steps = np.arange(len(rows) - 1)
    for numbers in _blocks(points, "Verifying the sequence"):
        block = points.rows(numbers)
        rough = np.float32(1) - block @ centers.T
        running = np.minimum.accumulate(rough, axis=1)[:, :-1]  # gaps[k + 1]: the largest distance to the first k + 1
        own = turn[numbers][:, None] == steps + 1
        close = own | ((running > gaps[1:] - CLOSE) & (turn[numbers][:, None] > steps))
        for place, step in np.argwhere(close).tolist():
            near = np.flatnonzero(rough[place, : step + 1] <= running[place, step] + CLOSE)
            distance, gap = min(canonical_distance(block[place], centers[center]) for center in near), gaps[step + 1]
            if own[place, step]:
                if distance != gap:
                    return Check(what, False, f"center {step + 1} lies {distance} from those before it, not {gap}")
            elif distance > gap or (distance == gap and numbers[place] < rows[step + 1]):
                told = f"span {numbers[place]} was farther ({distance}) than center {step + 1} ({gap}) when that was chosen"
                return Check(what, False, told)
    return Check(what, True)


def _cells(vocabulary: Vocabulary, sample: SpanSample) -> Check:
    """Assign every span again with NumPy and compare radii and statistics."""
    again = Assignment(np.empty(len(sample), dtype=np.int32), np.empty(len(sample), dtype=np.float32))
    for numbers in _blocks(sample.points, f"Verifying {len(vocabulary):,} radii"):
        block = sample.points.rows(numbers)
        rough = np.float32(1) - block @ vocabulary.centers.T
        for number, row, distances in zip(numbers.tolist(), block, rough, strict=True):
            near = np.flatnonzero(distances <= distances.min() + CLOSE)
            best = min((canonical_distance(row, vocabulary.centers[center]), center) for center in near)
            again.distances[number], again.nearest[number] = best
    measured = measure_cells(again, len(vocabulary), vocabulary.config.tau)
    what = f"the radii of {len(vocabulary):,} centers are the percentiles of their cells"
    wrong = int((measured.radii != vocabulary.radii).sum())
    cells = vocabulary.levels.get(len(vocabulary))
    if wrong or cells is None:
        return Check(what, wrong == 0, f"{wrong} are not")
    other = int((measured.counts != cells.counts).sum())
    same = (measured.covered, measured.error, measured.farthest) == (cells.covered, cells.error, cells.farthest)
    told = f"they are, but {other} cells have another size, or their statistics differ"
    return Check(what, other == 0 and same, told)


def _blocks(points: Points, what: str) -> Iterator[Int64s]:
    with progress_bar(what, len(points)) as advance:
        for top in range(0, len(points), ROWS):
            numbers = np.arange(top, min(top + ROWS, len(points)))
            yield numbers
            advance(len(numbers))
