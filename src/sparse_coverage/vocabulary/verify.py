"""Checking a vocabulary independently of how it was made: plain NumPy over all points, nothing skipped.

Float32 products settle every comparison that is not close; close ones are settled by the canonical distance.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int32s, Int64s
from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.nearest import Assignment, measure_cells, nearest_centers
from sparse_coverage.vocabulary.points import Points, as_points
from sparse_coverage.vocabulary.span_sample import SpanSample
from sparse_coverage.vocabulary.vocabulary import Vocabulary

ROWS, COLUMNS = 1024, 4096
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
    if sample is not None and checks[0].holds:  # with a center that is no direction, no distance means anything
        if sample.points.dimension != vocabulary.config.dimension:
            raise InputError(
                f"The sample has {sample.points.dimension} dimensions, the vocabulary {vocabulary.config.dimension}: "
                "it was not chosen from this sample."
            )
        sample.check()
        if vocabulary.common is not None:
            sample = sample.without(vocabulary.common)
        if vocabulary.config.selection != "kmeans":
            checks += _verify_choices(vocabulary, sample)
        checks += [_cells_agree(vocabulary.truncate(size), sample) for size in vocabulary.sizes]
    return checks


def _verify_choices(vocabulary: Vocabulary, sample: SpanSample) -> list[Check]:
    """Check that centers are spans and anchors theirs; for farthest-first, the first center and every one after it."""
    equal = find_rows(sample.points, vocabulary.centers)
    missing = sum(not rows for rows in equal)
    checks = [Check("every center is a span of the sample", missing == 0, f"{missing} are not")]
    if missing:
        return checks
    wrong = _foreign_anchors(vocabulary, sample, equal)
    checks.append(Check("every anchor is that of its center", wrong == 0, f"{wrong} are not"))
    if vocabulary.config.selection == "farthest-first":
        drawn = int(np.random.default_rng(vocabulary.config.seed).integers(len(sample)))
        checks.append(
            Check("the first center is the one that the seed draws", drawn in equal[0], f"it draws span {drawn}")
        )
        lowest = np.array([rows[0] for rows in equal], dtype=np.int64)
        checks.append(verify_sequence(sample.points, lowest, vocabulary.gaps))
    return checks


def _foreign_anchors(vocabulary: Vocabulary, sample: SpanSample, equal: list[list[int]]) -> int:
    """Count the anchors that belong to none of the spans that equal their center."""
    needed = np.unique(np.concatenate([np.array(rows, dtype=np.int64) for rows in equal]))
    anchors = dict(zip(needed.tolist(), sample.anchors(needed), strict=True))
    return sum(
        all(anchors[row] != anchor for row in rows) for anchor, rows in zip(vocabulary.anchors, equal, strict=True)
    )


def verify_sequence(points: Points | Floats, rows: Int64s, gaps: Floats) -> Check:
    """Check that each center was the farthest point (ties: the lowest row) from all centers before it."""
    points = as_points(points)
    what = "every center was the farthest span from those before it"
    centers = points.rows(rows)
    turn = np.full(len(points), len(rows), dtype=np.int64)
    turn[rows] = np.arange(len(rows))
    with progress_bar("Verifying the sequence", len(points)) as advance:
        for top in range(0, len(points), ROWS):
            numbers = np.arange(top, min(top + ROWS, len(points)))
            wrong = _first_violation(points, numbers, centers, rows, gaps, turn[numbers])
            if wrong:
                return Check(what, False, wrong)
            advance(len(numbers))
    return Check(what, True)


def _first_violation(points: Points, numbers: Int64s, centers: Floats, rows: Int64s, gaps: Floats, turn: Int64s) -> str:
    """Follow each point's distance to the chosen centers; it may never exceed the gap of the center chosen next."""
    block = points.rows(numbers)
    lowest = np.full((len(numbers), 1), np.inf, dtype=np.float32)
    for left in range(0, len(centers), COLUMNS):
        part = np.float32(1) - block @ centers[left : left + COLUMNS].T
        np.minimum(part[:, :1], lowest, out=part[:, :1])
        running = np.minimum.accumulate(part, axis=1)
        lowest = running[:, -1:]
        following = gaps[
            left + 1 : left + 1 + COLUMNS
        ]  # gaps[k + 1] was the largest distance to the first k + 1 centers
        running = running[:, : len(following)]
        steps = np.arange(left, left + len(following))[None, :]
        waiting, own = turn[:, None] > steps, turn[:, None] == steps + 1
        close = ((running > following[None, :] - CLOSE) & waiting) | own
        for i in np.flatnonzero(close.any(axis=1)):
            wrong = _settle(block[i], int(numbers[i]), centers, rows, gaps, np.flatnonzero(close[i]) + left)
            if wrong:
                return wrong
    return ""


def _settle(point: Floats, number: int, centers: Floats, rows: Int64s, gaps: Floats, steps: Int64s) -> str:
    """Decide the close steps of one point by its canonical distances."""
    rough = np.float32(1) - centers[: steps[-1] + 1] @ point
    running = np.minimum.accumulate(rough)
    for step in steps.tolist():
        near = np.flatnonzero(rough[: step + 1] <= running[step] + CLOSE)
        distance = min(canonical_distance(point, centers[center]) for center in near)
        if rows[step + 1] == number:
            if distance != gaps[step + 1]:
                return f"center {step + 1} lies {distance} from those before it, not {gaps[step + 1]}"
        elif distance > gaps[step + 1] or (distance == gaps[step + 1] and number < rows[step + 1]):
            return (
                f"span {number} was farther ({distance}) than center {step + 1} ({gaps[step + 1]}) when that was chosen"
            )
    return ""


