"""Alternatives in a feature, of which a document needs one: "A, B or C", "selected from the group consisting of A, B and C"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_SEPARATOR = re.compile(r"\s{0,8}(?:[,;]\s{0,8}(?:and/or\b|or\b|and\b)?|\band/or\b|\bor\b|\band\b)\s{0,8}", re.I)
_OR = re.compile(r"\bor\b", re.I)
_SELECTED = re.compile(
    r"(?:selected|chosen)\s+(?:\w+\s+)?(?:from|as|between|among)\b|group\s+consisting|one\s+of|either|any\s+of|one\s+or\s+more\s+of",
    re.I,
)
_SHORT = 6
"""Before an "or", items of at most so many words between commas are alternatives."""
_FIRST, _LAST = 3, 4
"""So many words before the first separator, and behind the last "or", belong to the alternatives."""


def alternatives(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield groups of alternatives: items with an "or" before the last, and all that something is selected from.

    >>> text = "made of steel, brass or tin alloy"
    >>> [[text[start:end] for start, end in group] for group in alternatives(text)]
    [['made of steel', 'brass', 'tin alloy']]
    """
    cuts = list(_SEPARATOR.finditer(text))
    items = list(pairwise([0, *(edge for cut in cuts for edge in cut.span()), len(text)]))[::2]
    done = -1
    for number, cut in enumerate(cuts):
        if number <= done or not _OR.search(cut[0]):
            continue
        first = last = number
        while first and cuts[first - 1][0].strip() in (",", ";") and len(text[slice(*items[first])].split()) <= _SHORT:
            first -= 1
        while last + 1 < len(cuts) and _OR.search(cuts[last + 1][0]):
            last += 1
        group, done = items[first : last + 2], last
        head = [match.start() for match in re.finditer(r"\S+", text[slice(*group[0])])]
        tail = [match.end() for match in re.finditer(r"\S+", text[slice(*group[-1])])]
        if len(head) > _FIRST:
            group[0] = (group[0][0] + head[-_FIRST], group[0][1])
        if len(tail) > _LAST:
            group[-1] = (group[-1][0], group[-1][0] + tail[_LAST - 1])
        yield group
    for match in _SELECTED.finditer(text):
        stop = re.search(r"[;.]", text[match.end() :])
        end = match.end() + stop.start() if stop else len(text)
        edges = [edge for cut in _SEPARATOR.finditer(text, match.end(), end) for edge in cut.span()]
        group = [item for item in list(pairwise([match.end(), *edges, end]))[::2] if text[slice(*item)].strip()]
        if len(group) > 1:
            yield group
