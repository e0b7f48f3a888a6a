"""Expressions evaluated by a plain scan of all texts, with stems written down by hand: what the lists of words must agree with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sparse_coverage.index.filters import Dates, Document, Filter, Joined, Not, Term, Undated, Words
from sparse_coverage.index.words import Either, Phrase, Wanted

STEMS = {
    word: stem
    for stem, words in {
        "batteri": "battery batteries",
        "phase": "phase phases phased",
        "chang": "change changes changing changed",
        "cell": "cell cells",
        "acid": "acid acids",
        "lead": "lead leads leading",
        "valv": "valve valves",
        "h2o": "h2o",
        "muller": "muller",
        "a": "a",
        "elektrod": "elektrode",
        "elektroden": "elektroden",
    }.items()
    for word in words.split()
}
"""Words and their stems ; English endings alone are cut."""


@dataclass(frozen=True)
class PlainDocument:
    """A document as a scan sees it."""

    title: str
    claims: Sequence[str] = ()
    body: Sequence[str] = ()
    applicants: Sequence[str] = ()
    inventors: Sequence[str] = ()
    abstract: Sequence[str] = ()
    metadata: dict[str, object] = field(default_factory=dict)

    def texts(self, name: str) -> list[str]:
        return {
            "text": [self.title, *self.claims, *self.body, *self.abstract],
            "title": [self.title],
            "abstract": [*self.abstract],
            "claims": [*self.claims],
            "description": [*self.body],
            "applicant": [*self.applicants],
            "inventor": [*self.inventors],
        }[name]


def plain_words(text: str) -> list[str]:
    """Runs of letters and digits, in small letters and without accents."""
    bare = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return re.findall(r"[^\W_]+", bare.lower())


def meets(id_: str, document: PlainDocument, filter_: Filter) -> bool:
    """Whether a document meets a filter."""
    if isinstance(filter_, Joined):
        every = all if filter_.join is np.logical_and else any
        return every(meets(id_, document, part) for part in filter_.parts)
    if isinstance(filter_, Not):
        return not meets(id_, document, filter_.inner)
    if isinstance(filter_, Words):
        return any(_places(filter_.wanted, plain_words(text)) for text in document.texts(filter_.field))
    if isinstance(filter_, Dates | Undated):
        date = str(document.metadata.get(("publication_date", "priority_date")[filter_.column]) or "0")
        day = int(date.replace("-", "")) if len(date) == 10 else 0
        return day == 0 if isinstance(filter_, Undated) else max(filter_.first, 1) <= day <= filter_.last
    if isinstance(filter_, Document):
        return id_ == filter_.id
    assert isinstance(filter_, Term)
    given = document.metadata.get(filter_.field) or ()
    values = [given] if isinstance(given, str) else list(given)  # type: ignore[call-overload]
    return any(one.startswith(filter_.value) if filter_.prefix else one == filter_.value for one in values)


def _places(wanted: Wanted, words: list[str]) -> set[tuple[int, int]]:
    """Where a thing stands in a text: its first and last word."""
    if isinstance(wanted, Phrase):
        long = len(wanted.words)
        return {
            (place, place + long - 1)
            for place in range(len(words) - long + 1)
            if all(map(_is, words[place : place + long], wanted.words, [wanted.any_form] * long))
        }
    if isinstance(wanted, Either):
        return set().union(*(_places(part, words) for part in wanted.parts))
    found = set()
    for one in _places(wanted.left, words):
        for other in _places(wanted.right, words):
            for first, second in [(one, other)] if wanted.ordered else [(one, other), (other, one)]:
                if 1 <= second[0] - first[1] <= wanted.apart:
                    found.add((first[0], second[1]))
    return found


def _is(word: str, wanted: str, any_form: bool) -> bool:
    if any_form:
        return STEMS.get(word, word) == STEMS.get(wanted, wanted)
    if word and wanted and wanted[0] == "*":
        return _is(word, wanted[1:], False) or _is(word[1:], wanted, False)
    if not word or not wanted:
        return word == wanted.replace("*", "")
    return wanted[0] in ("?", word[0]) and _is(word[1:], wanted[1:], False)
