"""Which few documents together disclose every element of a claim: the closest one, and those that add what it lacks.

Up to three documents all sets are looked at, so the answer is exact. For more, documents are added one by one, each the one that
adds most; that takes at most 1 + 1/2 + … + 1/n times the fewest, where n is the most elements that one document discloses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.chart import Verdict
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats

EXACT = 3
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Part:
    """A document of a combination, and the labels of the elements that it is there for; `partly` are those that it has in part alone."""

    document: str
    discloses: tuple[str, ...]
    partly: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Combination:
    """The closest document first, then those that add what it lacks. `weakest` is the evidence of the weakest element.

    `lacks` are the elements that none of the documents has: a combination that lacks any is only the best there is.
    `verdict` is what every element is at least: disclosed, or partly. `nearness` is how near the fields (IPC) are: 1 the same subclass.
    """

    parts: tuple[Part, ...]
    weakest: float
    weakest_element: str
    verdict: Verdict
    nearness: float
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Combinations:
    """The combinations that were found, best first; where none has every element, the best that lack some. `missing`: the elements
    that no document has. `documents`: how many were looked at; `read`: how many of them closely. `bound`: how many times the fewest
    documents the answer may take; 1 where all sets were looked at. `own`: how many of a user's own verdicts they start from;
    `left_out`: how many documents were left out as not relevant.
    """

    found: tuple[Combination, ...]
    missing: tuple[str, ...]
    documents: int
    bound: float = 1.0
    own: int = 0
    left_out: int = 0
    read: int = 0


def combine(
    evidence: Floats,
    labels: Sequence[str],
    documents: Sequence[str],
    calibration: Calibration,
    *,
    most: int = 2,
    fields: Sequence[Sequence[str]] | None = None,
    families: Sequence[frozenset[str]] | None = None,
    show: int = _SHOWN,
    own: int = 0,
) -> Combinations:
    """Combine documents by their evidence (an element a row, a document a column), at most `most` in a combination.

    Sets that disclose everything come before those that partly do, fewer documents before more; then the weakest element decides,
    then the nearness of `fields` (IPC symbols). No two documents of one of the `families` are combined.
    """
    if most < 1:
        raise InputError(f"A combination has at least one document, not {most}.")
    if not documents:
        return Combinations((), tuple(labels), 0)
    missing = tuple(compress(labels, evidence.max(1) < calibration.partly))
    kin = families or [frozenset((document,)) for document in documents]
    symbols = fields or [()] * len(documents)
    chosen, bound = list[tuple[int, ...]](), 1.0
    if not missing and most <= EXACT:
        chosen = _all_sets(evidence, calibration, most, kin, show * 20)
    elif not missing:
        chosen, bound = _greedy(evidence, calibration, most, kin)
    chosen = chosen or _partial_sets(evidence, calibration, min(most, EXACT), kin, show * 20)
    made = [_combination(each, evidence, labels, documents, calibration, symbols) for each in chosen]
    made.sort(
        key=lambda one: (
            len(one.lacks),
            one.verdict.rank,
            len(one.parts),
            -round(one.weakest, 3),
            -one.nearness,
            one.parts[0].document,
        )
    )
    return Combinations(tuple(made[:show]), missing, len(documents), bound, own)


def _all_sets(
    evidence: Floats, calibration: Calibration, most: int, kin: Sequence[frozenset[str]], show: int
) -> list[tuple[int, ...]]:
    """Return the best sets of each size that none of their own parts makes needless."""
    for level in (calibration.disclosed, calibration.partly):
        for size in range(1, min(most, evidence.shape[1]) + 1):
            found = [one for one in _sets_of(evidence, size, level, show) if _apart(one, kin)]
            if found:
                return found
    return []


def _sets_of(evidence: Floats, size: int, level: float, show: int) -> Iterable[tuple[int, ...]]:
    """Return the sets of a size whose weakest element reaches a level, best first."""
    count = evidence.shape[1]
    kept: list[tuple[float, tuple[int, ...]]] = []
    for first in combinations(range(count), size - 1):
        start = first[-1] + 1 if first else 0
        base = evidence[:, first].max(1, keepdims=True, initial=0.0)
        weakest = np.maximum(base, evidence[:, start:]).min(0)
        for place in np.flatnonzero(weakest >= level).tolist():
            kept.append((-float(weakest[place]), (*first, start + place)))
    return [one for _, one in sorted(kept)[:show]]


def _partial_sets(
    evidence: Floats, calibration: Calibration, most: int, kin: Sequence[frozenset[str]], show: int
) -> list[tuple[int, ...]]:
    """Return the sets with most of the elements, grown from those in which each document adds something: fewest documents first.

    A set is left out where another of no more documents has some elements better and none worse.
    """
    count, has = evidence.shape[1], evidence >= calibration.partly
    found: list[tuple[int, int, float, tuple[int, ...]]] = []
    grown: list[tuple[int, ...]] = [()]
    for size in range(1, min(most, count) + 1):
        larger = [(*one, place) for one in grown for place in range(one[-1] + 1 if one else 0, count)]
        grown = [one for one in larger if _each_adds(has[:, one]) and _apart(one, kin)]
        for one in grown:
            best = evidence[:, one].max(1)
            found.append((-int((best >= calibration.partly).sum()), size, -float(best.sum()), one))
        found = sorted(found)[:show]
    sets = [one for *_, one in found]
    levels = [np.digitize(evidence[:, one].max(1), (calibration.partly, calibration.disclosed)) for one in sets]

    def betters(other: int, one: int) -> bool:
        above = levels[other] > levels[one]
        return bool(
            len(sets[other]) <= len(sets[one]) and above.any() and (above | (levels[other] == levels[one])).all()
        )

    every = range(len(sets))
    return [sets[one] for one in every if not any(betters(other, one) for other in every)]


def _each_adds(has: npt.NDArray[np.bool_]) -> bool:
    """Tell whether each document of a set (a column) has an element that none of the others has."""
    return bool((has & (has.sum(1, keepdims=True) == 1)).any(0).all())


def _greedy(
    evidence: Floats, calibration: Calibration, most: int, kin: Sequence[frozenset[str]]
) -> tuple[list[tuple[int, ...]], float]:
    for level in (calibration.disclosed, calibration.partly):
        covers = evidence >= level
        if not covers.any(1).all():
            continue
        left = np.ones(len(evidence), dtype=bool)
        chosen: list[int] = []
        while left.any() and len(chosen) < most:
            gains = covers[left].sum(0)
            gains[[any(mine & kin[other] for other in chosen) for mine in kin]] = 0
            best = int(np.argmax(gains + evidence.mean(0) * 1e-3))
            if not gains[best]:
                break
            chosen.append(best)
            left &= ~covers[:, best]
        if not left.any():
            largest = int(covers.sum(0).max())
            return [tuple(chosen)], float(sum(1 / n for n in range(1, largest + 1)))
    return [], 1.0


def _combination(
    chosen: Sequence[int],
    evidence: Floats,
    labels: Sequence[str],
    documents: Sequence[str],
    calibration: Calibration,
    fields: Sequence[Sequence[str]],
) -> Combination:
    of_set = evidence[:, list(chosen)]
    closest = max(
        range(len(chosen)),
        key=lambda place: ((of_set[:, place] >= calibration.disclosed).sum(), of_set[:, place].sum()),
    )
    order = [closest, *(place for place in range(len(chosen)) if place != closest)]
    parts, left = [], np.ones(len(labels), dtype=bool)
    for place in order:
        at = of_set[:, place]
        here = left & (at >= calibration.partly) & (at >= of_set.max(1))
        if place == closest:  # also what another has in stronger words
            here |= at >= calibration.disclosed
        left &= ~here
        in_part = here & (at < calibration.disclosed)
        parts.append(Part(documents[chosen[place]], tuple(compress(labels, here)), tuple(compress(labels, in_part))))
    best = of_set.max(1)
    weakest = int(np.argmin(best))
    near = [nearness(fields[chosen[closest]], fields[chosen[place]]) for place in order[1:]]
    verdict = calibration.verdict(float(best[weakest]))
    lacks = tuple(compress(labels, best < calibration.partly))
    return Combination(tuple(parts), float(best[weakest]), labels[weakest], verdict, min(near, default=1.0), lacks)


def nearness(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Return how near two fields are by their IPC symbols: 1 the same subclass, 0.5 the same class, 0.25 the same section.

    >>> nearness(["H04N 5/44"], ["H04N 7/01", "G06F 3/08"]), nearness(["H04N 5/44"], ["H01M 10/50"])
    (1.0, 0.25)
    """
    levels = ((4, 1.0), (3, 0.5), (1, 0.25))
    return max(
        (worth for size, worth in levels for one in ours for other in theirs if one[:size] == other[:size]), default=0.0
    )


def _apart(chosen: Sequence[int], kin: Sequence[frozenset[str]]) -> bool:
    return not any(kin[one] & kin[other] for one, other in combinations(chosen, 2))


def family_of(id_: str, metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return what a document shares with others of its family."""
    name = metadata.get("family")
    return frozenset((id_, *metadata.get("family_members", ()), *((f"={name}",) if name else ())))
