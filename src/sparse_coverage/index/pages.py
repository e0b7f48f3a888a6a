"""Checksums of pages: a mapped array is checked piece by piece, when a piece is first touched.

Opening an index reads almost nothing, so a checksum of whole files cannot guard a search. Each 4 KiB page of the large
arrays therefore has its own sum, and no posting is used before the pages it lies in have been found sound.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.kernels import Array, Bytes, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.postings import PAGE, check_pages, check_runs, sum_pages


class GuardedArray:
    """A mapped array whose pages are checked once each, before their first use. `sound` holds 1 for each page found good."""

    def __init__(self, data: Array, sums: Uint32s, path: Path) -> None:
        self.data = data
        self._bytes = as_bytes(data)
        self._sums = sums
        self._path = path
        self.sound = np.zeros(len(sums), dtype=np.uint8)
        self._all_sound = not len(sums)
        if len(sums) != -(-len(self._bytes) // PAGE):
            raise IndexStoreError(f"{path}: {len(self._bytes)} bytes do not fit {len(sums)} checksums of pages.")

    def check_runs(self, offsets: Uint32s, rows: Array) -> None:
        """Check the pages of the entries offsets[row] to offsets[row + 1] for each of the rows."""
        if not self._all_sound:
            width = self._bytes.nbytes // len(self.data)
            few = plain.postings_seconds(offsets, np.asarray(rows, dtype=np.int64))
            check = check_runs if machine_code(few) else plain.check_runs
            self._refuse(check(self._bytes, self._sums, self.sound, offsets, rows, width))

    def check_all(self) -> None:
        """Check every page."""
        if not self._all_sound:
            check = check_pages if machine_code(plain.check_seconds(self._bytes)) else plain.check_pages
            self._refuse(check(self._bytes, self._sums, self.sound, 0, len(self._sums)))
            self._all_sound = True

    def use_large_pages(self) -> None:
        """Ask the system to hold the file in large pages of memory, where it can: lists from all over it are then sooner at hand."""
        base: Any = self._bytes.base
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a kernel without them
                base.madvise(mmap.MADV_HUGEPAGE)

    def _refuse(self, page: int) -> None:
        if page >= 0:
            raise IndexStoreError(
                f"{self._path}: damaged at byte {page * PAGE} of its data or in the {PAGE - 1} bytes after it (wrong checksum). "
                "Restore the file from a copy, or build the index again."
            )


def as_bytes(data: Array) -> Bytes:
    """Return the bytes of a contiguous array, without copying."""
    return cast(Bytes, np.asarray(data).reshape(-1).view(np.uint8))


def page_sums(data: Array) -> Uint32s:
    """Return the sum of each page of an array's bytes."""
    content = as_bytes(data)
    sums = np.zeros(-(-len(content) // PAGE), dtype=np.uint32)
    make = sum_pages if machine_code(plain.check_seconds(content)) else plain.sum_pages
    make(content, sums)
    return sums
