"""Small values in one form: dates and classification symbols. (Publication numbers: `numbers`.)"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

_DATE = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})(?!\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)")
_SUBCLASS = r"\s*\d?\s*([A-HY])\s*(\d{2})\s*([A-Z])"
_SYMBOL = re.compile(_SUBCLASS + r"\s*-?\s*0*(\d{1,4})\s*/\s*(\d{2,6})(?:/(\d{1,4}))?")
_CLASS_ONLY = re.compile(_SUBCLASS + r"(?![A-Z])")


def iso_date(value: str | None) -> str:
    """Return a date as `2002-06-12`, or nothing when there is none; an unknown day or month (00) counts as the first.

    With points the day may come first, 12.06.2002. With strokes that would be a guess: 06/12/2002 is two days in two countries.

    >>> iso_date("20020612"), iso_date("2002-06-12T00:00:00Z"), iso_date("19800000"), iso_date("soon")
    ('2002-06-12', '2002-06-12', '1980-01-01', '')
    >>> iso_date("12.06.2002"), iso_date("2002/06/12"), iso_date("06/12/2002")
    ('2002-06-12', '2002-06-12', '')
    """
    text = (value or "").strip()
    if match := _DATE.match(text):
        year, month, day = int(match[1]), int(match[3]), int(match[4])
    elif match := _DAY_FIRST.match(text):
        day, month, year = map(int, match.groups())
    else:
        return ""
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
