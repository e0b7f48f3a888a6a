"""Which centers lie near which: each new center is put on the lists of the older centers nearest to it.

A point looks for a nearer center on its owner's list first. The lists only save work: no result depends on them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels import compiled
from sparse_coverage.vocabulary.products import PANEL, TILE, tile_products
from sparse_coverage.vocabulary.quantised import Centers

LISTS = 16
"""On how many lists a new center is put."""


class Followers:
    """For each center the newer centers around it, newest first, as linked lists in flat arrays."""

    def __init__(self, capacity: int) -> None:
        self.heads = np.full(capacity, -1, dtype=np.int64)
        self.nexts = np.empty(capacity * LISTS, dtype=np.int64)
        self.numbers = np.empty(capacity * LISTS, dtype=np.int32)
        self._entries = 0

    def add(self, first: int, leaders: npt.NDArray[np.int32]) -> None:
        """Enter the centers from number `first` on; each row of `leaders` names the centers that one follows."""
        self._entries = _enter(first, leaders, self.heads, self.nexts, self.numbers, self._entries)


def leaders_of(centers: Centers, first: int, last: int) -> npt.NDArray[np.int32]:
    """Return, for each center from `first` to `last`, the older centers nearest to it (-1 where there are none)."""
    leaders = np.full((last - first, LISTS), -1, dtype=np.int32)
    _nearest_older(centers.quantised, centers.panels, first, leaders)
    return leaders


@compiled
def _enter(
    first: int,
    leaders: npt.NDArray[np.int32],
    heads: npt.NDArray[np.int64],
    nexts: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int32],
    entries: int,
) -> int:
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
def _nearest_older(
    quantised: npt.NDArray[np.int16],
    panels: npt.NDArray[np.int16],
    first: int,
    leaders: npt.NDArray[np.int32],
) -> None:
    width = quantised.shape[1]
    wanted = leaders.shape[1]
    gathered = np.zeros((TILE, width), dtype=np.int16)
    out = np.empty((TILE, PANEL), dtype=np.int32)
    values = np.empty((TILE, wanted), dtype=np.int32)
    floors = np.full(TILE, 2**31 - 1, dtype=np.int32)
    no_limits = np.full(PANEL, -(2**31), dtype=np.int32)
    for top in range(0, leaders.shape[0], TILE):
        size = min(TILE, leaders.shape[0] - top)
        values[:] = -(2**31)
        for r in range(size):
            gathered[r] = quantised[first + top + r]
        for panel in range(-(-(first + top + size) // PANEL)):
            for r in range(size):
                floors[r] = values[r, wanted - 1]
            hits = tile_products(gathered, 0, panels, panel, floors, no_limits, 0, out, width)
            for r in range(size):
                if not (hits >> r) & 1:
                    continue
                for lane in range(PANEL):
                    center = panel * PANEL + lane
                    value = out[r, lane]
                    if value <= values[r, wanted - 1] or center >= first + top + r:
                        continue
                    place = wanted - 1
                    while place > 0 and value > values[r, place - 1]:
                        values[r, place] = values[r, place - 1]
                        leaders[top + r, place] = leaders[top + r, place - 1]
                        place -= 1
                    values[r, place] = value
                    leaders[top + r, place] = center
