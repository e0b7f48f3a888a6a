"""A text cut at its marked places: the one way in which the page, the reports and the office files mark what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sparse_coverage.search.results import Place, Reasons


@dataclass(frozen=True, slots=True)
class TextMark:
    """A place to be marked: how much it adds, the feature of the claim that it answers (its number, from 0; -1 for none), the name
    of the place and of those that it matches on the other side.
    """

    start: int
    end: int
    strength: float = 1.0
    feature: int = -1
    name: str = ""
    partner: str = ""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a text. `strength` is 0 where it is not marked, else its share of the strongest, so 1 for that one.

    `held` is the document of the index that the piece names.
    """

    text: str
    strength: float = 0.0
    feature: int = -1
    names: tuple[str, ...] = ()
    partners: tuple[str, ...] = ()
    held: str = ""


def with_links(
    pieces: Iterable[TextPiece], mentioned: Callable[[str], Iterable[tuple[int, int, str]]]
) -> list[TextPiece]:
    """Cut out what names documents of the index in the pieces that are not marked.

    >>> [(one.text, one.held) for one in with_links([TextPiece("see EP 1 A1.")], lambda text: [(4, 11, "EP-1-A1")])]
    [('see ', ''), ('EP 1 A1', 'EP-1-A1'), ('.', '')]
    """
    found: list[TextPiece] = []
    for piece in pieces:
        done = 0
        for start, end, id_ in () if piece.strength else mentioned(piece.text):
            found += [TextPiece(piece.text[done:start]), TextPiece(piece.text[start:end], held=id_)]
            done = end
        found.append(replace(piece, text=piece.text[done:]))
    return [one for one in found if one.text]


def cut_at(text: str, marks: Iterable[TextMark], start: int = 0, end: int | None = None) -> list[TextPiece]:
    """Cut a text, or a stretch of it, at its marked places; those that overlap become one, of the feature of the strongest.

    >>> [(one.text, one.strength) for one in cut_at("a coil spring", [TextMark(2, 6, 1.0), TextMark(2, 13, 2.0)])]
    [('a ', 0.0), ('coil spring', 1.0)]
    """
    end = len(text) if end is None else end
    joined: list[list[TextMark]] = []
    for mark in sorted(marks, key=lambda one: (one.start, -one.end)):
        if joined and mark.start < max(one.end for one in joined[-1]):
            joined[-1].append(mark)
        else:
            joined.append([mark])
    strongest = max((sum(one.strength for one in group) for group in joined), default=0.0) or 1.0
    pieces: list[TextPiece] = []
    done = start
    for group in joined:
        first, last = max(group[0].start, done), min(max(one.end for one in group), end)
        if last <= first:
            continue
        share = sum(one.strength for one in group) / strongest
        names = tuple(dict.fromkeys(one.name for one in group if one.name))
        partners = tuple(dict.fromkeys(one.partner for one in group if one.partner))
        feature = max(group, key=lambda one: one.strength).feature
        pieces += [TextPiece(text[done:first]), TextPiece(text[first:last], max(share, 0.01), feature, names, partners)]
        done = last
    return [one for one in [*pieces, TextPiece(text[done:end])] if one.text]


def passage_marks(reasons: Reasons | None, features: Sequence[Place] = (), name: str = "") -> list[TextMark]:
    """Return the places of a passage that its reasons name, each with the feature of the claim that it answers."""
    return [
        TextMark(
            one.passage.start,
            one.passage.end,
            one.contribution,
            feature_at(one.query, features),
            f"{name}-{one.passage.start}" if name else "",
            f"q-{one.query.start}" if name and one.query.text else "",
        )
        for one in (reasons.phrases if reasons else ())
    ]


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
