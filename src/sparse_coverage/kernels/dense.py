"""Kernels on dense vectors: exact distances, 16-bit screening, and the centers that points are nearest to or covered by.

The one distance that decides is float32(1 - dot), the dot product summed in float64 in a fixed order. It does not depend on
threads, block sizes or the BLAS at hand. Products of 16-bit vectors only screen: they are off by a bounded `margin`.
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import Floats, Int16s, Int32s, Int64s, Uint16s, Uint32s
from sparse_coverage.kernels.compiling import compiled, instruction
from sparse_coverage.kernels.sizes import PANEL, TILE

row_dot, tile_products = instruction("row_dot"), instruction("tile_products")

SCALE = 32_000.0
"""What stands for 1 in a quantised vector."""
NORM_LIMIT = 1.001
"""Rows may be a little longer than one (they are rounded), not more: 16 bits would overflow."""
ALWAYS, NEVER = np.int32(-(2**31)), np.int32(2**31 - 1)
"""Products that every pair reaches, and none."""


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
def screen(distance: float | np.float32, margin: float) -> np.int32:
    """Return the product that every pair within `distance` reaches, whatever the quantisation did."""
    product = (1.0 - distance - margin) * (SCALE * SCALE)
    limit: np.int32 = np.int32(np.floor(min(max(product, float(ALWAYS)), float(NEVER))))
    return limit


@compiled
def fill_limits(radii: Floats, margin: float, limits: Int32s) -> None:
    """Write the product that every span within a center's radius reaches."""
    for center in range(len(radii)):
        limits[center] = screen(radii[center], margin)


@compiled
def passing(
    quantised: Int16s,
    panels: Int16s,
    panel: int,
    floors: Int32s,
    limits: Int32s,
    starts: Int64s,
    tile: Int32s,
    found: Int32s,
) -> int:
    """Screen all rows against one panel of centers, tile after tile; return how many pairs passed.

    A product has to reach the row's floor and the center's limit. `limits` has one for each center, or a panel of them that
    holds for all panels. A tile of rows takes part from its panel in `starts` on. Into `found` go (row, center, product) of the
    pairs, by row, then by center. `tile` and `found` are buffers (`screening`).
    """
    place = panel if len(limits) > PANEL else 0
    count = 0
    for number in range(len(quantised) // TILE):
        if panel < starts[number]:
            continue
        top = number * TILE
        hits = tile_products(quantised, top, panels, panel, floors, limits, place, tile, quantised.shape[1])
        if hits == 0:
            continue
        for r in range(TILE):
            if not (hits >> r) & 1:
                continue
            for lane in range(PANEL):
                product = tile[r, lane]
                if product >= floors[top + r] and product >= limits[place * PANEL + lane]:
                    found[count, 0], found[count, 1], found[count, 2] = top + r, panel * PANEL + lane, product
                    count += 1
    return count


@compiled
def screening(rows: int, count: int) -> tuple[Int32s, Int64s, Int32s, Int32s]:
    """Return what `passing` needs for so many rows, of which those after the first `count` only fill up a tile.

    These are floors (the first rows let everything through, the others nothing), starts (each tile takes part from the first
    panel on), and the buffers: for the products of a tile, and for all pairs of the rows and a panel.
    """
    floors = np.full(rows, NEVER, dtype=np.int32)
    floors[:count] = ALWAYS
    tile, found = np.empty((TILE, PANEL), dtype=np.int32), np.empty((rows * PANEL, 3), dtype=np.int32)
    return floors, np.zeros(rows // TILE, dtype=np.int64), tile, found


@compiled
def meet(
    rows: Floats,
    quantised: Int16s,
    nearest: Int32s,
    distances: Floats,
    centers: Floats,
    panels: Int16s,
    first: int,
    last: int,
    margin: float,
) -> None:
    """Lower the rows' distances to the nearest of the centers `first` to `last`; a tie keeps the lower center."""
    floors, starts, tile, found = screening(len(quantised), len(rows))
    for row in range(len(rows)):
        floors[row] = screen(distances[row], margin)
    limits = np.full(PANEL, ALWAYS, dtype=np.int32)
    for panel in range(first // PANEL, -(-last // PANEL)):
        for i in range(passing(quantised, panels, panel, floors, limits, starts, tile, found)):
            row, center = found[i, 0], found[i, 1]
            if found[i, 2] >= floors[row] and first <= center < last:
                distance = row_distance(rows, row, centers, center)
                if distance < distances[row]:
                    distances[row] = distance
                    nearest[row] = center
                    floors[row] = screen(distance, margin)


@compiled
def decide(pairs: Int64s, rows: Floats, first: int, centers: Floats, nearest: Int32s, distances: Floats) -> None:
    """Settle pairs of a row and a center (numbered from `first`) by their canonical distance."""
    for i in range(len(pairs)):
        row, center = pairs[i, 0], first + pairs[i, 1]
        distance = row_distance(rows, row, centers, center)
        if distance < distances[row]:
            distances[row] = distance
            nearest[row] = center


@compiled
def cover(
    rows: Floats,
    quantised: Int16s,
    centers: Floats,
    panels: Int16s,
    radii: Floats,
    limits: Int32s,
    margin: float,
    active: Int32s,
    distances: Floats,
) -> None:
    """Fill `active` and `distances` with the nearest centers that cover each row. A tie keeps the lower center."""
    k = active.shape[1]
    floors, starts, tile, found = screening(len(quantised), len(rows))
    for panel in range(len(panels)):
        for i in range(passing(quantised, panels, panel, floors, limits, starts, tile, found)):
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
    panels: Int16s,
    radii: Floats,
    limits: Int32s,
    margin: float,
    counts: Int64s,
) -> None:
    """Add to `counts` how many centers cover each row; a product far above the limit needs no exact distance."""
    sure = np.int64(2.0 * margin * SCALE * SCALE) + 2
    floors, starts, tile, found = screening(len(quantised), len(rows))
    for panel in range(len(panels)):
        for i in range(passing(quantised, panels, panel, floors, limits, starts, tile, found)):
            row, center = found[i, 0], found[i, 1]
            far_above = np.int64(found[i, 2]) >= np.int64(limits[center]) + sure
            if far_above or row_distance(rows, row, centers, center) <= radii[center]:
                counts[row] += 1
