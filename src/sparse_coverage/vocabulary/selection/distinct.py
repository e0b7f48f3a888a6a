"""How many different points there are, so that asking for too many centers fails at once and not at the end."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import VocabularyError
from sparse_coverage.vocabulary.points import Points

BLOCK = 4096

Rows = npt.NDArray[np.int64]


def distinct_rows(points: Points, order: Rows, wanted: int) -> Rows:
    """Return the first `wanted` rows of an order (or as many as there are), leaving out those equal to an earlier one.

    >>> points = Points(np.array([[1, 0], [0, 1], [1, 0], [0.6, 0.8]], np.float32))
    >>> distinct_rows(points, np.arange(4), 3).tolist()
    [0, 1, 3]
    """
    taken: dict[bytes, int] = {}
    for top in range(0, len(order), BLOCK):
        part = order[top : top + BLOCK]
        for row, vector in zip(part.tolist(), points.rows(part), strict=True):
            taken.setdefault(hashlib.blake2b(vector, digest_size=16).digest(), row)
            if len(taken) == wanted:
                return np.fromiter(taken.values(), dtype=np.int64)
    return np.fromiter(taken.values(), dtype=np.int64)


def check_enough(points: Points, wanted: int) -> None:
    """Refuse more centers than there are different rows. Reads little more than `wanted` rows where there are enough."""
    found = len(distinct_rows(points, np.arange(len(points)), wanted))
    if found < wanted:
        raise too_few(wanted, len(points), found, exactly=False)


def too_few(wanted: int, total: int, found: int, *, exactly: bool = True) -> VocabularyError:
    """Return the error that says how many centers are possible."""
    return VocabularyError(
        f"{wanted:,} centers were asked for, but the {total:,} spans hold only {found:,} distinct points"
        f"{'' if exactly else ' at most'}. Choose a vocabulary size of at most {found:,}, or give more text."
    )
