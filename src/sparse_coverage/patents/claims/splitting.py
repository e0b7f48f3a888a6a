"""Claims: splitting a text into claims, numbering, dependencies, and expanding a claim with what it depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sparse_coverage.errors import InputError
from sparse_coverage.patents.claims.references import referenced_claims
from sparse_coverage.patents.patent import Claim
from sparse_coverage.patents.xpath import passage_xpath

# "1. A", "1) A", "1.A", "Claim 1: A", and "1-19. (cancelled)"; but not "1.5 mm" or "17.beta.-estradiol".
_LABEL = (
    r"(?:[Cc](?:laim|LAIM)\s(?P<named>\d{1,4})\s?[.:)]|(?P<number>\d{1,4})(?:\s?\.?\s?[-–]\s?(?P<last>\d{1,4}))?\s?[.)])"
    r"(?:\s+(?=\S)|(?=[^\W\d_a-z]))"
)
_PRINTED_NUMBER = re.compile(r"\s*" + _LABEL)
# In running text a label stands alone, and no other number follows it, but for the locants of chemistry (3-methyl).
_CLAIM_START = re.compile(r"(?<!\S)" + _LABEL + r"(?!\d+(?![\d,'’]*-))")
_CANCELLED = re.compile(r"(?:\s?\d{1,4}\s?\.?\s?(?:[-–]\s?\d{1,4}\s?\.?\s?)?\(cancell?ed\)\s?)+(?=\d)", re.I)
_HEADING = re.compile(r"claim|patent|anspr|revendi", re.I)
_LONGEST_HEADING = 200
_ABBREVIATION = re.compile(r"\b(?:figs?|nos?|nr|eqs?|ex|vol|art|sec|abb|approx|ca|cf|e\.g|i\.e|z\.b|al)\.$", re.I)


def split_claims(text: str) -> list[str]:
    """Cut a text of numbered claims ("1. A pump … 2. The pump of claim 1 …") into claims, each with its number.

    The first number may be any at the beginning of the text, else it is 1; from there they count upwards one by one, each
    after the end of a sentence or on a new line. A text without such a number is one claim. What stands before the first
    is left out where it is a heading ("What is claimed is:"), else it belongs to the first claim.
    """
    starts: list[int] = []
    expected, style = 1, ""
    opening = len(text) - len(text.lstrip())
    for match in _CLAIM_START.finditer(text):
        first = int(match["named"] or match["number"])
        before = text[max(0, match.start() - 40) : match.start()]
        punctuation = match[0].rstrip()[-1]  # the same throughout: "2)" is a step of claim 1, where it is written "1."
        counts_on = first == expected and style in ("", punctuation)
        if match.start() == opening or (counts_on and _may_follow(before, "" if starts else ":;")):
            starts.append(match.start())
            expected, style = int(match["last"] or first) + 1, punctuation
    if not starts:
        return [text] if text.strip() else []
    heading = text[: starts[0]]
    if heading.strip() and not (len(heading) <= _LONGEST_HEADING and _HEADING.search(heading)):
        starts[0] = 0
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _may_follow(before: str, also: str) -> bool:
    """Tell whether a claim can begin after this: a sentence, a closing bracket or quote, or a line of its own."""
    last = before.rstrip()
    if _ABBREVIATION.search(last):
        return False
    return "\n" in before[len(last) :] or last[-1:] in tuple('.)]"”’' + also)


def begins_with_number(text: str) -> bool:
    """Tell whether a text begins with what would be read as the number of its claim."""
    return _PRINTED_NUMBER.match(text) is not None or _CANCELLED.match(text) is not None


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
    numbers: set[int] = set()
    last = 0
    for position, number, text in raw:
        text = text[match.end() :] if (match := _CANCELLED.match(text)) else text
        if (match := _PRINTED_NUMBER.match(text)) and not match["last"]:
            number, text = int(match["named"] or match["number"]), text[match.end() :]
        last = number if number > last else last + 1
        earlier = tuple(n for n in referenced_claims(text, last) if n in numbers)
        claims.append(Claim(last, text, passage_xpath("claims", "claim", position), earlier))
        numbers.add(last)
    return tuple(claims)


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
