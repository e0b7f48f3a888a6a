"""Showing spans to people: a piece of a word is shown as the whole word."""

from __future__ import annotations

import re

from sparse_coverage.search.types import Place

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def whole_words(text: str, place: Place) -> Place:
    """Widen a place to the words it touches.

    >>> whole_words("a solenoid valve", Place("noid", 6, 10)).text
    'solenoid'
    """
    start, end = place.start, place.end
    for word in _WORD.finditer(text, max(0, start - 80), min(len(text), end + 80)):
        if word.start() < end and word.end() > start:
            start, end = min(start, word.start()), max(end, word.end())
    return Place(text[start:end], start, end)
