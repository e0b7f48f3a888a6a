"""The state of a traversal: what each point knows, which centers were chosen (saved and taken up again), which lie near which."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.files import replacing
from sparse_coverage.kernels import Floats, Int32s, Int64s
from sparse_coverage.kernels.traversal import enter, nearest_older
from sparse_coverage.vocabulary.points import Centers

LISTS = 16
"""On how many lists of older centers a new center is put."""


@dataclass(slots=True, eq=False)
class TraversalState:
    """The arrays of a traversal. Any saved state is exact, so it does not matter when an interruption came.

    Per point: `bound`, `owner`, `seen`, `checked` (see `refresh`). Per center: `picked` (its row) and `gaps`.
    """

    bound: Floats
    owner: Int32s
    seen: Int32s
    checked: Int32s
    picked: Int64s
    gaps: Floats
    count: int = 0

    @property
    def of_points(self) -> tuple[Floats, Int32s, Int32s, Int32s]:
        """What is known of each point, in the order in which the compiled functions take it."""
        return self.bound, self.owner, self.seen, self.checked

    @classmethod
    def fresh(cls, total: int, count: int) -> TraversalState:
        """Return the state before the first center."""
        return cls(
            bound=np.full(total, np.inf, dtype=np.float32),
            owner=np.zeros(total, dtype=np.int32),
            seen=np.zeros(total, dtype=np.int32),
            checked=np.zeros(total, dtype=np.int32),
            picked=np.empty(count, dtype=np.int64),
            gaps=np.empty(count, dtype=np.float32),
        )

    def save(self, path: Path, seed: int, points: bytes = b"") -> None:
        """Replace the saved state in one step. `points` is their fingerprint."""
        with replacing(path) as stream:
            np.savez(
                stream,
                bound=self.bound,
                owner=self.owner,
                seen=self.seen,
                checked=self.checked,
                picked=self.picked[: self.count],
                gaps=self.gaps[: self.count],
                seed=np.int64(seed),
                points=np.frombuffer(points, dtype=np.uint8),
            )

    def restore(self, path: Path, seed: int, points: bytes = b"") -> None:
        """Take up a saved state, if it is there, whole, and of the same traversal; otherwise stay as it is."""
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as saved:
                if int(saved["seed"]) != seed or len(saved["bound"]) != len(self.bound):
                    return
                if saved["points"].tobytes() != points:
                    return
                arrays = {name: saved[name] for name in ("bound", "owner", "seen", "checked", "picked", "gaps")}
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return
        for name in ("bound", "owner", "seen", "checked"):
            getattr(self, name)[:] = arrays[name]
        count = min(len(arrays["picked"]), len(self.picked))
        self.picked[:count] = arrays["picked"][:count]
        self.gaps[:count] = arrays["gaps"][:count]
        self.count = count


class Followers:
    """For each center the newer centers around it, newest first, as linked lists in flat arrays.

    A point looks for a nearer center on its owner's list first. The lists only save work: no result depends on them.
    """

    def __init__(self, capacity: int) -> None:
        self.heads = np.full(capacity, -1, dtype=np.int64)
        self.nexts = np.empty(capacity * LISTS, dtype=np.int64)
        self.numbers = np.empty(capacity * LISTS, dtype=np.int32)
        self._entries = 0

    def add(self, first: int, leaders: Int32s) -> None:
        """Enter the centers from number `first` on; each row of `leaders` names the centers that one follows."""
        self._entries = enter(first, leaders, self.heads, self.nexts, self.numbers, self._entries)


def leaders_of(centers: Centers, first: int, last: int) -> Int32s:
    """Return, for each center from `first` to `last`, the older centers nearest to it (-1 where there are none)."""
    leaders = np.full((last - first, LISTS), -1, dtype=np.int32)
    nearest_older(centers.quantised, centers.panels, first, leaders)
    return leaders
