"""Two vocabularies side by side: how they were made, what they share, and how well each covers the other."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs in the making, and what the centers have in common.

    `shared` counts centers that are equal bit by bit, `agreeing` how many of the first centers are the same in the same
    order. `covered` is the share of a vocabulary's centers that lie within the radius of the other's nearest center, and
    `distance` their median distance to it; both for the first vocabulary and for the second. They are None where the
    vectors come from different encoders, so that no distance between them means anything.
    """

    differences: dict[str, tuple[Any, Any]]
    shared: int
    agreeing: int
    median_radii: tuple[float, float]
    covered: tuple[float, float] | None
    distance: tuple[float, float] | None


def compare(first: Vocabulary, second: Vocabulary, *, threads: int | None = None) -> Comparison:
    """Compare two vocabularies."""
    mine, other = asdict(first.config), asdict(second.config)
    differences = {name: (mine[name], other[name]) for name in mine if mine[name] != other[name]}
    rows = [[row.tobytes() for row in np.ascontiguousarray(v.centers)] for v in (first, second)]
    agreeing = 0
    for a, b in zip(*rows, strict=False):
        if a != b:
            break
        agreeing += 1
    covered = distance = None
    if first.config.fingerprint == second.config.fingerprint:
        there, back = _reach(first, second, threads), _reach(second, first, threads)
        covered, distance = (there[0], back[0]), (there[1], back[1])
    return Comparison(
        differences=differences,
        shared=len(set(rows[0]) & set(rows[1])),
        agreeing=agreeing,
        median_radii=(float(np.median(first.radii)), float(np.median(second.radii))),
        covered=covered,
        distance=distance,
    )


def _reach(vocabulary: Vocabulary, other: Vocabulary, threads: int | None) -> tuple[float, float]:
    """Return how many of a vocabulary's centers the other one covers, and how far they are from it."""
    centers = np.ascontiguousarray(vocabulary.centers, dtype=np.float32)
    found = nearest_centers(centers, other.packed, threads=threads, quiet=True)[len(other)]
    covered = (found.distances <= other.radii[found.nearest]).mean()
    return float(covered), float(np.median(found.distances))
