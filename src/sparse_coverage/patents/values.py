"""Small values in one form: dates, classification symbols, publication ids."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

_DATE = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?!\d)")
_SUBCLASS = r"\s*\d?\s*([A-HY])\s*(\d{2})\s*([A-Z])"
_SYMBOL = re.compile(_SUBCLASS + r"\s*-?\s*0*(\d{1,4})\s*/\s*(\d{2,6})(?:/(\d{1,4}))?")
_CLASS_ONLY = re.compile(_SUBCLASS + r"(?![A-Z])")
_LEADING_ZEROS = re.compile(r"^([A-Z]*)0+(?=\d)")


def iso_date(value: str | None) -> str:
    """Return a date as `2002-06-12`, or nothing when there is none; an unknown day or month (00) counts as the first.

    >>> iso_date("20020612"), iso_date("2002-06-12T00:00:00Z"), iso_date("19800000"), iso_date("soon")
    ('2002-06-12', '2002-06-12', '1980-01-01', '')
    """
    match = _DATE.match((value or "").strip())
    if match is None:
        return ""
    year, month, day = map(int, match.groups())
    try:
        return date(year, month or 1, day or 1).isoformat()
    except ValueError:  # no such day, as in 2021-02-31
        return ""


def class_symbol(value: str | None) -> str:
    """Return an IPC or CPC symbol as `H04N 5/44`, whatever spacing, padding, edition and version marks surround it.

    A symbol whose group cannot be told for certain is given as its subclass.

    >>> class_symbol("H04N   5/44        20060101AFI"), class_symbol(" 7C 07C  29/44   A"), class_symbol("B08B5/00")
    ('H04N 5/44', 'C07C 29/44', 'B08B 5/00')
    >>> class_symbol("G06F-003/0481/7"), class_symbol("D21C011/12"), class_symbol("A61K")
    ('G06F 3/04817', 'D21C 11/12', 'A61K')
    """
    text = (value or "").upper()
    if match := _SYMBOL.match(text):
        section, number, letter, group, subgroup, rest = match.groups()
        return f"{section}{number}{letter} {group}/{subgroup}{rest or ''}"
    match = _CLASS_ONLY.match(text)
    return "".join(match.groups()) if match else ""


def distinct(values: Iterable[str]) -> tuple[str, ...]:
    """Return the non-empty values once each, in their order."""
    return tuple(dict.fromkeys(value for value in values if value))


def compact(value: str | None) -> str:
    """Return a text without any white space."""
    if not value or value.isalnum():  # nearly always
        return value or ""
    return "".join(value.split())


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
