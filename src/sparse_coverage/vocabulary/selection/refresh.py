"""Bringing stale points up to date: first against a few likely centers, then, if that was not enough, against all unseen.

A point's bound is its canonical distance to the nearest of the centers it has met, so it can only be too large. `owner` is
that center, `seen` says that all centers below this number were met, `checked` that all followers of the owner below this
number were.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels import compiled
from sparse_coverage.vocabulary.canonical import row_distance
from sparse_coverage.vocabulary.products import PANEL, TILE, row_product, tile_products
from sparse_coverage.vocabulary.quantised import screen

Matrix = npt.NDArray[np.float32]
Quantised = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]

_NEVER = np.int32(2**31 - 1)


@compiled
def reaches(bound: np.float32, row: int, theta: np.float32, tie_row: int) -> bool:
    """Say whether a point comes before the threshold: farther than theta, or as far and in a lower row than `tie_row`."""
    return bool(bound > theta or (bound == theta and row < tie_row))


@compiled
def meet_followers(
    numbers: Rows,
    rows: Matrix,
    quantised: Quantised,
    bound: Matrix,
    owner: Ints,
    seen: Ints,
    checked: Ints,
    centers: Matrix,
    center_quantised: Quantised,
    heads: Rows,
    nexts: Rows,
    followers: Ints,
    count: int,
    margin: float,
) -> None:
    """Compare each point with the newer centers around its owner; where it finds a nearer one, go on from there."""
    width = quantised.shape[1]
    for i in range(len(numbers)):
        point = numbers[i]
        moved = True
        while moved:
            moved = False
            known = max(seen[point], checked[point])
            limit = screen(bound[point], margin)
            entry = heads[owner[point]]
            while entry >= 0 and followers[entry] >= known:
                center = followers[entry]
                if row_product(quantised, i, center_quantised, center, width) >= limit:
                    distance = row_distance(rows, i, centers, center)
                    if distance < bound[point]:
                        bound[point] = distance
                        owner[point] = center
                        limit = screen(distance, margin)
                        moved = True
                entry = nexts[entry]
            checked[point] = 0 if moved else count


@compiled
def meet_unseen(
    chosen: Rows,
    numbers: Rows,
    rows: Matrix,
    quantised: Quantised,
    bound: Matrix,
    owner: Ints,
    seen: Ints,
    checked: Ints,
    centers: Matrix,
    panels: npt.NDArray[np.int16],
    count: int,
    theta: np.float32,
    tie_row: int,
    margin: float,
) -> None:
    """Compare some of the points with all centers they have not seen; stop for a point once it falls below theta.

    `chosen` says which of the points, in the order of what they have seen, so that the rows of a tile start alike. Panels
    run in the outer loop: each is read once for all points.
    """
    if len(chosen) == 0:
        return
    width = quantised.shape[1]
    tiles = -(-len(chosen) // TILE)
    gathered = np.zeros((tiles * TILE, width), dtype=np.int16)
    limits = np.full(tiles * TILE, _NEVER, dtype=np.int32)
    starts = np.full(tiles, count // PANEL, dtype=np.int64)
    alive = np.zeros(tiles, dtype=np.int64)
    no_limits = np.full(PANEL, -(2**31), dtype=np.int32)
    out = np.empty((TILE, PANEL), dtype=np.int32)
    for i in range(len(chosen)):
        point = numbers[chosen[i]]
        gathered[i] = quantised[chosen[i]]
        limits[i] = screen(bound[point], margin)
        starts[i // TILE] = min(starts[i // TILE], seen[point] // PANEL)
        alive[i // TILE] += 1
    for panel in range(starts.min(), -(-count // PANEL)):
        for tile in range(tiles):
            if alive[tile] == 0 or panel < starts[tile]:
                continue
            hits = tile_products(gathered, tile * TILE, panels, panel, limits, no_limits, 0, out, width)
            if hits == 0:
                continue
            for r in range(TILE):
                if not (hits >> r) & 1:
                    continue
                i = tile * TILE + r
                limit = limits[i]
                point = numbers[chosen[i]]
                for lane in range(PANEL):
                    center = panel * PANEL + lane
                    if out[r, lane] >= limit and seen[point] <= center < count:
                        distance = row_distance(rows, chosen[i], centers, center)
                        if distance < bound[point]:
                            bound[point] = distance
                            owner[point] = center
                            checked[point] = 0
                limits[i] = screen(bound[point], margin)
                if not reaches(bound[point], point, theta, tie_row):
                    seen[point] = max(seen[point], min(count, (panel + 1) * PANEL))
                    limits[i] = _NEVER
                    alive[tile] -= 1
    for i in range(len(chosen)):
        point = numbers[chosen[i]]
        if reaches(bound[point], point, theta, tie_row):
            seen[point] = count
            checked[point] = count


@compiled
def choose(
    pool: Rows,
    distances: Matrix,
    rows: Matrix,
    quantised: Quantised,
    picked: Rows,
    gaps: Matrix,
    winners: Ints,
    theta: np.float32,
    tie_row: int,
    least: np.float32,
    first: int,
    margin: float,
) -> int:
    """Choose greedily inside a pool of up-to-date points, in row order, while its farthest reaches theta.

    Fills `picked` (places in the pool) and `gaps`, keeps `distances` current, notes in `winners` the center that lowered
    one (centers are numbered from `first`), and returns how many were chosen. A point no farther than `least` is not.
    """
    width = quantised.shape[1]
    chosen = 0
    best = 0
    for i in range(len(pool)):
        if distances[i] > distances[best]:
            best = i
    while chosen < len(picked) and len(pool):
        if not distances[best] > least or not reaches(distances[best], pool[best], theta, tie_row):
            break
        center = best
        picked[chosen] = center
        gaps[chosen] = distances[center]
        distances[center] = -np.inf
        for i in range(len(pool)):
            if distances[i] == -np.inf:
                continue
            if row_product(quantised, i, quantised, center, width) >= screen(distances[i], margin):
                distance = row_distance(rows, i, rows, center)
                if distance < distances[i]:
                    distances[i] = distance
                    winners[i] = first + chosen
            if distances[i] > distances[best]:
                best = i
        chosen += 1
    return chosen
