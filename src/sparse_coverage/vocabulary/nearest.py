"""The nearest center of every point, exactly, for several vocabulary sizes in one pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int32s, Int64s, Workers
from sparse_coverage.kernels.dense import meet
from sparse_coverage.progress import no_progress, progress_bar
from sparse_coverage.vocabulary.points import BLOCK, Centers, PointReader, Points, as_points

BLOCKS_PER_SAVE = 128


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """Each point's nearest center (ties: the lowest) and its canonical distance."""

    nearest: Int32s
    distances: Floats


def nearest_centers(
    points: Points | Floats,
    centers: Centers | Floats,
    *,
    sizes: Sequence[int] = (),
    threads: int | None = None,
    checkpoint: Path | None = None,
    quiet: bool = False,
) -> dict[int, Assignment]:
    """Assign every point to its nearest center, for the first V centers of each of the `sizes` (default: all centers).

    With a `checkpoint` file, finished blocks are appended to it and not computed again after an interruption.
    """
    points = as_points(points)
    ready = centers if isinstance(centers, Centers) else Centers.of(centers)
    wanted = sorted(set(sizes)) or [ready.count]
    found = {
        size: Assignment(np.zeros(len(points), np.int32), np.full(len(points), np.inf, np.float32)) for size in wanted
    }
    save = _Saved(checkpoint, found)
    step = BLOCK * BLOCKS_PER_SAVE
    total, reader = len(points), PointReader(points, BLOCK)
    bar = nullcontext(no_progress) if quiet else progress_bar("Assigning spans", total)
    with Workers(threads) as workers, bar as advance:
        done = save.restore(total)
        advance(done)

        def work(numbers: Int64s) -> None:
            _assign(reader, ready, numbers, found)

        for top in range(done, total, step):
            last = min(top + step, total)
            workers.each(work, [np.arange(first, min(first + BLOCK, last)) for first in range(top, last, BLOCK)])
            save.append(top, last)
            advance(last - top)
    return found


def _assign(reader: PointReader, centers: Centers, numbers: Int64s, found: dict[int, Assignment]) -> None:
    rows, quantised = reader.read(numbers)
    nearest = np.zeros(len(numbers), dtype=np.int32)
    distances = np.full(len(numbers), np.inf, dtype=np.float32)
    met = 0
    for size, assignment in found.items():
        meet(rows, quantised, nearest, distances, centers.rows, centers.panels, met, size, centers.margin)
        assignment.nearest[numbers] = nearest
        assignment.distances[numbers] = distances
        met = size


class _Saved:
    """Finished blocks in one file, appended whole. What a kill cut off at the end is computed again."""

    def __init__(self, path: Path | None, found: dict[int, Assignment]) -> None:
        self._path = path
        self._found = found

    def restore(self, total: int) -> int:
        """Read the finished blocks back; return how many points they hold."""
        if self._path is None or not self._path.exists():
            return 0
        step, done = BLOCK * BLOCKS_PER_SAVE, 0
        with self._path.open("rb") as stream:
            while done < total:
                size = min(step, total - done)
                content = stream.read(8 * size * len(self._found))
                if len(content) < 8 * size * len(self._found):
                    break
                self._take(content, done, size)
                done += size
        with self._path.open("rb+") as stream:
            stream.truncate(8 * len(self._found) * done)
        return done

    def append(self, first: int, last: int) -> None:
        """Add a finished block."""
        if self._path is None:
            return
        self._path.touch()
        with self._path.open("rb+") as stream:
            stream.seek(
                8 * len(self._found) * first
            )  # its own place: a second process would write the same bytes there
            for assignment in self._found.values():
                stream.write(assignment.nearest[first:last].tobytes())
                stream.write(assignment.distances[first:last].tobytes())
            stream.flush()
            os.fsync(stream.fileno())

    def _take(self, content: bytes, first: int, size: int) -> None:
        for place, assignment in enumerate(self._found.values()):
            offset = 8 * size * place
            assignment.nearest[first : first + size] = np.frombuffer(content, np.int32, size, offset)
            assignment.distances[first : first + size] = np.frombuffer(content, np.float32, size, offset + 4 * size)


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
