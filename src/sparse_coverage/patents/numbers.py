"""Publication numbers: however one is written, it is one thing, `EP-0049154-A1`: country, number, kind.

    parse_number("US 2023/0007979 A1") == parse_number("US2023007979A1") == parse_number("US-20230007979-A1")

What is no publication number is left alone. How each office writes its numbers is in `number_series`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from sparse_coverage.patents.number_series import OFFICES, number_of
from sparse_coverage.patents.values import compact

# Offices whose numbers are told without a kind, too. Elsewhere two letters and digits may be anything.
_UNMISTAKABLE = frozenset("EP US WO DE FR GB JP CN KR".split())
_APART = frozenset({"JP", "KR"})  # A and B of one number are two applications there
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_PRINTED = re.compile(r"([A-Z]{2})-([A-Z]{0,2}\d+)(?:-([A-Z]\d?))?")
_LEADING_ZEROS = re.compile(r"^([A-Z]*)0+(?=\d)")
_WORDS = re.compile(r"(?:PATENTS?|PAT|PUBLICATION|PUBL?|APPLICATION|APPL?|NO|NR|N°)(?![A-Z])[.:]?\s*")
# A kind before the number, as in DE-OS 35 45 678 and EP-A-0049154. The letters of a series or a year are none.
_KIND_FIRST = re.compile(r"(?:OS|PS|AS|GM|[A-Z]\d?)(?=[\s-]+\d)")
_NO_KIND = {"US": re.compile(r"[DHTX](?!\d)"), "JP": re.compile(r"[SHTMR]|.\d")}
_REST = re.compile(
    r"(?P<series>[A-Z]{0,2})[\s-]*(?P<digits>\d(?:[\d\s.,'’/-]*\d)?)[\s\-(]*(?P<kind>[A-Z]\d?)?\s*\)?\.?"
)
# What was written in the place of a kind before there were any.
_OLD_KINDS = {
    "DE-OS": "A1",
    "DE-AS": "B",
    "DE-PS": "C",
    "DE-GM": "U",
    "US-PS": "A",
    "GB-PS": "A",
    "FR-PS": "A",
    "CH-PS": "A",
}
_JAPANESE = re.compile(r"(特開|特表|特公|特許|実開)第?\s*(昭和?|平成?|令和?)?\s*([\d\s-]*\d)\s*(?:号公?報?)?")
_JAPANESE_KINDS = {"特開": "A", "特表": "A", "特公": "B2", "特許": "B2", "実開": "U"}
_ERAS = {"昭": "S", "平": "H", "令": "R"}


@dataclass(frozen=True, slots=True)
class PublicationNumber:
    """A publication: the office, the number in its one form, and the kind, which may be missing."""

    country: str
    number: str
    kind: str = ""

    def __str__(self) -> str:
        return "-".join(filter(None, (self.country, self.number, self.kind)))

    @property
    def application(self) -> str:
        """What all publications of one application share, `EP-0049154` for A1 and B1; empty where the office numbers them apart."""
        return "" if self.country in _APART else f"{self.country}-{self.number}"


@lru_cache(1 << 12)
def parse_number(text: str) -> PublicationNumber | None:
    """Return the publication that a text names, or None where it names none.

    >>> str(parse_number("EP 0 049 154 A1")), str(parse_number("WO 02/12345")), parse_number("valve")
    ('EP-0049154-A1', 'WO-2002012345', None)
    """
    given = " ".join(_DASHES.sub("-", unicodedata.normalize("NFKC", text)).upper().split())
    given = _JAPANESE.sub(_from_japanese, given) if given[:1] in "特実" else re.sub(r"^U\.\s?S\.", "US", given)
    country, rest = given[:2], given[2:].lstrip(" -/.:")
    if country not in OFFICES:
        return None
    while match := _WORDS.match(rest):
        rest = rest[match.end() :]
    first = None if country in _NO_KIND and _NO_KIND[country].match(rest) else _KIND_FIRST.match(rest)
    found = _REST.fullmatch(rest[first.end() :].lstrip(" -") if first else rest)
    if found is None or (first and found["kind"]):
        return None
    number = number_of(country, found["series"], found["digits"])
    kind = found["kind"] or (_OLD_KINDS.get(f"{country}-{first[0]}", first[0]) if first else "")
    if number and len(kind) == 2 and kind.isalpha():
        return None  # an old name of a kind, from an office that has none such
    return PublicationNumber(country, number, kind) if number else None


def number_key(text: str) -> str:
    """Return what two spellings of one publication share; of anything else, the text itself.

    >>> number_key("US-2023-0007979-A1"), number_key("cranfield 17")
    ('US-20230007979-A1', 'cranfield 17')
    """
    found = parse_number(text)
    return str(found) if found else text.strip()


def printed_id(text: str) -> str:
    """Return an id as it is kept and printed: a publication number in its one form, anything else as it is.

    An id that has the form of country, number and kind already stays, and so does one in small letters or without a kind
    that may as well be something else.

    >>> printed_id("EP0049154A1"), printed_id("EP 7654321 A1"), printed_id("WO-9132959-A1"), printed_id("no12345")
    ('EP-0049154-A1', 'EP-7654321-A1', 'WO-9132959-A1', 'no12345')
    """
    text = text.strip()
    if _PRINTED.fullmatch(text) or not ("A" <= text[:1] <= "Z" or text[:1] in "特実"):
        return text
    found = parse_number(text)
    return str(found) if found and (found.kind or found.country in _UNMISTAKABLE) else text


def spellings(text: str) -> tuple[str, ...]:
    """Return the ids under which a publication may be kept: as given, in the one form, and in one word.

    >>> spellings("EP 0 049 154 A1")
    ('EP 0 049 154 A1', 'EP-0049154-A1', 'EP0049154A1')
    """
    text = text.strip()
    key = number_key(text)
    return tuple(dict.fromkeys((text, key, key.replace("-", "")))) if parse_number(text) else (text,)


def application_of(id_: str) -> str:
    """Return what a publication shares with the others of its application; nothing for what is no publication.

    >>> application_of("EP-1246167-A1"), application_of("EP1246167B1"), application_of("cranfield-17")
    ('EP-1246167', 'EP-1246167', '')
    """
    found = parse_number(id_)
    return found.application if found else ""


def publication_id(country: str | None, number: str | None, kind: str | None) -> str:
    """Return `EP-0661903-A2` from its parts, without those that are missing. US numbers lose their padding.

    >>> publication_id("US", "06857133", "B2"), publication_id("WO", "2010/000001", "A1"), publication_id("EP", "0661903", "")
    ('US-6857133-B2', 'WO-2010000001-A1', 'EP-0661903')
    """
    country, number, kind = compact(country), compact(number).replace("/", ""), compact(kind)
    if not number:
        return ""
    if country == "US" and "0" in number[:4]:
        number = _LEADING_ZEROS.sub(r"\1", number)
    return "-".join(filter(None, (country, number, kind)))


def _from_japanese(match: re.Match[str]) -> str:
    name, era, digits = match.groups()
    return f"JP {_ERAS[era[0]] if era else ''}{digits} {_JAPANESE_KINDS[name]}"
