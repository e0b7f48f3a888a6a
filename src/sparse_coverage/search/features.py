"""The features of a claim in a search: where they stand in the query, how much each counts, and what documents have of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparse_coverage.errors import InputError
from sparse_coverage.search.results import Hit, Place

TOUCHED, SOME = 0.6, 0.4
"""From which share of its words in one passage a feature is said to be touched there, or in part. Of 510 judged cells 59 reach the higher
one, of which 44 are disclosed and 9 partly; 126 the lower one alone, of which 48 and 29 are (`benchmarks/touched.py`)."""


@dataclass(frozen=True, slots=True)
class Touch:
    """What a document has of a feature: the largest share of its words in one passage, rare words counting more, and which one that is."""

    share: float
    passage: str = ""
    section: str = ""
    number: str = ""

    @property
    def level(self) -> str:
        """`touched`, `some`, or nothing: whether one passage has most of the words, some, or too few."""
        return "touched" if self.share >= TOUCHED else "some" if self.share >= SOME else ""


@dataclass(frozen=True, slots=True)
class Beyond:
    """The features of the claim that none of the first documents has, and documents that have some of them, best first."""

    lacking: tuple[str, ...]
    hits: tuple[Hit, ...]


def weighed_text(text: str, features: Sequence[tuple[str, int]]) -> str:
    """Return a query without the features that count 0 times; those that count more often stand there as often.

    >>> weighed_text("A pump with a rotor; and a lid.", [("A pump with", 1), ("a rotor", 0), ("a lid.", 2)])
    'A pump with ; and a lid. a lid.'
    """
    if features and not any(weight for _, weight in features):
        raise InputError("Every feature is left out. Let one count at least.")
    pieces, done = [], 0
    places = feature_places(text, (feature for feature, _ in features))
    for place, (_, weight) in zip(places, features, strict=True):
        if weight != 1 and place.end > place.start >= done:
            pieces += [text[done : place.start], " ".join([place.text] * weight)]
            done = place.end
    return "".join([*pieces, text[done:]])


def feature_at(place: Place, features: Sequence[Place]) -> int:
    """Return the number of the feature that a place of the query belongs to, -1 where it belongs to none."""
    return next((number for number, one in enumerate(features) if one.start <= place.start < one.end), -1)


def feature_places(query: str, features: Iterable[str]) -> list[Place]:
    """Return where the features of a claim stand in a query, one after the other; blanks and line ends are all the same.

    One that is not in it has an empty place at the end, so that each keeps its number.

    >>> feature_places("1. A pump with\\na rotor", ["A pump with", "a rotor", "a lid"])
    [Place(text='A pump with', start=3, end=14), Place(text='a rotor', start=15, end=22), Place(text='', start=22, end=22)]
    """
    flat, places = _flat(query)
    found: list[Place] = []
    after = 0
    for feature in features:
        wanted = " ".join(feature.split())
        at = flat.find(wanted, after) if wanted else -1
        if at < 0:
            found.append(Place("", len(query), len(query)))
            continue
        after = at + len(wanted)
        while flat.startswith(f" {wanted}", after):  # it counts twice
            after += 1 + len(wanted)
        start, end = places[at], places[after - 1] + 1
        found.append(Place(query[start:end], start, end))
    return found


def _flat(text: str) -> tuple[str, list[int]]:
    """Return a text with single blanks, and where each of its characters stood."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if letter.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
                places.append(place)
        else:
            letters.append(letter)
            places.append(place)
    return "".join(letters), places
