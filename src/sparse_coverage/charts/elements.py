"""The rows of a chart: the elements of a claim, labelled, each with its place in the claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Claim
from sparse_coverage.patents.claims import (
    ClaimElement,
    added_elements,
    claim_elements,
    expand_claim,
    is_cancelled,
    missing_parents,
    numbered_claims,
    split_claims,
    without_reference,
)
from sparse_coverage.patents.claims.elements import Role
from sparse_coverage.patents.claims.other_languages import claim_language
from sparse_coverage.text import stems

_CATEGORIES = stems("method process device apparatus system product article assembly arrangement machine medium", "en")
"""What a dependent claim may call its parent, whatever that is called itself."""
_NAMES = re.compile(r"(?:the|said)\b(?:(?!\b(?:is|are|has|have|includes?|comprises?)\b).)*", re.I | re.S)
"""What names a thing that the claim knows already, and says nothing of it."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a claim: `text` is exactly `claim.text[start:end]`; `label` is the claim's number and a letter, `1b`."""

    label: str
    claim: int
    role: Role
    start: int
    end: int
    text: str


def read_claims(text: str) -> tuple[Claim, ...]:
    """Return the claims of a text: one, or several that are numbered."""
    claims = tuple(claim for claim in numbered_claims(split_claims(text)) if not is_cancelled(claim.text))
    if not claims:
        raise InputError("The claim is empty. Give its text.")
    return claims


def chart_elements(claims: Sequence[Claim]) -> tuple[Element, ...]:
    """Split claims into elements. A dependent claim gives what it adds: what only names or repeats its parent is none.

    >>> [(e.label, e.text) for e in chart_elements(read_claims("A pump comprising a housing, and a rotor."))]
    [('1a', 'A pump comprising'), ('1b', 'a housing'), ('1c', 'a rotor.')]
    """
    found, lacking = [], missing_parents(claims)
    for claim in claims:
        rows: Sequence[ClaimElement] = claim_elements(claim.text)
        if claim.depends_on or claim.number in lacking:
            parents = "\n".join(parent.text for parent in expand_claim(claims, claim.number)[:-1])
            parts = added_elements(claim.text)
            if claim_language(claim.text):
                rows = [part for part in parts if part.role != "preamble"]
            else:
                rows = [row for part in parts if (row := _added(part, parents)) is not None]
        for number, part in enumerate(rows):
            found.append(
                Element(_label(claim.number, number), claim.number, part.role, part.start, part.end, part.text)
            )
    return tuple(found)


def _added(part: ClaimElement, parents: str) -> ClaimElement | None:
    """Return what a part of a dependent claim adds to the text of its parents; None for what only names or repeats these."""
    row = without_reference(part)
    if row is None or (part.role != "preamble" and (row is part or not _NAMES.fullmatch(row.text))):
        return row
    if part.role == "preamble" and row is not part and (not parents or _NAMES.match(row.text)):
        return None
    return None if stems(row.text, "en") <= stems(parents, "en") | _CATEGORIES else row


def parents_note(claims: Sequence[Claim]) -> str:
    """Say which claims depend on others that are not given, and ask for these; nothing where none does.

    >>> parents_note(read_claims("The pump of claim 1, wherein the rotor is round."))
    'A parent is missing: claim 1 depends on claim 1. Only what is added is charted; give the text of the parent as well.'
    """
    lacking = missing_parents(claims)
    if not lacking:
        return ""
    told = ", ".join(f"claim {number} depends on {parent}" for number, parent in lacking.items())
    return f"A parent is missing: {told}. Only what is added is charted; give the text of the parent as well."


def given_elements(claims: Sequence[Claim], lines: Iterable[str]) -> tuple[Element, ...]:
    """Return the elements that a user wrote down, one a line, in the order of the claims and in the words of the claims.

    A line may begin with a label and a tab; without one, elements are labelled 1a, 1b and so on.
    """
    found: list[Element] = []
    counts = dict.fromkeys((claim.number for claim in claims), 0)
    place = 0
    for row, line in enumerate(lines, 1):
        label, tab, rest = line.rstrip("\r\n").partition("\t")
        text = (rest if tab else label).strip()
        if not text or text.startswith("#"):
            continue
        while place < len(claims):
            claim = claims[place]
            after = found[-1].end if found and found[-1].claim == claim.number else 0
            start = claim.text.find(text, after)
            if start >= 0:
                break
            place += 1
        else:
            raise InputError(
                f"Line {row} of the elements is not in the claim, after what comes before it: '{text[:80]}'."
            )
        name = label.strip() if tab and label.strip() else _label(claim.number, counts[claim.number])
        counts[claim.number] += 1
        found.append(Element(name, claim.number, "element", start, start + len(text), text))
    if not found:
        raise InputError("The file of elements is empty. Write one element a line, in the words of the claim.")
    if len({element.label for element in found}) < len(found):
        raise InputError("Two elements have the same label. Give each its own.")
    return tuple(found)


def _label(claim: int, number: int) -> str:
    letters = ""
    while number >= 0:
        letters = chr(ord("a") + number % 26) + letters
        number = number // 26 - 1
    return f"{claim}{letters}"
