"""Checksums of pages: a mapped array is checked piece by piece, when a piece is first touched.

Opening an index reads almost nothing, so a checksum of whole files cannot guard a search. Each 4 KiB page of the large
arrays therefore has its own sum, and no posting is used before the pages it lies in have been found sound. A page's sum is
the sum of byte * (2 * position + 1) * 0x9E3779B1 modulo 2^32: every multiplier is odd, so one changed byte always shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.records import Array, Bytes, Uint32s
from sparse_coverage.kernels import compiled

PAGE = 4096


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
            self._refuse(_check_runs(self._bytes, self._sums, self.sound, offsets, rows, width))

    def check_all(self) -> None:
        """Check every page."""
        if not self._all_sound:
            self._refuse(_check_pages(self._bytes, self._sums, self.sound, 0, len(self._sums)))
            self._all_sound = True

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
    _sum_pages(content, sums)
    return sums


@compiled
def _page_sum(content: Bytes, first: int, last: int) -> Any:
    total = np.uint32(0)
    for place in range(last - first):
        odd = np.uint32(np.uint32(2 * place + 1) * np.uint32(0x9E3779B1))
        total = np.uint32(total + np.uint32(np.uint32(content[first + place]) * odd))
    return total


@compiled
def _sum_pages(content: Bytes, sums: Uint32s) -> None:
    for page in range(len(sums)):
        sums[page] = _page_sum(content, page * PAGE, min(len(content), (page + 1) * PAGE))


@compiled
def _check_pages(content: Bytes, sums: Uint32s, sound: Bytes, first: int, last: int) -> int:
    """Check the pages from `first` up to `last`, those not yet known to be sound; return a damaged one, or -1."""
    for page in range(first, last):
        if not sound[page]:
            if _page_sum(content, page * PAGE, min(len(content), (page + 1) * PAGE)) != sums[page]:
                return page
            sound[page] = 1
    return -1


@compiled
def _check_runs(content: Bytes, sums: Uint32s, sound: Bytes, offsets: Uint32s, rows: Array, width: int) -> int:
    for row in rows:
        first, last = np.int64(offsets[row]) * width, np.int64(offsets[row + 1]) * width
        if last > first:
            damaged = _check_pages(content, sums, sound, first // PAGE, (last - 1) // PAGE + 1)
            if damaged >= 0:
                return damaged
    return -1
