"""The nearest center of every point, exactly, for several vocabulary sizes in one pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.kernels import Floats, Int32s, Int64s
from sparse_coverage.kernels.dense import meet
from sparse_coverage.kernels.threads import Workers
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.on_gpu import ROWS, CentersOnGpu, find_gpu
from sparse_coverage.vocabulary.points import Points, Reader, as_points
from sparse_coverage.vocabulary.quantised import BLOCK, Centers

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
    device: str | None = None,
) -> dict[int, Assignment]:
    """Assign every point to its nearest center, for the first V centers of each of the `sizes` (default: all centers).

    With a `checkpoint` file, finished blocks are appended to it and not computed again after an interruption. `device` is
    as in `farthest_first`.
    """
    points = as_points(points)
    ready = centers if isinstance(centers, Centers) else Centers.of(centers)
    wanted = sorted(set(sizes)) or [ready.count]
    found = {
        size: Assignment(np.zeros(len(points), np.int32), np.full(len(points), np.inf, np.float32)) for size in wanted
    }
    device = device or find_gpu(len(points), wanted[-1])
    gpu = CentersOnGpu(ready, device) if device is not None else None
    save = _Saved(checkpoint, found)
    step = BLOCK * BLOCKS_PER_SAVE
    block = min(ROWS, step) if gpu is not None else BLOCK
    total, reader = len(points), Reader(points, block)
    bar = nullcontext(_unseen) if quiet else progress_bar("Assigning spans", total)
    with Workers(threads) as workers, bar as advance:
        done = save.restore(total)
        advance(done)

        def work(numbers: Int64s) -> None:
            _assign(reader, ready, gpu, numbers, found)

        for top in range(done, total, step):
            last = min(top + step, total)
            workers.each(work, [np.arange(first, min(first + block, last)) for first in range(top, last, block)])
            save.append(top, last)
            advance(last - top)
    return found


def _unseen(steps: int = 1, *, total: int | None = None) -> None:
    """Move no bar."""


def _assign(
    reader: Reader, centers: Centers, gpu: CentersOnGpu | None, numbers: Int64s, found: dict[int, Assignment]
) -> None:
    rows, quantised = reader.read(numbers)
    nearest = np.zeros(len(numbers), dtype=np.int32)
    distances = np.full(len(numbers), np.inf, dtype=np.float32)
    met = 0
    for size, assignment in found.items():
        if gpu is None:
            meet(rows, quantised, nearest, distances, centers.rows, centers.panels, met, size, centers.margin)
        else:
            gpu.meet(rows, nearest, distances, met, size)
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
