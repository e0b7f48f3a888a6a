"""One vector for each passage as a whole, in 8 bits a number with a scale for each passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.index.pages import GuardedArray
from sparse_coverage.kernels import NARROW, STEP, Array, Bytes, Floats, Int8s, Uint32s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.dense import best_products

QUERY_LIMIT = 2_047
"""The largest number of a query vector: sums of its products with bytes stay far within 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedVectors:
    """Vectors of passages as they are kept: a row stands for `rows[i] * scales[i]`. Rows are padded with zeros."""

    rows: Int8s
    scales: Floats


def pack_vectors(vectors: Floats) -> PackedVectors:
    """Round vectors, one a row, to 8 bits.

    A scale has 16 significant bits, so that its products with bytes are exact: what was unpacked is packed to the same bytes again.
    """
    scales = (np.abs(vectors).max(axis=1, initial=0) / NARROW).astype(np.float32)
    scales = ((scales.view(np.uint32) + np.uint32(0xFF)) & ~np.uint32(0xFF)).view(np.float32)
    rows = np.zeros((len(vectors), padded(vectors.shape[1])), dtype=np.int8)
    rows[:, : vectors.shape[1]] = np.rint(vectors / np.where(scales == 0, 1, scales)[:, None])
    return PackedVectors(rows, scales)


def join_packed(parts: Sequence[PackedVectors], width: int) -> PackedVectors:
    """Return packed vectors one after the other; `width` is the length of a row."""
    rows = np.concatenate([np.zeros((0, width), np.int8), *(part.rows for part in parts)])
    return PackedVectors(rows, np.concatenate([np.zeros(0, np.float32), *(part.scales for part in parts)]))


def padded(dimension: int) -> int:
    """Return the length of a row that holds a vector: the next multiple that the kernels take at a time."""
    return -(-dimension // STEP) * STEP


def rounded_queries(queries: Floats) -> Floats:
    """Return vectors of a query as they are compared with those of passages: rounded to whole numbers of one unit."""
    unit = _unit(queries)
    return np.asarray(np.rint(queries / unit) * unit, np.float32)


def _unit(queries: Floats) -> float:
    return float(np.abs(queries).max(initial=0)) / QUERY_LIMIT or 1.0


class PassageVectors:
    """The vectors of the passages of one segment, mapped; every page is checked before it is first used."""

    def __init__(self, rows: Array, dimension: int, scales: Floats, sums: Uint32s, path: Path) -> None:
        self._rows = GuardedArray(rows, sums, path)
        self._dimension = dimension
        self._scales = scales

    def packed(self) -> PackedVectors:
        """Return all of them as they are kept."""
        self._rows.check_all()
        return PackedVectors(self._rows.data, self._scales)

    def unpacked(self, first: int, last: int) -> Floats:
        """Return the vectors of the passages from `first` up to `last` as numbers; packed again they are the same bytes."""
        kept = self.packed()
        return kept.rows[first:last, : self._dimension] * kept.scales[first:last, None]

    def products(self, queries: Floats, allowed: Bytes, scores: Floats) -> None:
        """Write the largest product of each vector with any of the queries; minus infinity where a passage is not allowed.

        `allowed`, where not empty, holds 1 or 0 for each passage.
        """
        self._rows.check_all()
        unit = _unit(queries)
        rounded = np.zeros((len(queries), self._rows.data.shape[1]), dtype=np.int16)
        rounded[:, : queries.shape[1]] = np.rint(queries / unit)
        quick = machine_code(plain.product_seconds(self._rows.data, rounded))
        (best_products if quick else plain.best_products)(self._rows.data, self._scales, rounded, unit, allowed, scores)
