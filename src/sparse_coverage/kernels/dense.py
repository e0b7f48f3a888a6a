"""Kernels on dense vectors: exact distances, and the centers that points are nearest to or covered by.

The one distance that decides is float32(1 - dot), the dot product summed in float64 in a fixed order. It does not depend on
threads, block sizes or the BLAS at hand. Products of quantised vectors (`screening.py`) only say which pairs are worth a look.
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import (
    NORM_LIMIT,
    PANEL,
    SCALE,
    Bytes,
    Floats,
    Int8s,
    Int16s,
    Int32s,
    Int64s,
    Uint16s,
    Uint32s,
)
from sparse_coverage.kernels.compiling import compiled, instruction
from sparse_coverage.kernels.screening import ALWAYS, Panels, passing, screen, screening

row_dot = instruction("row_dot")


def canonical_distance(a: Floats, b: Floats) -> np.float32:
    """Return the canonical distance of two vectors.

    >>> float(canonical_distance(np.array([1, 0], np.float32), np.array([0.6, 0.8], np.float32)))
    0.3999999761581421
    """
    return row_distance(np.ascontiguousarray(a[None, :]), 0, np.ascontiguousarray(b[None, :]), 0)


@compiled
def row_distance(a: Floats, a_row: int, b: Floats, b_row: int) -> np.float32:
    """Return the canonical distance of a row of `a` and a row of `b`."""
    distance: np.float32 = np.float32(1.0 - row_dot(a, a_row, b, b_row))
    return distance


@compiled
def quantise_rows(rows: Floats, out: Int16s, shortest: float) -> int:
    """Fill `out`; return the first row that is not finite, too long or too short, or -1."""
    scale = np.float32(SCALE)
    for number in range(rows.shape[0]):
        if not shortest * shortest <= row_dot(rows, number, rows, number) <= NORM_LIMIT * NORM_LIMIT:
            return number
        source, target = rows[number], out[number]  # flat rows become vector instructions
        for i in range(len(source)):
            target[i] = np.int16(np.rint(source[i] * scale))
    return -1


@compiled
def unpack(packed: Uint16s, numbers: Int64s, widened: Uint32s, values: Floats) -> None:
    """Turn float16 bits into float32 values of length one; `widened` and `values` are the same memory.

    Exponent and mantissa move to their places in float32; the factor corrects the bias of the exponent. All exact. A row
    with an infinite value or one that is not a number becomes NaN: its bits, so moved, would pass for 2^16 or more.
    """
    bias = np.float32(2.0**112)
    for number in range(len(numbers)):
        source, bits, row = packed[numbers[number]], widened[number], values[number]
        for i in range(len(row)):  # over flat rows, so that they become vector instructions
            half = np.uint32(source[i])
            bits[i] = ((half & np.uint32(0x7FFF)) << np.uint32(13)) | ((half & np.uint32(0x8000)) << np.uint32(16))
        for i in range(len(row)):
            row[i] *= bias
        squares = row_dot(values, number, values, number)
        if squares >= 2.0**32 and _broken(source):
            row[:] = np.nan
        elif squares > 0.0:
            inverse = 1.0 / np.sqrt(squares)
            for i in range(len(row)):
                row[i] = np.float32(np.float64(row[i]) * inverse)


@compiled
def _broken(row: Uint16s) -> bool:
    """Say whether a float16 row, given by its bits, holds an infinite value or one that is not a number."""
    return bool(((row & np.uint16(0x7C00)) == np.uint16(0x7C00)).any())


@compiled
def meet(
    rows: Floats,
    quantised: Int16s,
    nearest: Int32s,
    distances: Floats,
    centers: Floats,
    panels: Panels,
    first: int,
    last: int,
    margin: float,
) -> None:
    """Lower the rows' distances to the nearest of the centers `first` to `last`; a tie keeps the lower center."""
    floors, starts, narrowed, tile, found = screening(quantised, len(rows), panels)
    for row in range(len(rows)):
        floors[row] = screen(distances[row], margin)
    limits = np.full(PANEL, ALWAYS, dtype=np.int32)
    for panel in range(first // PANEL, -(-last // PANEL)):
        for i in range(passing(quantised, narrowed, panels, panel, floors, limits, starts, tile, found)):
            row, center = found[i, 0], found[i, 1]
            if found[i, 2] >= floors[row] and first <= center < last:
                distance = row_distance(rows, row, centers, center)
                if distance < distances[row]:
                    distances[row] = distance
                    nearest[row] = center
                    floors[row] = screen(distance, margin)


@compiled
def cover(
    rows: Floats,
    quantised: Int16s,
    centers: Floats,
    panels: Panels,
    radii: Floats,
    limits: Int32s,
    margin: float,
    active: Int32s,
    distances: Floats,
) -> None:
    """Fill `active` and `distances` with the nearest centers that cover each row. A tie keeps the lower center."""
    k = active.shape[1]
    floors, starts, narrowed, tile, found = screening(quantised, len(rows), panels)
    for panel in range(len(panels.pairs)):
        for i in range(passing(quantised, narrowed, panels, panel, floors, limits, starts, tile, found)):
            row, center = found[i, 0], found[i, 1]
            if found[i, 2] < floors[row]:
                continue
            distance = row_distance(rows, row, centers, center)
            if distance <= radii[center] and distance < distances[row, k - 1]:
                place = k - 1
                while place > 0 and distance < distances[row, place - 1]:
                    distances[row, place] = distances[row, place - 1]
                    active[row, place] = active[row, place - 1]
                    place -= 1
                distances[row, place] = distance
                active[row, place] = center
                floors[row] = screen(distances[row, k - 1], margin)


@compiled
def count_covering_centers(
    rows: Floats,
    quantised: Int16s,
    centers: Floats,
    panels: Panels,
    radii: Floats,
    limits: Int32s,
    margin: float,
    counts: Int64s,
) -> None:
    """Add to `counts` how many centers cover each row; a product far above the limit needs no exact distance."""
    sure = np.int64(2.0 * margin * SCALE * SCALE) + 2
    floors, starts, narrowed, tile, found = screening(quantised, len(rows), panels)
    for panel in range(len(panels.pairs)):
        for i in range(passing(quantised, narrowed, panels, panel, floors, limits, starts, tile, found)):
            row, center = found[i, 0], found[i, 1]
            far_above = np.int64(found[i, 2]) >= np.int64(limits[center]) + sure
            if far_above or row_distance(rows, row, centers, center) <= radii[center]:
                counts[row] += 1


# Products of query vectors with the vectors of passages, which are kept in 8 bits a number.
#
# All sums are of whole numbers, so a product is the same on every machine, in any order, beside any other rows.
row_product = instruction("row_product")


@compiled
def best_products(rows: Int8s, scales: Floats, queries: Int16s, unit: float, allowed: Bytes, scores: Floats) -> None:
    """Write the largest product of each row with any of the queries; minus infinity for a row that is not allowed.

    A row stands for `rows[i] * scales[i]`, a query for `queries[j] * unit`. `allowed`, where not empty, holds 1 or 0 for each row.
    """
    for row in range(len(rows)):
        if len(allowed) and not allowed[row]:
            scores[row] = -np.inf
            continue
        best = row_product(rows, row, queries, 0, rows.shape[1])
        for query in range(1, len(queries)):
            best = max(best, row_product(rows, row, queries, query, rows.shape[1]))
        scores[row] = np.float32(np.float64(scales[row]) * unit * best)