def find_rows(points: Points, centers: Floats) -> list[list[int]]:
    """Return, for each center, the rows of the points that equal it bit by bit, in rising order."""
    vectors = [center.tobytes() for center in np.ascontiguousarray(centers)]
    found: dict[bytes, list[int]] = {vector: [] for vector in vectors}
    for top in range(0, len(points), ROWS):
        block = points.rows(np.arange(top, min(top + ROWS, len(points))))
        for offset, row in enumerate(block):
            rows = found.get(row.tobytes())
            if rows is not None:
                rows.append(top + offset)
    return [found[vector] for vector in vectors]


def _cells_agree(vocabulary: Vocabulary, sample: SpanSample) -> Check:
    """Assign every span again with NumPy and compare radii and statistics."""
    nearest = np.empty(len(sample), dtype=np.int32)
    distances = np.empty(len(sample), dtype=np.float32)
    with progress_bar(f"Verifying {len(vocabulary):,} radii", len(sample)) as advance:
        for top in range(0, len(sample), ROWS):
            numbers = np.arange(top, min(top + ROWS, len(sample)))
            block = sample.points.rows(numbers)
            nearest[numbers], distances[numbers] = _nearest(block, vocabulary.centers)
            advance(len(numbers))
    again = measure_cells(Assignment(nearest, distances), len(vocabulary), vocabulary.config.tau)
    what = f"the radii of {len(vocabulary):,} centers are the percentiles of their cells"
    wrong = int((again.radii != vocabulary.radii).sum())
    cells = vocabulary.levels.get(len(vocabulary))
    if wrong or cells is None:
        return Check(what, wrong == 0, f"{wrong} are not")
    other = int((again.counts != cells.counts).sum())
    same = (again.covered, again.error, again.farthest) == (cells.covered, cells.error, cells.farthest)
    return Check(
        what, other == 0 and same, f"they are, but {other} cells have another size, or their statistics differ"
    )


def _nearest(block: Floats, centers: Floats) -> tuple[Int32s, Floats]:
    best = np.full(len(block), np.inf, dtype=np.float32)
    close: list[list[int]] = [[] for _ in block]
    for left in range(0, len(centers), COLUMNS):
        part = np.float32(1) - block @ centers[left : left + COLUMNS].T
        np.minimum(best, part.min(axis=1), out=best)
        for row, column in np.argwhere(part <= best[:, None] + CLOSE).tolist():
            close[row].append(left + column)
    nearest, distances = np.empty(len(block), dtype=np.int32), np.empty(len(block), dtype=np.float32)
    for row, candidates in enumerate(close):
        found = min((canonical_distance(block[row], centers[center]), center) for center in candidates)
        distances[row], nearest[row] = found
    return nearest, distances


@dataclass(frozen=True, slots=True)
class VocabularyComparison:
    """What differs in the making, and what the centers have in common.

    `shared` counts centers that are equal bit by bit, `agreeing` how many of the first centers are the same in the same
    order. `covered` is the share of a vocabulary's centers that lie within the radius of the other's nearest center, and
    `distance` their median distance to it; both for the first vocabulary and for the second. They are None where the
    vectors come from different encoders, so that no distance between them means anything.
    """

    differences: dict[str, tuple[Any, Any]]
    shared: int
    agreeing: int
    median_radii: tuple[float, float]
    covered: tuple[float, float] | None
    distance: tuple[float, float] | None


def compare(first: Vocabulary, second: Vocabulary, *, threads: int | None = None) -> VocabularyComparison:
    """Compare two vocabularies."""
    mine, other = asdict(first.config), asdict(second.config)
    differences = {name: (mine[name], other[name]) for name in mine if mine[name] != other[name]}
    rows = [[row.tobytes() for row in np.ascontiguousarray(v.centers)] for v in (first, second)]
    agreeing = 0
    for a, b in zip(*rows, strict=False):
        if a != b:
            break
        agreeing += 1
    covered = distance = None
    if first.config.fingerprint == second.config.fingerprint:
        there, back = _reach(first, second, threads), _reach(second, first, threads)
        covered, distance = (there[0], back[0]), (there[1], back[1])
    return VocabularyComparison(
        differences=differences,
        shared=len(set(rows[0]) & set(rows[1])),
        agreeing=agreeing,
        median_radii=(float(np.median(first.radii)), float(np.median(second.radii))),
        covered=covered,
        distance=distance,
    )


def _reach(vocabulary: Vocabulary, other: Vocabulary, threads: int | None) -> tuple[float, float]:
    """Return how many of a vocabulary's centers the other one covers, and how far they are from it."""
    centers = np.ascontiguousarray(vocabulary.centers, dtype=np.float32)
    found = nearest_centers(centers, other.packed, threads=threads, quiet=True)[len(other)]
    covered = (found.distances <= other.radii[found.nearest]).mean()
    return float(covered), float(np.median(found.distances))
