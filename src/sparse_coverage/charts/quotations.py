"""Whether a text stands in a document word for word, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sparse_coverage.charts.chart import Quote
from sparse_coverage.errors import InputError
from sparse_coverage.index import PassageRecord

_QUOTED = re.compile(r'^["“”„«»‘’\s]+|["“”„«»‘’\s]+$')
_LEAST = 2
"""A quotation has at least so many words: one word alone shows nothing."""


def find_quotation(passages: Iterable[PassageRecord], text: str) -> Quote | None:
    """Return where a text stands in one of the passages; None where it stands in none.

    Quotation marks around it do not count, nor how its words are spaced; what is returned is verbatim from the passage.

    >>> passage = PassageRecord("X/1", "X", "description", "The plunger  is held by a spring.", "0001")
    >>> find_quotation([passage], "“held by a spring”").start, find_quotation([passage], "held by a magnet")
    (16, None)
    """
    words = _QUOTED.sub("", text).split()
    if len(words) < _LEAST:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    for passage in passages:
        if found := pattern.search(passage.text):
            start, end = found.span()
            return Quote(passage.id, passage.section, passage.number, found.group(), start, end, 1.0)
    return None


def require_quotation(passages: Iterable[PassageRecord], text: str, document: str) -> Quote:
    """Return where a quotation stands in a document; one that does not is refused."""
    found = find_quotation(passages, text)
    if found is None:
        raise InputError(
            f"The quotation does not stand in {document} word for word, or is a single word: '{text.strip()[:80]}'. "
            "Copy it from the text of the document."
        )
    return found
