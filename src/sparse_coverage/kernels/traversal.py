"""The steps of farthest-first: bringing stale points up to date, choosing among them, and lists of who follows whom.

Points are compared first with a few likely centers, then, if that was not enough, with all they have not seen.

A point's bound is its canonical distance to the nearest of the centers it has met, so it can only be too large. `owner` is
that center, `seen` says that all centers below this number were met, `checked` that all followers of the owner below this
number were.
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.kernels import PANEL, TILE, Floats, Int16s, Int32s, Int64s
from sparse_coverage.kernels.compiling import compiled, instruction
from sparse_coverage.kernels.dense import row_distance
from sparse_coverage.kernels.screening import ALWAYS, NEVER, Panels, passing, screen, screening

row_product = instruction("row_product")


@compiled
def reaches(bound: np.float32, row: int, theta: np.float32, tie_row: int) -> bool:
    """Say whether a point comes before the threshold: farther than theta, or as far and in a lower row than `tie_row`."""
    return bool(bound > theta or (bound == theta and row < tie_row))


@compiled
def meet_followers(
    numbers: Int64s,
    rows: Floats,
    quantised: Int16s,
    bound: Floats,
    owner: Int32s,
    seen: Int32s,
    checked: Int32s,
    centers: Floats,
    center_quantised: Int16s,
    heads: Int64s,
    nexts: Int64s,
    followers: Int32s,
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
    chosen: Int64s,
    numbers: Int64s,
    rows: Floats,
    quantised: Int16s,
    bound: Floats,
    owner: Int32s,
    seen: Int32s,
    checked: Int32s,
    centers: Floats,
    panels: Panels,
    count: int,
    theta: np.float32,
    tie_row: int,
    margin: float,
) -> None:
    """Compare some of the points with all centers they have not seen; stop for a point once it falls below theta.

    `chosen` says which of the points, in the order of what they have seen, so that the rows of a tile start alike.
    """
    if len(chosen) == 0:
        return
    tiles, last = -(-len(chosen) // TILE), -(-count // PANEL)
    gathered = np.zeros((tiles * TILE, quantised.shape[1]), dtype=np.int16)
    for i in range(len(chosen)):
        gathered[i] = quantised[chosen[i]]
    floors, starts, narrowed, tile, found = screening(gathered, len(chosen), panels)
    starts[:] = last
    limits, alive = np.full(PANEL, ALWAYS, dtype=np.int32), np.zeros(tiles, dtype=np.int64)
    ends = np.full(len(chosen), count, dtype=np.int32)
    for i in range(len(chosen)):
        point = numbers[chosen[i]]
        floors[i] = screen(bound[point], margin)
        starts[i // TILE] = min(starts[i // TILE], seen[point] // PANEL)
        alive[i // TILE] += 1
    for panel in range(starts.min(), last):
        for place in range(passing(gathered, narrowed, panels, panel, floors, limits, starts, tile, found)):
            i, center = found[place, 0], found[place, 1]
            point = numbers[chosen[i]]
            if not seen[point] <= center < count:
                continue
            distance = row_distance(rows, chosen[i], centers, center)
            if distance < bound[point]:
                bound[point] = distance
                owner[point] = center
                checked[point] = 0
            if floors[i] != NEVER:
                floors[i] = screen(bound[point], margin)
                if not reaches(bound[point], point, theta, tie_row):
                    floors[i] = NEVER
                    ends[i] = min(count, (panel + 1) * PANEL)  # the rest of this panel still comes
                    alive[i // TILE] -= 1
                    if alive[i // TILE] == 0:
                        starts[i // TILE] = last
    for i in range(len(chosen)):
        point = numbers[chosen[i]]
        seen[point] = max(seen[point], ends[i])
        if reaches(bound[point], point, theta, tie_row):
            checked[point] = count


@compiled
def choose(
    pool: Int64s,
    distances: Floats,
    rows: Floats,
    quantised: Int16s,
    picked: Int64s,
    gaps: Floats,
    winners: Int32s,
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


@compiled
def enter(first: int, leaders: Int32s, heads: Int64s, nexts: Int64s, numbers: Int32s, entries: int) -> int:
    """Put the centers from number `first` on at the heads of their leaders' lists; return how many entries there are then."""
    for row in range(leaders.shape[0]):
        for place in range(leaders.shape[1]):
            leader = leaders[row, place]
            if leader >= 0:
                numbers[entries] = first + row
                nexts[entries] = heads[leader]
                heads[leader] = entries
                entries += 1
    return entries


@compiled
def nearest_older(quantised: Int16s, panels: Panels, first: int, leaders: Int32s) -> None:
    """Fill `leaders` with the nearest older centers of each center from `first` on, by their quantised products."""
    size, wanted = leaders.shape
    tiles = -(-size // TILE)
    gathered = np.zeros((tiles * TILE, quantised.shape[1]), dtype=np.int16)
    gathered[:size] = quantised[first : first + size]
    values = np.full((size, wanted), ALWAYS, dtype=np.int32)
    floors, starts, narrowed, tile, found = screening(gathered, size, panels)
    limits = np.full(PANEL, ALWAYS, dtype=np.int32)
    last, done = -(-(first + size) // PANEL), 0
    for panel in range(last):
        while first + (done + 1) * TILE <= panel * PANEL:  # a tile needs no centers newer than its own
            starts[done] = last
            done += 1
        for i in range(passing(gathered, narrowed, panels, panel, floors, limits, starts, tile, found)):
            row, center, value = found[i, 0], found[i, 1], found[i, 2]
            if value <= values[row, wanted - 1] or center >= first + row:
                continue
            place = wanted - 1
            while place > 0 and value > values[row, place - 1]:
                values[row, place] = values[row, place - 1]
                leaders[row, place] = leaders[row, place - 1]
                place -= 1
            values[row, place] = value
            leaders[row, place] = center
            floors[row] = values[row, wanted - 1]
