"""Postings by center: for each center the passages that activate it, with the weight and the span behind it.

A segment holds at most 65,536 passages, so a passage's number takes 16 bits and the scores of a segment stay in the processor's
cache while its lists are added up. A posting is one number of 32 bits, `passage << 16 | weight`; with 8-bit weights it is three
bytes: the passage (low byte first) and the weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.kernels import Array, Bytes, Int64s, Mask, Uint16s, Uint32s
from sparse_coverage.kernels.postings import FAR_SPAN, append_lists, count_centers, count_live, invert
from sparse_coverage.vectors.activation import SparseVector

MAX_PASSAGES = 65_536
DEFAULT_MEMORY = 512 << 20
"""How many bytes of postings are held before they are written."""
# Where the three bytes of a narrow posting are in a wide one: the passage, low byte first, and the weight.
_BYTES = [2, 3, 0]
WeightBits = Literal[8, 16]
Part = tuple[Array, Array, Array]


def weight_scale(bits: int) -> int:
    """Return the fixed-point number that stands for the weight 1."""
    return (1 << bits) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The inverted lists of one segment.

    The list of center c is `packed[offsets[c]:offsets[c + 1]]`, passages rising. `spans` runs parallel to `packed`: the ordinal
    of the span that gave the weight, or 65,535 for "look in `far`", whose rows are (center, passage, span), sorted.
    """

    offsets: Uint32s
    packed: Array
    spans: Uint16s
    far: Uint32s

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def frequencies(self) -> Int64s:
        """How many passages each center has."""
        offsets = self.offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]

    @property
    def weight_bits(self) -> int:
        """How many bits a weight has."""
        return 8 if self.packed.ndim == 2 else 16


def widened(packed: Array) -> Uint32s:
    """Return postings as 32-bit numbers, `passage << 16 | weight`, whatever they are packed as."""
    if packed.ndim == 1:
        return packed
    wide = np.zeros((len(packed), 4), dtype=np.uint8)
    wide[:, _BYTES] = packed
    return cast(Uint32s, wide.view("<u4").reshape(-1))


def narrowed(packed: Uint32s) -> Bytes:
    """Return 32-bit postings whose weights have 8 bits as three bytes each."""
    return np.ascontiguousarray(packed.astype("<u4", copy=False).view(np.uint8).reshape(-1, 4)[:, _BYTES])


def no_postings(weight_bits: WeightBits) -> Postings:
    """Return the lists of no center."""
    none = np.zeros(0, np.uint32)
    packed = narrowed(none) if weight_bits == 8 else none
    return Postings(np.zeros(1, np.uint32), packed, np.zeros(0, np.uint16), np.zeros((0, 3), np.uint32))


class PostingsBuffer:
    """Collects the sparse vectors of passages and turns them into inverted lists."""

    def __init__(self, centers: int, weight_bits: WeightBits = 16) -> None:
        self._centers = centers
        self._bits = weight_bits
        self._parts: list[Part] = []
        self._postings = 0

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def bytes_needed(self) -> int:
        """About how much memory the buffered postings take, their inversion included."""
        # A posting as it came and once more in a row (10 bytes each), inverted (6, or 9 to narrow it), a flag for far spans.
        return 30 * self._postings + 400 * len(self._parts)

    def prepare(self, vector: SparseVector) -> Part:
        """Return a passage as the buffer holds it: centers, fixed-point weights, spans. A vector that cannot be right is refused."""
        centers, scale = vector.centers, weight_scale(self._bits)
        if len(centers) and (centers.min() < 0 or centers.max() >= self._centers):
            raise IndexStoreError(
                f"A sparse vector names center {int(centers.max())}, but the index has {self._centers} centers."
            )
        weights = np.asarray(vector.weights, dtype=np.float64)
        if len(weights) and not (weights.min() > 0 and weights.max() < 1.001):
            raise IndexStoreError("The weights of a sparse vector are similarities: above 0, at most 1.")
        fixed = np.clip(np.rint(weights * scale), 1, scale).astype(np.uint16)
        return centers.astype(np.uint32), fixed, np.asarray(vector.spans, dtype=np.uint32)

    def add(self, part: Part) -> None:
        """Append a prepared passage; passages are numbered in the order they come."""
        self._parts.append(part)
        self._postings += len(part[0])

    def build(self) -> Postings:
        """Invert: a counting sort by center, which keeps the passages of a center rising."""
        none = np.zeros(0, dtype=np.uint32)
        sizes = np.asarray([len(part[0]) for part in self._parts], dtype=np.int64)
        centers = np.concatenate([none, *(part[0] for part in self._parts)])
        weights = np.concatenate([none.astype(np.uint16), *(part[1] for part in self._parts)])
        spans = np.concatenate([none, *(part[2] for part in self._parts)])
        counts = np.zeros(self._centers, dtype=np.int64)
        count_centers(centers, counts)
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
        packed, near = np.empty(len(centers), np.uint32), np.empty(len(centers), np.uint16)
        invert(sizes, centers, weights, spans, offsets[:-1].copy(), packed, near)
        distant = np.flatnonzero(spans >= FAR_SPAN)
        passages = np.searchsorted(np.cumsum(sizes), distant, side="right").astype(np.uint32)
        far = np.stack([centers[distant], passages, spans[distant]], axis=1)
        far = far[np.lexsort((far[:, 1], far[:, 0]))]
        return Postings(offsets, narrowed(packed) if self._bits == 8 else packed, near, far)


def merge_postings(parts: list[tuple[Postings, Int64s]], centers: int) -> Postings:
    """Join inverted lists. Each part comes with the new number of each of its passages, -1 for those left out.

    New numbers rise with the old ones and from part to part, so lists stay in order without sorting.
    """
    bits = parts[0][0].weight_bits
    counts = np.zeros(centers, dtype=np.int64)
    for postings, numbers in parts:
        counts += live_frequencies(postings, numbers >= 0)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
    packed, spans = np.empty(int(offsets[-1]), np.uint32), np.empty(int(offsets[-1]), np.uint16)
    ends, far = offsets[:-1].copy(), []
    for postings, numbers in parts:
        append_lists(postings.offsets, widened(postings.packed), postings.spans, numbers, ends, packed, spans)
        rows = postings.far.copy()
        moved = numbers[rows[:, 1]]
        rows[:, 1] = np.maximum(moved, 0)
        far.append(rows[moved >= 0])
    joined = np.concatenate(far)
    joined = joined[np.lexsort((joined[:, 1], joined[:, 0]))]
    return Postings(offsets, narrowed(packed) if bits == 8 else packed, spans, joined)


def live_frequencies(postings: Postings, live: Mask) -> Int64s:
    """Return for each center how many of its passages are live."""
    if live.all():
        return postings.frequencies
    counts = np.zeros(len(postings.offsets) - 1, dtype=np.int64)
    count_live(postings.offsets, widened(postings.packed), live, counts)
    return counts
