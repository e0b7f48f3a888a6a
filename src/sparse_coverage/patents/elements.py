"""The elements of an independent claim: preamble, the parts it comprises, and what characterises it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["preamble", "element", "characterising"]

_CHARACTERISED = re.compile(
    r"\b(?:characteri[sz]ed\s+(?:in\s+that|by(?:\s+that)?|in)|(?:where)?in\s+the\s+improvement\s+(?:comprises|comprising|is)"
    r"|the\s+improvement\s+(?:comprising|which\s+comprises)|dadurch\s+gekennzeichnet\s*,?\s*(?:dass|daß)?|caract[ée]ris[ée]e?s?\s+(?:en\s+ce\s+que|par))"
    r"\s*[:,]?",
    re.I,
)
_TRANSITION = re.compile(
    r"\b(?:comprising|comprises|comprise|consisting(?:\s+essentially)?\s+of|consists(?:\s+essentially)?\s+of|including|includes"
    r"|containing|contains|composed\s+of|having|umfassend|umfasst|bestehend\s+aus|comprenant|comportant)"
    r"(?:\s+(?:at\s+least\s+)?(?:the\s+)?(?:following\s+)?(?:steps?|elements?|components?)(?:\s+of)?(?=\s*:|\s*\(|\s+\w+ing\b))?\s*:?",
    re.I,
)
_SEMICOLON = re.compile(r"\s*;\s*(?:(?:and|or|und|oder|et|ou)\b\s*,?\s*)?")
# A label follows a comma, a colon or "and"; a reference numeral in brackets follows the word that it numbers.
_LABEL = re.compile(
    r"(?:(?<=[,;:]\s)|(?<=\band\s)|(?<=\bor\s))(?=(?:\(\s*(?:[a-z]|[ivx]{1,4}|\d{1,2})\s*\)|[a-z]\)|-(?=\s))\s*\S)"
)
_COMMA = re.compile(
    r",\s*(?:(?:and|or)\s+)?(?=(?:an?|at\s+least|one\s+or\s+more|a\s+plurality|means|wherein|whereby|wobei|(?:and\s+)?(?:the|said)\s+\w+\s+being)\b)",
    re.I,
)
_EDGE = " \t\n,;:"
_TRAILING_JOINT = re.compile(r"[\s,;]+(?:and|or|und|oder|et|ou)$", re.I)


@dataclass(frozen=True, slots=True)
class ClaimElement:
    """One element of a claim. `text` is exactly `claim.text[start:end]`."""

    role: Role
    start: int
    end: int
    text: str


def claim_elements(text: str) -> tuple[ClaimElement, ...]:
    """Split the text of an independent claim.

    The preamble runs up to and with "comprising" or its like. The elements after it are cut at semicolons, else at labels
    such as "(a)", else at commas before an article. What follows "characterised in that" is cut the same way.

    >>> [e.text for e in claim_elements("A pump comprising: a housing; and a rotor, characterised in that it is round.")]
    ['A pump comprising:', 'a housing', 'a rotor', 'it is round.']
    """
    mark = _CHARACTERISED.search(text)
    known_end = mark.start() if mark else len(text)
    transition = _TRANSITION.search(text, 0, known_end)
    preamble_end = transition.end() if transition else known_end
    elements = [*_trimmed(text, 0, preamble_end, "preamble")]
    if transition:
        elements += _cut(text, preamble_end, known_end, "element")
    if mark:
        elements += _cut(text, mark.end(), len(text), "characterising")
    return tuple(elements)


def _cut(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    for separator in (_SEMICOLON, _LABEL, _COMMA):
        marks = [match.span() for match in separator.finditer(text, start, end)]
        pieces = []
        opening = start
        for stop, restart in marks:
            pieces += _trimmed(text, opening, stop, role)
            opening = restart
        pieces += _trimmed(text, opening, end, role)
        if len(pieces) > 1:
            return pieces
    return _trimmed(text, start, end, role)


def _trimmed(text: str, start: int, end: int, role: Role) -> list[ClaimElement]:
    while start < end and text[start] in _EDGE:
        start += 1
    kept = " \t\n,;" if role == "preamble" else _EDGE
    while end > start and text[end - 1] in kept:
        end -= 1
    if role != "preamble" and (joint := _TRAILING_JOINT.search(text, start, end)):
        end = joint.start()
    return [ClaimElement(role, start, end, text[start:end])] if any(c.isalnum() for c in text[start:end]) else []
