"""Claims: splitting a text into claims, numbering, dependencies, and expanding a claim with what it depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sparse_coverage.errors import InputError
from sparse_coverage.patents.references import referenced_claims
from sparse_coverage.patents.types import Claim
from sparse_coverage.patents.xpath import passage_xpath

_PRINTED_NUMBER = re.compile(r"\s*(\d{1,4})\s*[.)]\s+(?=\S)")
_CANCELLED = re.compile(r"\s*\d{1,4}\s*\.?\s*[-–]\s*\d{1,4}\s*\.?\s*\(cancell?ed\)\s*(?=\d)", re.I)
_CLAIM_START = re.compile(r"(?:^|(?<=[.;:)\]\"”])\s|\n)\s*(\d{1,4})\s*\.\s+(?=[^\W\d_a-z]|\(|[\"“])")


def split_claims(text: str) -> list[str]:
    """Cut a text of numbered claims ("1. A pump … 2. The pump of claim 1 …") into claims, each with its number.

    A text without a number 1 is one claim.
    """
    starts: list[int] = []
    for match in _CLAIM_START.finditer(text):
        if int(match[1]) == len(starts) + 1:
            starts.append(match.start(1))
    if not starts:
        return [text] if text.strip() else []
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def numbered_claims(texts: Iterable[str]) -> tuple[Claim, ...]:
    """Make claims from their texts: an entry's position is its XPath, its printed number, if it has one, its number."""
    raw = []
    for index, text in enumerate(texts, start=1):
        if text.strip():
            raw.append((index, index, " ".join(text.split())))
    return make_claims(raw)


def make_claims(raw: Iterable[tuple[int, int, str]]) -> tuple[Claim, ...]:
    """Make linked claims from (position, number, text) triples.

    A number printed at the start of a text is taken off it, and trusted. Numbers always rise: one that does not is
    replaced by the next free one, so that dependencies can have no cycle.
    """
    claims: list[Claim] = []
    last = 0
    for position, number, text in raw:
        text = text[match.end() :] if (match := _CANCELLED.match(text)) else text
        if match := _PRINTED_NUMBER.match(text):
            number, text = int(match[1]), text[match.end() :]
        last = number if number > last else last + 1
        claims.append(Claim(last, text, passage_xpath("claims", "claim", position)))
    numbers = {claim.number for claim in claims}
    return tuple(
        replace(claim, depends_on=tuple(n for n in referenced_claims(claim.text, claim.number) if n in numbers))
        for claim in claims
    )


def expand_claim(claims: Sequence[Claim], number: int) -> tuple[Claim, ...]:
    """Return a claim preceded by all the claims it depends on, directly or not, in the order of their numbers."""
    by_number = {claim.number: claim for claim in claims}
    if number not in by_number:
        known = f"1 to {max(by_number)}" if by_number else "none"
        raise InputError(f"there is no claim {number}; the patent has {known}.")
    needed: set[int] = set()
    open_numbers = [number]
    while open_numbers:
        current = open_numbers.pop()
        if current not in needed and current in by_number:
            needed.add(current)
            open_numbers.extend(by_number[current].depends_on)
    return tuple(by_number[n] for n in sorted(needed))


def expanded_text(claims: Sequence[Claim], number: int) -> str:
    """Return the text of an expanded claim: what a claim means, with its ancestors, one a line."""
    return "\n".join(claim.text for claim in expand_claim(claims, number))


def independent_claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return the claims that refer to no other."""
    return tuple(claim for claim in claims if not claim.depends_on)
