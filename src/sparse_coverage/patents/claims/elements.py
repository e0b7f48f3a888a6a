"""The elements of an independent claim: preamble, the parts it comprises, and what characterises it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

Role = Literal["preamble", "element", "characterising"]

_CHARACTERISED = re.compile(
    r"\b(?:characteri[sz]ed\s+(?:in\s+that|by(?:\s+that)?|in)|(?:where)?in\s+the\s+improvement\s+(?:comprises|comprising|is)"
    r"|the\s+improvement\s+(?:comprising|comprises|which\s+comprises|wherein|being)"
    r"|dadurch\s+gekennzeichnet\s*,?(?:\s*(?:dass|daß))?|gekennzeichnet\s+durch"
    r"|caract[ée]ris[ée]e?s?\s+(?:en\s+ce\s+que|par))\b\s*[:,]?",
    re.I,
)
_STEPS = r"(?:\s+(?:at\s+least\s+)?(?:the\s+)?(?:following\s+)?(?:steps?|elements?|components?)(?:\s+of)?(?=\s*:|\s*\(|\s+\w+ing\b))?"
_STRONG = (
    r"\b(?:compris(?:ing|es|e|ed\s+of)|consist(?:ing|s)(?:\s+essentially)?\s+of|composed\s+of|umfassend|umfasst"
    r"|bestehend\s+aus|comprenant|comportant)\b"
)
_WEAK = r"\b(?:having|has|including|includes|containing|contains|aufweisend|aufweist|enthaltend|enthält|ayant|contenant|incluant)\b"
_WHEREIN = r"\b(?:wherein|wobei|dans\s+(?:lequel|laquelle))\b"
# How sure a sign each is that the preamble ends: with a colon, a word of the claim language, an ordinary word.
_TRANSITIONS = (
    re.compile(rf"(?:{_STRONG}|{_WEAK}|{_WHEREIN}){_STEPS}\s*:", re.I),
    re.compile(rf"{_STRONG}{_STEPS}", re.I),
    re.compile(rf"{_WEAK}{_STEPS}", re.I),
)
_JOINT = r"(?:and|or|und|oder|et|ou)"
_BRACKETS = re.compile(r"\([^()]*\)")
_SEMICOLON = re.compile(rf";\s*(?:{_JOINT}\b\s*,?\s*)?")
# A label follows a comma, a colon or "and"; a reference numeral in brackets follows the word that it numbers.
_LABEL = re.compile(
    r"(?:(?<=[,;:]\s)|(?<=\band\s)|(?<=\bor\s))(?=(?:\(\s*(?:[a-z]|[ivx]{1,4}|\d{1,2})\s*\)|[a-z]\)|-(?=\s))\s*\S)"
)
_COMMA = re.compile(
    rf",\s*(?:{_JOINT}\s+)?(?=(?:an?|at\s+least|one\s+or\s+more|a\s+plurality|means|wherein|whereby|(?:and\s+)?(?:the|said)\s+\w+\s+being"
    r"|eine?[nmrs]?|mindestens|wenigstens|mehrere|wobei|une?|des|au\s+moins|plusieurs|dans\s+(?:lequel|laquelle))\b)",
    re.I,
)
_EDGE = ",;:"
_TRAILING_JOINT = re.compile(rf"[\s,;]{_JOINT}$", re.I)


@dataclass(frozen=True, slots=True)
class ClaimElement:
    """One element of a claim. `text` is exactly `claim.text[start:end]`."""

    role: Role
    start: int
    end: int
    text: str


def claim_elements(text: str) -> tuple[ClaimElement, ...]:
    """Split the text of an independent claim.

    The preamble runs up to and with "comprising" or its like, or to the end where there is none. The elements after it
    are cut at semicolons, else at labels such as "(a)", else at commas before an article. What follows "characterised
    in that" is cut the same way.

    >>> [e.text for e in claim_elements("A pump comprising: a housing; and a rotor, characterised in that it is round.")]
    ['A pump comprising:', 'a housing', 'a rotor', 'it is round.']
    """
    mark = _CHARACTERISED.search(text)
    known_end = mark.start() if mark else len(text)
    preamble_end = _preamble_end(text, known_end)
    elements = [*_trimmed(text, 0, preamble_end, "preamble")]
    if preamble_end < known_end:
        elements += _cut(text, preamble_end, known_end, "element")
    if mark:
        elements += _cut(text, mark.end(), len(text), "characterising")
    return tuple(elements)


def _preamble_end(text: str, end: int) -> int:
    """Return where the first transition ends, by the surest sign before the first semicolon."""
    semicolon = next(iter(_marks(_SEMICOLON, text, 0, end)), (end, end))[0]
    for pattern in _TRANSITIONS:
        if match := pattern.search(text, 0, semicolon):
            return match.end()
    return end


def _marks(separator: re.Pattern[str], text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Find separators, but not those within brackets: "(117; 413)" is one remark."""
    brackets = [match.span() for match in _BRACKETS.finditer(text, start, end)]
    openings = [first for first, _ in brackets]
    marks = []
    for match in separator.finditer(text, start, end):
        nearest = bisect_left(openings, match.start()) - 1
        if nearest < 0 or brackets[nearest][1] <= match.start():
            marks.append(match.span())
    return marks


def _cut(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    for separator in (_SEMICOLON, _LABEL, _COMMA):
        pieces = []
        opening = start
        for stop, restart in _marks(separator, text, start, end):
            pieces += _trimmed(text, opening, stop, role)
            opening = restart
        pieces += _trimmed(text, opening, end, role)
        if len(pieces) > 1:
            return pieces
    return _trimmed(text, start, end, role)


def _trimmed(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    while start < end and (text[start].isspace() or text[start] in _EDGE):
        start += 1
    end = _trimmed_end(text, start, end, ",;" if role == "preamble" else _EDGE)
    if role != "preamble" and (joint := _TRAILING_JOINT.search(text, max(start, end - 5), end)):
        end = _trimmed_end(text, start, joint.start(), _EDGE)
    return [ClaimElement(role, start, end, text[start:end])] if any(c.isalnum() for c in text[start:end]) else []


def _trimmed_end(text: str, start: int, end: int, edge: str) -> int:
    while end > start and (text[end - 1].isspace() or text[end - 1] in edge):
        end -= 1
    return end
