"""Which pairs of a row and a center are worth an exact distance: products of quantised vectors, a tile at a time.

A product of 16-bit vectors differs from the true one by at most a `margin`. Where the CPU multiplies bytes at twice the rate (VNNI), a
product of 8-bit vectors comes first. How far each 8-bit vector is from its 16-bit one is known, so a pair whose 16-bit product reaches a
limit is never lost: what passes is the same, to the last pair, with bytes and without.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple

import numpy as np

from sparse_coverage.kernels import (
    LONGEST,
    MOST_LOST,
    NARROW,
    PANEL,
    REACH,
    SCALE,
    TILE,
    Bytes,
    Doubles,
    Floats,
    Int8s,
    Int16s,
    Int32s,
    Int64s,
)
from sparse_coverage.kernels.compiling import compiled, instruction

tile_products, byte_products = instruction("tile_products"), instruction("byte_products")
row_product = instruction("row_product")

ALWAYS, NEVER = np.int32(-(2**31)), np.int32(2**31 - 1)
"""Products that every pair reaches, and none."""


class Panels(NamedTuple):
    """Centers as tiles take them, by panels: pairs of 16 bits; their rows; fours of bytes, and how far those are off."""

    pairs: Int16s
    rows: Int16s
    fours: Bytes
    lost: Doubles


class Narrowed(NamedTuple):
    """Rows in 8 bits, what their products start from, how far each is off (and the worst that is used); room for floors and limits."""

    rows: Int8s
    offsets: Int32s
    lost: Doubles
    worst: float
    floors: Int32s
    limits: Int32s


def screens_in_bytes() -> bool:
    """Tell whether this CPU multiplies bytes quicker than 16-bit numbers."""
    return bool(importlib.import_module(f"{__package__}.instructions").multiplies_bytes())


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
def byte_step(width: int) -> np.float32:
    """Return how many 16-bit steps one 8-bit step is, for vectors of this length."""
    step: np.float32 = np.float32(REACH * SCALE / (np.sqrt(float(width)) * NARROW))
    return step


@compiled
def narrow(quantised: Int16s, out: Int8s, lost: Doubles) -> None:
    """Fill `out` with rows in 8 bits, cut off at both ends, and `lost` with how far each is from its 16-bit row."""
    step, most = byte_step(quantised.shape[1]), np.float32(NARROW)
    for number in range(len(quantised)):
        source, target = quantised[number], out[number]
        squares = np.float64(0.0)
        for i in range(len(source)):
            value = np.rint(np.float32(source[i]) / step)
            value = min(max(value, -most), most)
            target[i] = np.int8(value)
        for i in range(len(source)):
            off = np.float64(source[i]) - np.float64(step) * np.float64(target[i])
            squares += off * off
        lost[number] = np.sqrt(squares) / SCALE + 1e-9


@compiled
def _weaker(limit: np.int32, row_lost: float, center_lost: float, step: float) -> np.int32:
    """Return the 8-bit product that every pair reaches whose 16-bit product reaches `limit`.

    With x, c in 16 bits and x', c' in 8: xc = x'c' + (x - x')c + x'(c - c'), and Cauchy-Schwarz bounds the last two.
    """
    if limit == NEVER:
        return limit
    slack = row_lost * LONGEST + (LONGEST + row_lost) * center_lost
    product = (np.float64(limit) - slack * (SCALE * SCALE)) / (step * step) - 1.0
    weaker: np.int32 = np.int32(max(product, float(ALWAYS)))
    return weaker


@compiled
def screening(quantised: Int16s, count: int, panels: Panels) -> tuple[Int32s, Int64s, Narrowed, Int32s, Int32s]:
    """Return what `passing` needs for these rows, of which those after the first `count` only fill up a tile.

    These are floors (the first rows let everything through, the others nothing), starts (each tile takes part from the first
    panel on), the rows in 8 bits where the panels have them, and the buffers: for the products of a tile, and for all pairs of the
    rows and a panel.
    """
    rows = len(quantised)
    floors = np.full(rows, NEVER, dtype=np.int32)
    floors[:count] = ALWAYS
    size = rows if len(panels.fours) else 0
    narrow_rows, offsets = np.empty((size, quantised.shape[1]), dtype=np.int8), np.empty(size, dtype=np.int32)
    lost, worst = np.empty(size, dtype=np.float64), 0.0
    if size:
        narrow(quantised, narrow_rows, lost)
    for row in range(size):
        # Bytes of centers are stored 128 too high, since the instruction wants one side without a sign.
        offsets[row] = np.int32(-128) * narrow_rows[row].sum()
        if lost[row] <= MOST_LOST:
            worst = max(worst, lost[row])
    room = np.empty(size, dtype=np.int32), np.empty(PANEL, dtype=np.int32)
    narrowed = Narrowed(narrow_rows, offsets, lost, worst, room[0], room[1])
    tile, found = np.empty((TILE, PANEL), dtype=np.int32), np.empty((rows * PANEL, 3), dtype=np.int32)
    return floors, np.zeros(rows // TILE, dtype=np.int64), narrowed, tile, found


@compiled
def passing(
    quantised: Int16s,
    narrowed: Narrowed,
    panels: Panels,
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
    pairs, by row, then by center. The other arguments are those of `screening`.
    """
    place = panel if len(limits) > PANEL else 0
    if len(narrowed.rows) and panels.lost[panel] <= MOST_LOST:
        return _passing_bytes(quantised, narrowed, panels, panel, place, floors, limits, starts, tile, found)
    count = 0
    for number in range(len(quantised) // TILE):
        if panel >= starts[number]:
            count = _pass_tile(quantised, panels, panel, place, number * TILE, floors, limits, tile, found, count)
    return count


@compiled
def _pass_tile(
    quantised: Int16s,
    panels: Panels,
    panel: int,
    place: int,
    top: int,
    floors: Int32s,
    limits: Int32s,
    tile: Int32s,
    found: Int32s,
    count: int,
) -> int:
    hits = tile_products(quantised, top, panels.pairs, panel, floors, limits, place, tile, quantised.shape[1])
    if hits == 0:
        return count
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
def _passing_bytes(
    quantised: Int16s,
    narrowed: Narrowed,
    panels: Panels,
    panel: int,
    place: int,
    floors: Int32s,
    limits: Int32s,
    starts: Int64s,
    tile: Int32s,
    found: Int32s,
) -> int:
    """Do what `passing` does, bytes first. Tiles with a row that bytes express badly take 16 bits at once."""
    width, step, center_lost = quantised.shape[1], float(byte_step(quantised.shape[1])), panels.lost[panel]
    for lane in range(PANEL):
        narrowed.limits[lane] = _weaker(limits[place * PANEL + lane], narrowed.worst, center_lost, step)
    for row in range(len(quantised)):
        narrowed.floors[row] = _weaker(floors[row], narrowed.lost[row], center_lost, step)
    count = 0
    for number in range(len(quantised) // TILE):
        if panel < starts[number]:
            continue
        top = number * TILE
        if narrowed.lost[top : top + TILE].max() > MOST_LOST:
            count = _pass_tile(quantised, panels, panel, place, top, floors, limits, tile, found, count)
            continue
        hits = byte_products(
            narrowed.rows, top, panels.fours, panel, narrowed.offsets, narrowed.floors, narrowed.limits, tile, width
        )
        if hits == 0:
            continue
        for r in range(TILE):
            if not (hits >> r) & 1:
                continue
            for lane in range(PANEL):
                if tile[r, lane] < narrowed.floors[top + r] or tile[r, lane] < narrowed.limits[lane]:
                    continue
                center = panel * PANEL + lane
                product = row_product(quantised, top + r, panels.rows, center, width)
                if product >= floors[top + r] and product >= limits[place * PANEL + lane]:
                    found[count, 0], found[count, 1], found[count, 2] = top + r, center, product
                    count += 1
    return count
