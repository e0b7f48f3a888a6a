"""Postings by center: for each center the passages that activate it, with the weight and the span behind it; and what adds them up.

A segment holds at most 65,536 passages, so a passage's number takes 16 bits and the scores of a segment stay in the processor's
cache while its lists are added up. A posting is one number of 32 bits, `passage << 16 | weight`.

One query is run over the lists of many segments in one compiled call, from its weights to the sorted best: a short query is answered
in the time of a few dozen calls of NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import IndexStoreError, MismatchError
from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.kernels import Array, Bytes, Doubles, Floats, Int64s, Mask, Uint16s, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.postings import FAR_SPAN, append_lists, count_centers, count_live, invert
from sparse_coverage.kernels.scoring import score_lists
from sparse_coverage.kernels.shortlist import LAST_NUMBER
from sparse_coverage.patents.passages import MOST_PASSAGES
from sparse_coverage.vectors.activation import SparseVector

MAX_PASSAGES = MOST_PASSAGES
DEFAULT_MEMORY = 512 << 20
"""How many bytes of postings are held before they are written."""
WEIGHT_SCALE = 65_535
"""The fixed-point number that stands for the weight 1."""
Part = tuple[Array, Array, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The inverted lists of one segment.

    The list of center c is `packed[offsets[c]:offsets[c + 1]]`, passages rising. `spans` runs parallel to `packed`: the ordinal
    of the span that gave the weight, or 65,535 for "look in `far`", whose rows are (center, passage, span), sorted.
    """

    offsets: Uint32s
    packed: Uint32s
    spans: Uint16s
    far: Uint32s

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def frequencies(self) -> Int64s:
        """How many passages each center has."""
        offsets = self.offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]


def no_postings() -> Postings:
    """Return the lists of no center."""
    none = np.zeros(0, np.uint32)
    return Postings(np.zeros(1, np.uint32), none, np.zeros(0, np.uint16), np.zeros((0, 3), np.uint32))


class PostingsBuffer:
    """Collects the sparse vectors of passages and turns them into inverted lists."""

    def __init__(self, centers: int) -> None:
        self._centers = centers
        self._parts: list[Part] = []
        self._postings = 0

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def bytes_needed(self) -> int:
        """About how much memory the buffered postings take, their inversion included."""
        # A posting as it came and once more in a row (10 bytes each), inverted (6), a flag for far spans.
        return 30 * self._postings + 400 * len(self._parts)

    def prepare(self, vector: SparseVector) -> Part:
        """Return a passage as the buffer holds it: centers, fixed-point weights, spans. A vector that cannot be right is refused."""
        centers = vector.centers
        if len(centers) and (centers.min() < 0 or centers.max() >= self._centers):
            raise IndexStoreError(
                f"A sparse vector names center {int(centers.max())}, but the index has {self._centers} centers."
            )
        weights = np.asarray(vector.weights, dtype=np.float64)
        if len(weights) and not (weights.min() > 0 and weights.max() < 1.001):
            raise IndexStoreError("The weights of a sparse vector are similarities: above 0, at most 1.")
        fixed = np.clip(np.rint(weights * WEIGHT_SCALE), 1, WEIGHT_SCALE).astype(np.uint16)
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
        return Postings(offsets, packed, near, far)


def merge_postings(parts: list[tuple[Postings, Int64s]], centers: int) -> Postings:
    """Join inverted lists. Each part comes with the new number of each of its passages, -1 for those left out.

    New numbers rise with the old ones and from part to part, so lists stay in order without sorting.
    """
    counts = np.zeros(centers, dtype=np.int64)
    for postings, numbers in parts:
        counts += live_frequencies(postings, numbers >= 0)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
    packed, spans = np.empty(int(offsets[-1]), np.uint32), np.empty(int(offsets[-1]), np.uint16)
    ends, far = offsets[:-1].copy(), []
    for postings, numbers in parts:
        append_lists(postings.offsets, postings.packed, postings.spans, numbers, ends, packed, spans)
        rows = postings.far.copy()
        moved = numbers[rows[:, 1]]
        rows[:, 1] = np.maximum(moved, 0)
        far.append(rows[moved >= 0])
    joined = np.concatenate(far)
    joined = joined[np.lexsort((joined[:, 1], joined[:, 0]))]
    return Postings(offsets, packed, spans, joined)


def live_frequencies(postings: Postings, live: Mask) -> Int64s:
    """Return for each center how many of its passages are live."""
    if live.all():
        return postings.frequencies
    counts = np.zeros(len(postings.offsets) - 1, dtype=np.int64)
    count_live(postings.offsets, postings.packed, live, counts)
    return counts


EVERYTHING: Bytes = np.zeros(0, dtype=np.uint8)
"""No mask: every passage may be found."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The inverted lists of one segment with so many passages."""

    offsets: Uint32s
    packed: GuardedArray
    passages: int


