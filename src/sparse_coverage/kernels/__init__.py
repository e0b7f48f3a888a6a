"""Every compiled function, by what it works on, and threads. Nothing else in the project imports Numba.

| file | holds |
| --- | --- |
| `screening.py` | which pairs of vectors are worth an exact distance, by products in 8 and 16 bits |
| `dense.py`, `traversal.py` | distances, nearest and covering centers, products with the vectors of passages; steps of farthest-first |
| `postings.py`, `scoring.py`, `shortlist.py` | packing, checking and merging of lists; scores; the best of them |
| `tagging.py` | parts of speech |
| `instructions.py` | what is written as machine instructions, for the kernels above |
| `plain.py`, `choosing.py` | what a search needs in NumPy; which of both a process takes |
| `compiling.py` | how kernels are compiled and kept |

Kernels read nothing from other packages, so the machine code depends on these files alone. Here are the names of the arrays that
they take and give, how they lay out what they work on, and the threads that run them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Uint16s = npt.NDArray[np.uint16]
Uint32s = npt.NDArray[np.uint32]
Uint64s = npt.NDArray[np.uint64]

LANES = 8
"""In how many interleaved sums the canonical product is made."""
TILE = 6
"""Rows of one tile: with a panel's sixteen sums each, they fill the registers of AVX2."""
PANEL = 16
"""Centers of one panel."""
STEP = 32
"""Quantised rows are padded with zeros to a multiple of this length."""

SCALE = 32_000.0
"""What stands for 1 in a vector of 16 bits."""
NORM_LIMIT = 1.001
"""Rows may be a little longer than one (they are rounded), not more: 16 bits would overflow."""
LONGEST = 1.01
"""No row is longer than this after rounding to 16 bits."""
NARROW = 127
"""The largest value in a vector of 8 bits."""
REACH = 6.0
"""What it stands for: so many times the coordinate of a vector whose coordinates are all alike. What is beyond is cut off."""
MOST_LOST = 0.05
"""Vectors that are farther than this from their 8-bit form are screened in 16 bits at once: bytes would let too much pass."""

T = TypeVar("T")
R = TypeVar("R")


def usable_cores() -> int:
    """Return the number of cores open to this process: a container or `taskset` may allow fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Applies a function to many pieces of work, in as many threads as asked for (all cores by default; one needs no pool)."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or usable_cores()
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return the results in the order of the items."""
        if self._pool is None:
            return [function(item) for item in items]
        return list(self._pool.map(function, items))

    def each(self, function: Callable[[T], None], items: Iterable[T]) -> None:
        """Do the work for its effects."""
        self.map(function, items)
