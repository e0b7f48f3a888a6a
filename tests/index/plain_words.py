"""Filters by words as a plain scan of all texts, with stems written down by hand: what the full-text index must agree with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

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
    claims: Sequence[str]
    body: Sequence[str]
    applicants: Sequence[str]
    inventors: Sequence[str]

    def texts(self, field: str) -> list[str]:
        return {
            "text": [self.title, *self.claims, *self.body],
            "title": [self.title],
            "claims": [*self.claims],
            "applicant": [*self.applicants],
            "inventor": [*self.inventors],
        }[field]


def plain_words(text: str) -> list[str]:
    """Runs of letters and digits, in small letters and without accents."""
    bare = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return re.findall(r"[^\W_]+", bare.lower())


def holds(document: PlainDocument, field: str, phrase: str) -> bool:
    """Whether a text of the field holds the words of a phrase one after the other; a word alone, in any form."""
    wanted, open_end = plain_words(phrase), phrase.rstrip().endswith("*")
    for text in document.texts(field):
        words = plain_words(text)
        for place in range(len(words) - len(wanted) + 1):
            here = words[place : place + len(wanted)]
            if here == wanted:
                return True
            if open_end and here[:-1] == wanted[:-1] and here[-1].startswith(wanted[-1]):
                return True
            if len(wanted) == 1 and not open_end and field in ("text", "title", "claims"):
                stems = [STEMS.get(word, word) for word in (here[0], wanted[0])]
                if stems[0] == stems[1]:
                    return True
    return False