class PostingsScorer:
    """The lists of several segments, whose passages are numbered through.

    A passage's score is the sum of query weight * worth of the center * weight, times the passage's norm. Centers worth nothing are
    passed over. What may be found is given as 1 or 0 for each passage, or as `EVERYTHING`.
    """

    def __init__(self, lists: Sequence[Lists], worth: Doubles, norms: Floats) -> None:
        _require_fit(lists, worth, norms)
        self._lists = tuple(lists)  # the table below points into their memory
        self._worth = worth
        self._norms = norms
        self._starts = np.cumsum([0, *(part.passages for part in lists)], dtype=np.int64)
        arrays = [(part.offsets, part.packed.data, part.packed.sound) for part in lists]
        table = [[number for array in row for number in (array.ctypes.data, len(array))] for row in arrays]
        self._table = np.asarray(table, dtype=np.int64).reshape(len(table), 6)
        self._longest = max((part.passages for part in lists), default=0)
        self._spare: list[Floats] = []

    def score(self, query: SparseVector, allowed: Bytes, segments: range, scores: Floats) -> None:
        """Write the scores of the passages of some segments to their places in `scores`."""
        self._run(query, allowed, segments, scores, 0)

    def best(self, query: SparseVector, allowed: Bytes, segments: range, k: int) -> tuple[Int64s, Floats]:
        """Return the numbers and scores of the k best passages of some segments, best first, ties in order of numbers."""
        buffer = take_buffer(self._spare, self._longest)
        numbers, scores = self._run(query, allowed, segments, buffer, max(1, min(k, len(self._norms))))
        self._spare.append(buffer)
        return numbers, scores

    def _run(
        self, query: SparseVector, allowed: Bytes, segments: range, buffer: Floats, k: int
    ) -> tuple[Int64s, Floats]:
        if len(allowed) not in (0, len(self._norms)):
            raise ValueError(f"{len(allowed)} marks of what may be found do not fit {len(self._norms)} passages.")
        if not machine_code(0.0) and not machine_code(self._seconds(query, segments)):
            return self._plain(query, allowed, segments, buffer, k)
        while True:
            try:
                complete, numbers, scores = score_lists(
                    self._table, self._starts, WEIGHT_SCALE, self._worth, self._norms, query.centers,
                    query.weights, allowed, segments.start, segments.stop, buffer, k,
                )  # fmt: skip
            except IndexError as error:
                raise MismatchError(f"{error} It was made with another model than the index.") from None
            if complete:
                return numbers, scores
            self._check(query, allowed, segments)

    def _plain(
        self, query: SparseVector, allowed: Bytes, segments: range, buffer: Floats, k: int
    ) -> tuple[Int64s, Floats]:
        """Do the same as the compiled call, without a compiler."""
        try:
            centers, factors = plain.weigh(self._worth, query.centers, query.weights)
        except IndexError as error:
            raise MismatchError(f"{error} It was made with another model than the index.") from None
        self._check(query, allowed, segments)
        numbers, best = np.zeros(0, np.int64), np.zeros(0, np.float32)
        for segment in segments:
            begin, end = int(self._starts[segment]), int(self._starts[segment + 1])
            here = buffer[: end - begin] if k else buffer[begin:end]
            part, mask = self._lists[segment], allowed[begin:end]
            plain.accumulate(
                part.offsets, part.packed.data, centers, factors, WEIGHT_SCALE, self._norms[begin:end], mask, here
            )
            if k:
                found, scores = plain.best_scores(here, k)
                numbers, best = np.concatenate([numbers, found + begin]), np.concatenate([best, scores])
        order = np.argsort(-best, kind="stable")[:k]
        return numbers[order], best[order]

    def _seconds(self, query: SparseVector, segments: range) -> float:
        """Return about how long a query takes without compiled code."""
        centers = query.centers.astype(np.int64)
        centers = centers[(centers >= 0) & (centers < len(self._worth))]  # others are an error where they are used
        return sum(plain.postings_seconds(self._lists[segment].offsets, centers) for segment in segments)

    def _check(self, query: SparseVector, allowed: Bytes, segments: range) -> None:
        """Check all pages that a query needs, after some of them were found never to have been used before."""
        centers, _ = plain.weigh(self._worth, query.centers, query.weights)
        for segment in segments:
            mask = allowed[self._starts[segment] : self._starts[segment + 1]]
            if not len(mask) or mask.any():
                self._lists[segment].packed.check_runs(self._lists[segment].offsets, centers)


def take_buffer(spare: list[Floats], size: int) -> Floats:
    """Return a buffer for this many scores: a spare one, or a new one. The caller puts it back, because new memory costs time."""
    try:
        return spare.pop()
    except IndexError:
        return np.empty(size, dtype=np.float32)


def _require_fit(lists: Sequence[Lists], worth: Doubles, norms: Floats) -> None:
    """Refuse lists that do not fit one another: compiled code would read beyond their ends."""
    offsets = [part.offsets for part in lists]
    fit = [
        all(len(part) == len(worth) + 1 and part.dtype == np.uint32 and part.flags.c_contiguous for part in offsets),
        all(part.offsets[-1] == len(part.packed.data) for part in lists if len(part.offsets)),
        all((part[1:] >= part[:-1]).all() for part in offsets),
        sum(part.passages for part in lists) == len(norms) <= LAST_NUMBER,
    ]
    if not all(fit):
        raise IndexStoreError("The inverted lists do not fit one another. Build the index again.")
