"""Places of a text as people read them: whole words, places as one cites them, and a text cut at its marked places.

The page, the reports and the office files mark what was found in this one way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sparse_coverage.charts.chart import Quote
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents.passages import PARAGRAPHS
from sparse_coverage.search.features import feature_at
from sparse_coverage.search.results import (
    Answers,
    Match,
    PassageHit,
    Place,
    Reasons,
    Unsearched,
)
from sparse_coverage.text import content_words, sentence_ends, stems_of

_LINE_END = re.compile(r"[\r\n]")
_ORDINAL = re.compile(r"\[(\d{1,9})\](?::\d{1,9})?$")
_NUMBERS = re.compile(r"\d+(?:–\d+)?")
_WORD = re.compile(r"\w[\w\u00ad\u200b-\u200d]*(?:[-'’]\w+)*")


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


def words_at(text: str, places: Iterable[Place], but: Iterable[Place] = ()) -> list[str]:
    """Return the distinct words at some places, in small letters, without those of which any piece is at the other places.

    >>> words_at("A solenoid, a spring", [Place("sole", 2, 6), Place("spring", 14, 20)], but=[Place("noid", 6, 10)])
    ['spring']
    """
    left_out = {whole_words(text, place).text.lower() for place in but}
    words = dict.fromkeys(whole_words(text, place).text.lower() for place in places)
    return [word for word in words if word not in left_out]


def missing_words(answers: Answers) -> list[str]:
    """Return the words of a query that a whole document has nothing for."""
    return words_at(answers.query, answers.missing)


def missing_sentence(words: Sequence[str], what: str) -> str:
    """Say what of a query or claim a document has nothing for.

    >>> missing_sentence(["spring", "coil"], "claim")
    'Of the claim, nothing in this document answers: spring, coil.'
    >>> missing_sentence([], "claim")
    'Every word of the claim that counts finds something in this document.'
    """
    if not words:
        return f"Every word of the {what} that counts finds something in this document."
    return f"Of the {what}, nothing in this document answers: {', '.join(words)}."


def unsearched_words(query: str, unsearched: Unsearched, searched: Sequence[Place]) -> list[tuple[str, list[str]]]:
    """Return the words of a query that nothing is compared with, each list with its reason; empty ones are left out."""
    common = words_at(query, unsearched.common, but=searched)
    uncovered = words_at(query, unsearched.uncovered, but=[*searched, *unsearched.common])
    reasons = [("too common to count", common), ("outside every center", uncovered)]
    return [(why, words) for why, words in reasons if words]


def place_in(document: str, passage: PassageHit) -> str:
    """Return where a passage stands in its document, with the printed number of a paragraph.

    >>> place_in("EP-1-A1", PassageHit("EP-1-A1/description/p[3]", "EP-1-A1", "description", "A pump.", 1.0, "0034"))
    'description/p[3] [0034]'
    """
    number = printed_number(passage.section, passage.number) if passage.section == "description" else ""
    return f"{within(document, passage.id)} {number}".rstrip()


def cited_place(section: str, number: str, passage: str) -> str:
    """Return where a passage stands as a reader cites it: by what is printed, else by its place in the order.

    >>> cited_place("description", "0034", "EP-1-A1/description/p[3]"), cited_place("claims", "17", "EP-1-A1/claims/claim[17]:4")
    ('paragraph [0034]', 'claim 17')
    >>> cited_place("description", "0007–0008", "EP-1-A1/description/p[8]"), cited_place("abstract", "", "US-1-A/abstract/p[1]")
    ('paragraphs [0007]–[0008]', 'abstract')
    >>> cited_place("description", "column 3, line 12", "US-1-A/description/p[3]")
    'column 3, line 12'
    >>> cited_place("description", "", "US-1-A/description/p[3]:2"), cited_place("description", "paragraphs 2–3", "US-1-A/description/p[3]")
    ('description, paragraph 3', 'description, paragraphs 2–3')
    """
    ordered = _ORDINAL.search(passage)
    if section == "claims":
        return f"claim {number or (ordered[1] if ordered else '')}".strip()
    if number.startswith(PARAGRAPHS):
        return f"{section}, {number}"
    if _NUMBERS.fullmatch(number):
        return f"paragraph{'s' if '–' in number else ''} {printed_number(section, number)}"
    if number:
        return number
    if section == "description" and ordered:
        return f"description, paragraph {ordered[1]}"
    return {"title+abstract": "title and abstract", "document": "text"}.get(section, section) or "text"


def cited(one: PassageHit | PassageRecord | Quote) -> str:
    """Return where a passage or a quotation stands, as a reader cites it."""
    return cited_place(one.section, one.number, one.passage if isinstance(one, Quote) else one.id)


def printed_number(section: str, number: str) -> str:
    """Return a number as it is printed before its paragraph or claim; nothing where none is.

    >>> printed_number("description", "0007–0008"), printed_number("claims", "3"), printed_number("description", "paragraphs 2–3")
    ('[0007]–[0008]', '3.', '')
    """
    if not number or number.startswith(PARAGRAPHS):
        return ""
    return f"{number}." if section == "claims" else "–".join(f"[{one}]" for one in number.split("–"))


def within(document: str, passage: str) -> str:
    """Return the id of a passage without that of its document.

    >>> within("EP-1-A1", "EP-1-A1/claims/claim[1]")
    'claims/claim[1]'
    """
    return passage.removeprefix(document).lstrip("/")


def flat(text: str) -> str:
    """Return a text in one line, with every character at its place."""
    return _LINE_END.sub(" ", text)


def shared_words(query: str, text: str) -> list[Place]:
    """Return where words of a query stand in a text, without those that say nothing: the longest first, each once.

    Words with hyphens share what one of their parts says, as they do in the search by words.

    >>> [place.text for place in shared_words("a plunger biased by a spring", "The spring of the plunger, a spring.")]
    ['plunger', 'spring']
    >>> [place.text for place in shared_words("a hand tool, an x-axis", "A multi-tool kit for x-rays.")]
    ['multi-tool']
    """
    asked = {part for word in content_words(query) for part in _parts(word.text)}
    found: dict[frozenset[str], Place] = {}
    for word in content_words(text):
        if shared := _parts(word.text) & asked:
            found.setdefault(shared, Place(*word))
    return sorted(found.values(), key=lambda place: (place.start - place.end, place.start))


def _parts(word: str) -> frozenset[str]:
    """Return the stems of a word's parts; one letter beside others says nothing."""
    parts = frozenset(stems_of(word))
    return frozenset(part for part in parts if len(part) > 1) or parts


def snippet(text: str, places: Sequence[Place], length: int) -> tuple[int, int]:
    """Return where to cut a text that is longer than so many characters: around the strongest of some places, strongest first.

    Whole sentences from the one with the strongest place on, as far as they fit; a longer sentence is cut between words.

    >>> text = "The pump is old. A plunger is biased by a spring. It closes."
    >>> text[slice(*snippet(text, [Place("plunger", 19, 26)], 40))]
    'A plunger is biased by a spring.'
    """
    if len(text) <= length:
        return 0, len(text)
    ends = sentence_ends(text)
    strongest = places[0] if places else Place("", 0, 0)
    begin = max((end for end in [0, *ends] if end <= strongest.start), default=0)
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    if strongest.end > begin + length:  # far into a long sentence, as in a claim
        begin = text.find(" ", max(begin, strongest.start - length // 2)) + 1
    last = max((end for end in ends if begin < end <= begin + length), default=0)
    return begin, last or max(text.rfind(" ", begin + 1, begin + length), strongest.end, begin + 1)


def query_words(query: str, match: Match) -> str:
    """Return the words of the query that a match starts from, or those that another passage lent it, and which."""
    return f"{match.query.text} (lent by {match.lender})" if match.lender else whole_words(query, match.query).text


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
