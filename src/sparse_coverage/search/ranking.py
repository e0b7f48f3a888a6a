"""From scores of units to ranked units and documents. Higher score first, then corpus order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class RankedUnits:
    """Units with a positive score, best first."""

    units: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]

    def best_documents(self, documents: npt.NDArray[Any], k: int) -> list[int]:
        """Return the places, in this ranking, of the best unit of each of the first `k` documents."""
        _, first = np.unique(documents[self.units], return_index=True)
        places: list[int] = np.sort(first)[:k].tolist()
        return places


def rank_units(scores: npt.NDArray[np.float32]) -> RankedUnits:
    """Rank all units whose score is positive."""
    units = np.flatnonzero(scores > 0)
    order = np.lexsort((units, -scores[units]))
    return RankedUnits(units[order], scores[units[order]])
