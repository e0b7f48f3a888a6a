"""Reasons a person can read, from the matches of an explanation: phrases of the query beside phrases of the passage.

Tokens and pieces of words are summed into the phrases they stand in, on both sides. Function words, numerals and pieces of
unlike words count in a score, because in their context they carry topic, but they are no reason by themselves: what they add
is one sum. So is what feedback adds, which comes from the passages that were found first and not from the query.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sparse_coverage.kernels import Doubles, Mask
from sparse_coverage.search.phrases import Found, Phrases
from sparse_coverage.search.results import Match, Place, Reason, Reasons

_ALIKE = 4
"""Two words of which only pieces met are alike if they begin with the same so many letters: plunger, plungers."""


def reasons_for(query: str, passage: str, matches: Iterable[Match]) -> Reasons:
    """Sum the matches of an explanation into reasons."""
    ours, theirs, every = Phrases.of(query), Phrases.of(passage), list(matches)
    contributions = np.asarray([match.contribution for match in every], np.float64)
    lent = np.asarray([bool(match.lender) for match in every], bool)
    at_ours = _found(ours, [match.query for match in every])
    at_theirs = _found(theirs, [match.passage for match in every])
    return summed_up(ours, theirs, at_ours, at_theirs, contributions, lent)


def summed_up(
    ours: Phrases, theirs: Phrases, at_ours: Found, at_theirs: Found, contributions: Doubles, lent: Mask
) -> Reasons:
    """Sum matches into reasons: where their spans lie on both sides, what each adds, and which are lent by feedback.

    Values are added in the order of the matches, so that every way to the same matches gives the same sums to the last bit.
    """
    own = ~lent & (at_ours.words >= 0) & (at_theirs.words >= 0)
    for row in np.flatnonzero(own & (at_ours.pieces | at_theirs.pieces)).tolist():
        # Where only pieces of words met, unlike words say nothing.
        own[row] = ours.words[at_ours.words[row]][:_ALIKE] == theirs.words[at_theirs.words[row]][:_ALIKE]
    rows = np.flatnonzero(own)
    queries, passages = ours.phrase_of[at_ours.words[rows]], theirs.phrase_of[at_theirs.words[rows]]
    pairs, places = np.unique(queries * len(theirs.phrases) + passages, return_inverse=True)
    sums = np.bincount(places, contributions[rows], len(pairs))
    # By the sum, then by where the phrases stand, as their numbers do.
    found = tuple(
        Reason(ours.phrases[pair // len(theirs.phrases)], theirs.phrases[pair % len(theirs.phrases)], value)
        for pair, value in ((int(pairs[place]), float(sums[place])) for place in np.argsort(-sums, kind="stable"))
    )
    return Reasons(found, _added(contributions[~own & ~lent]), _added(contributions[lent]))


def _found(phrases: Phrases, places: list[Place]) -> Found:
    starts, ends = (np.asarray([getattr(one, side) for one in places], np.int64) for side in ("start", "end"))
    return phrases.at(starts, ends)


def _added(values: Doubles) -> float:
    """Return a sum that is made one by one."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0
