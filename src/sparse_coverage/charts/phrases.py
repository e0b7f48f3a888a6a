"""Phrases of an element beside phrases of a passage: what is there, what is missing, and what the passage says is not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from sparse_coverage.search.results import Place
from sparse_coverage.spans.noun_phrases import embedded_extractor
from sparse_coverage.text import content_words, stems, stems_of

_HALF = 0.5
_NOT = re.compile(
    r"\b(?:without|no|not|neither|nor|lack(?:s|ing)?|free\s(?:of|from)|devoid\sof|dispens\w+\swith|instead\sof|rather\sthan"
    r"|absence\sof|omit\w*|unlike|in\splace\sof|avoid\w*|fails?\sto)\b(?P<scope>(?:[\s,]+[\w-]+){1,5})",
    re.I,
)
_NOT_AFTER = re.compile(
    r"(?<![\w-])(?P<scope>(?:[\w-]+\s+){1,4}?)(?:in\sthe\susual\ssense\s)?(?:is|are|was|were|be|becomes?)\s+(?:not\b|no\slonger|omitted|dispensed|unnecessary|absent|superfluous)"
    r"(?!\sonly)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A phrase of an element and the phrase of a quotation that says the same.

    `quote` is the number of the quotation in its cell; `passage` is the place in its text.
    """

    element: Place
    passage: Place
    quote: int = 0


_GENERIC = stems(
    "device apparatus system method process arrangement assembly unit means element component member part portion amount weight degree"
    " dependence manner way case type kind form formula step set group plurality number integer presence effective therapeutically",
    "en",
)


def noun_phrases(texts: Sequence[str]) -> list[list[Place]]:
    """Return the noun phrases of each text that have at least one content word."""
    found = []
    for text, (starts, ends) in zip(texts, embedded_extractor().extract(texts), strict=True):
        places = [Place(text[a:b], int(a), int(b)) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        found.append([place for place in places if stems(place.text, "en")])
    return found


def telling(places: Sequence[Place]) -> list[Place]:
    """Return the phrases that say what an element asks for: no bare "device" or "portion", no numbers, which are compared as such.

    >>> [place.text for place in telling(noun_phrases(["A device with 100 parts by weight of a rubber"])[0])]
    ['rubber']
    """
    return [place for place in places if not place.text[0].isdigit() and not stems(place.text, "en") <= _GENERIC]


def denied(text: str) -> set[str]:
    """Return the stems of what a text says is not there.

    >>> sorted(denied("The valve works without a lock."))
    ['lock']
    """
    scopes = [match["scope"] for match in _NOT.finditer(text)]
    scopes += [match["scope"] for match in _NOT_AFTER.finditer(text)]
    return {word for scope in scopes for word in stems(scope, "en")}


def head(place: Place) -> str:
    """Return the stem of the last word of a phrase, which is what the phrase is about."""
    words = content_words(place.text, "en")
    return stems_of(words[-1].text)[-1] if words else ""


class Wanted:
    """A phrase of an element, as it is looked for by its words.

    >>> wanted = Wanted(Place("control unit", 2, 14), lambda word: {"control": 3.0, "unit": 1.0}[word])
    >>> wanted.named_by({"hydraul", "unit"}), wanted.named_by({"control", "unit"})
    (False, True)
    """

    def __init__(self, place: Place, rarity: Callable[[str], float]) -> None:
        self.place = place
        self.head = head(place)
        weights = {word: rarity(word) for word in stems(place.text, "en")}
        total = sum(weights.values()) or 1.0
        self._weights = {word: weight / total for word, weight in weights.items()}

    def named_by(self, words: Set[str]) -> bool:
        """Return whether words name the phrase: what it is about, and half of its words, rare ones counting more."""
        return self.head in words and sum(self._weights.get(word, 0.0) for word in words) >= _HALF
