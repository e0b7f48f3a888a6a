"""Phrases of an element beside phrases of a passage: what is there, what is missing, and what the passage says is not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cache

import numpy as np

from sparse_coverage.charts.sentences import word_tokens
from sparse_coverage.encoding import TokenVectors
from sparse_coverage.kernels import Floats
from sparse_coverage.search.phrases import FUNCTION_WORDS
from sparse_coverage.search.results import Place
from sparse_coverage.spans.noun_phrases.extractor import EmbeddedExtractor

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ies", "ed", "er", "es", "s", "y", "e")
_HALF = 0.5
_NOT = re.compile(
    r"\b(?:without|no|not|neither|nor|lack(?:s|ing)?|free\s(?:of|from)|devoid\sof|dispens\w+\swith|instead\sof|rather\sthan"
    r"|absence\sof|omit\w*|unlike|in\splace\sof|avoid\w*|fails?\sto)\b(?P<scope>(?:[\s,]+[\w-]+){1,5})",
    re.I,
)
_NOT_AFTER = re.compile(
    r"(?P<scope>(?:[\w-]+\s+){1,4}?)(?:in\sthe\susual\ssense\s)?(?:is|are|was|were|be|becomes?)\s+(?:not\b|no\slonger|omitted|dispensed|unnecessary|absent|superfluous)"
    r"(?!\sonly)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A phrase of an element and the phrase of a quotation that says the same, by its words or by its vector.

    `quote` is the number of the quotation in its cell; `passage` is the place in its text.
    """

    element: Place
    passage: Place
    likeness: float
    quote: int = 0


def stem(word: str) -> str:
    """Return a word without its ending.

    >>> stem("Springs") == stem("spring"), stem("cells") == stem("cell")
    (True, True)
    """
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= min(4, 2 + len(ending)):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def stems(text: str) -> set[str]:
    """Return the stems of the words that say something; parts of a compound count, too."""
    found = set()
    for word in WORD.findall(text):
        for part in {word, *re.split(r"[-'’]", word)}:
            if len(part) > 1 and part.lower() not in FUNCTION_WORDS:
                found.add(stem(part))
    return found


_GENERIC = stems(
    "device apparatus system method process arrangement assembly unit means element component member part portion amount weight degree"
    " dependence manner way case type kind form formula step set group plurality number integer presence effective therapeutically"
)


@cache
def _extractor() -> EmbeddedExtractor:
    return EmbeddedExtractor()


def noun_phrases(texts: Sequence[str]) -> list[list[Place]]:
    """Return the noun phrases of each text that say something."""
    found = []
    for text, (starts, ends) in zip(texts, _extractor().extract(texts), strict=True):
        places = [Place(text[a:b], int(a), int(b)) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        found.append([place for place in places if stems(place.text)])
    return found


def telling(places: Sequence[Place]) -> list[Place]:
    """Return the phrases that say what an element asks for: no bare "device" or "portion", no numbers, which are compared as such.

    >>> [place.text for place in telling(noun_phrases(["A device with 100 parts by weight of a rubber"])[0])]
    ['rubber']
    """
    return [place for place in places if not place.text[0].isdigit() and not stems(place.text) <= _GENERIC]


def phrase_vectors(text: str, tokens: TokenVectors, places: Sequence[Place], middle: Floats) -> Floats:
    """Return the mean vector of each phrase, the common direction taken off, of length 1."""
    unit, starts, ends = word_tokens(text, tokens)
    rows = np.zeros((len(places), unit.shape[1]), np.float32)
    for number, place in enumerate(places):
        inside = (starts < place.end) & (ends > place.start)
        if inside.any():
            rows[number] = unit[inside].mean(0) - middle
    unit_rows: Floats = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return unit_rows


def denied(text: str) -> set[str]:
    """Return the stems of what a text says is not there.

    >>> sorted(denied("The valve works without a lock."))
    ['lock']
    """
    scopes = [match["scope"] for match in _NOT.finditer(text)]
    scopes += [match["scope"] for match in _NOT_AFTER.finditer(text)]
    return {word for scope in scopes for word in stems(scope)}


def head(place: Place) -> str:
    """Return the stem of the last word of a phrase, which is what the phrase is about."""
    words = [word for word in WORD.findall(place.text) if word.lower() not in FUNCTION_WORDS]
    return stem(words[-1]) if words else ""


class Wanted:
    """A phrase of an element, as it is looked for by its words.

    >>> wanted = Wanted(Place("control unit", 2, 14), lambda word: {"control": 3.0, "unit": 1.0}[word])
    >>> wanted.named_by("unit", {"hydraul", "unit"}), wanted.named_by("unit", {"control", "unit"})
    (False, True)
    """

    def __init__(self, place: Place, rarity: Callable[[str], float]) -> None:
        self.place = place
        self.head = head(place)
        weights = {word: rarity(word) for word in stems(place.text)}
        total = sum(weights.values()) or 1.0
        self._weights = {word: weight / total for word, weight in weights.items()}

    def named_by(self, what: str, words: Set[str]) -> bool:
        """Return whether words about `what` name the phrase: the same thing, and half of its words, rare ones counting more."""
        return what == self.head and sum(self._weights.get(word, 0.0) for word in words) >= _HALF
