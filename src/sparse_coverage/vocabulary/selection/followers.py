"""Which centers lie near which: each new center is put on the lists of the older centers nearest to it.

A point looks for a nearer center on its owner's list first. The lists only save work: no result depends on them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels.traversal import enter, nearest_older
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
        self._entries = enter(first, leaders, self.heads, self.nexts, self.numbers, self._entries)


def leaders_of(centers: Centers, first: int, last: int) -> npt.NDArray[np.int32]:
    """Return, for each center from `first` to `last`, the older centers nearest to it (-1 where there are none)."""
    leaders = np.full((last - first, LISTS), -1, dtype=np.int32)
    nearest_older(centers.quantised, centers.panels, first, leaders)
    return leaders
