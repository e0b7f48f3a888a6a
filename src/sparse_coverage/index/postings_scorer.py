"""One query over the lists of many segments, in one compiled call: all scores, or the best of them.

While the best are sought, only one segment's scores are held at a time, and they stay in the processor's cache. Everything
from the query's weights to the sorted best is compiled, because a short query is answered in the time of a few dozen calls of
NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import IndexStoreError, MismatchError
from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.index.postings import weight_scale
from sparse_coverage.kernels import Bytes, Doubles, Floats, Int64s, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.scoring import score_lists
from sparse_coverage.kernels.shortlist import LAST_NUMBER
from sparse_coverage.vectors.activation import SparseVector

EVERYTHING: Bytes = np.zeros(0, dtype=np.uint8)
"""No mask: every passage may be found."""

_WIDE: Uint32s = np.zeros(0, dtype=np.uint32)


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
        self._form = np.zeros((0, 3), np.uint8) if any(part.packed.data.ndim == 2 for part in lists) else _WIDE
        self._scale = weight_scale(16 if self._form is _WIDE else 8)
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
                    self._form, self._table, self._starts, self._scale, self._worth, self._norms, query.centers,
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
                part.offsets, part.packed.data, centers, factors, self._scale, self._norms[begin:end], mask, here
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
    """Take a buffer of so many scores from the spare ones, or make one. Put it back afterwards: fresh memory costs time."""
    try:
        return spare.pop()
    except IndexError:
        return np.empty(size, dtype=np.float32)


def _require_fit(lists: Sequence[Lists], worth: Doubles, norms: Floats) -> None:
    """Refuse lists that do not fit one another: compiled code would read beyond their ends."""
    offsets = [part.offsets for part in lists]
    fit = [
        len({part.packed.data.ndim for part in lists}) <= 1,
        all(len(part) == len(worth) + 1 and part.dtype == np.uint32 and part.flags.c_contiguous for part in offsets),
        all(part.offsets[-1] == len(part.packed.data) for part in lists if len(part.offsets)),
        all((part[1:] >= part[:-1]).all() for part in offsets),
        sum(part.passages for part in lists) == len(norms) <= LAST_NUMBER,
    ]
    if not all(fit):
        raise IndexStoreError("The inverted lists do not fit one another. Build the index again.")
