"""Which few documents together disclose every element of a claim: the closest one, and those that add what it lacks; and which do
without the closest one.

Up to three documents all sets are looked at, so the answer is exact. Beyond, the best sets of three are extended, a document at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import compress
from typing import Any

import numpy as np

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.chart import Verdict
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int64s

EXACT = 3
_SHOWN = 5
_KEPT = 100
"""So many of the best sets are compared with one another, and extended where more than three documents are allowed."""


@dataclass(frozen=True, slots=True)
class Part:
    """A document of a combination, and the labels of the elements that it is there for; `partly` are those that it has in part alone."""

    document: str
    discloses: tuple[str, ...]
    partly: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Combination:
    """The main document first, which is closest, then those that add what it lacks. `weakest` is the evidence of the weakest element.

    `lacks` are the elements that none of the documents has: what remains open.
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
    """The combinations that were found, best first, and the `runner_up`: the best one without the main document of the first, and its
    family. `missing`: the elements that no document has.

    `documents`: how many were looked at; `read`: how many of them closely. `exact`: whether all sets were looked at. `own`: how many of a
    user's own verdicts they start from; `left_out`: how many documents were left out as not relevant.
    """

    found: tuple[Combination, ...]
    missing: tuple[str, ...]
    documents: int
    runner_up: Combination | None = None
    exact: bool = True
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

    Sets that leave fewer elements open come before others, then those with fewer that are disclosed in part alone, then those of fewer
    documents; then the weakest element decides, then the nearness of `fields` (IPC symbols). No two documents of one of the `families`
    are combined, and none is there that adds nothing.
    """
    if most < 1:
        raise InputError(f"A combination has at least one document, not {most}.")
    if not documents:
        return Combinations((), tuple(labels), 0)
    kin = families or [frozenset((document,)) for document in documents]
    related = np.asarray([[bool(one & other) for other in kin] for one in kin])
    levels = np.digitize(evidence, (calibration.partly, calibration.disclosed))
    symbols = fields or [()] * len(documents)

    def best(columns: Int64s) -> list[Combination]:
        sets = _best_sets(evidence[:, columns], levels[:, columns], related[np.ix_(columns, columns)], most)
        made = [_combination(columns[list(one)], evidence, labels, documents, calibration, symbols) for one in sets]
        return sorted(made, key=_order)

    found = best(np.arange(len(documents)))
    again: list[Combination] = []
    if found:
        main = documents.index(found[0].parts[0].document)
        again = best(np.flatnonzero(~related[main]))
    missing = tuple(compress(labels, levels.max(1) == 0))
    shown = [one for one in found if len(one.lacks) == len(found[0].lacks)][:show]
    return Combinations(tuple(shown), missing, len(documents), again[0] if again else None, most <= EXACT, own)


def _order(one: Combination) -> tuple[object, ...]:
    partly = sum(len(part.partly) for part in one.parts)
    return len(one.lacks), partly, len(one.parts), -round(one.weakest, 3), -one.nearness, one.parts[0].document


def _best_sets(evidence: Floats, levels: Int64s, related: Any, most: int) -> list[tuple[int, ...]]:
    """Return the best sets of documents, of each of which every document has an element that no other of the set has as well.

    A set is left out where another of no more documents has some elements better and none worse.
    """
    count = evidence.shape[1]
    kept: list[tuple[tuple[float, ...], tuple[int, ...]]] = []
    grown: list[tuple[int, ...]] = [()]
    for size in range(1, min(most, count) + 1):
        larger: dict[tuple[int, ...], tuple[float, ...]] = {}
        for one in grown:
            # A set that needs each of its documents is made of sets that do, so all of them are met in the order of the columns.
            start = one[-1] + 1 if one and size <= EXACT else 0
            with_each = levels[:, start:]
            base = levels[:, one].max(1, initial=0, keepdims=True)
            fits = (with_each > base).any(0) & ~related[list(one), start:].any(0)
            for place in one:
                others = levels[:, [other for other in one if other != place]].max(1, initial=0, keepdims=True)
                fits &= (levels[:, [place]] > np.maximum(others, with_each)).any(0)
            every = np.maximum(base, with_each)
            weakest = np.maximum(evidence[:, one].max(1, initial=0.0, keepdims=True), evidence[:, start:]).min(0)
            for place in np.flatnonzero(fits).tolist():
                open_, partly = int((every[:, place] == 0).sum()), int((every[:, place] == 1).sum())
                larger[tuple(sorted((*one, start + place)))] = (open_, partly, size, -float(weakest[place]))
        kept = nsmallest(_KEPT, [*kept, *((key, one) for one, key in larger.items())])
        grown = [*larger] if size < EXACT else [one for _, one in kept if len(one) == size]
    sets = [one for _, one in kept]
    tops = [levels[:, one].max(1) for one in sets]
    return [
        one
        for one, top in zip(sets, tops, strict=True)
        if not any(
            len(other) <= len(one) and (above >= top).all() and (above > top).any()
            for other, above in zip(sets, tops, strict=True)
        )
    ]


def _combination(
    chosen: Int64s,
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


def family_of(id_: str, metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return what a document shares with others of its family."""
    name = metadata.get("family")
    return frozenset((id_, *metadata.get("family_members", ()), *((f"={name}",) if name else ())))
