"""Small values in one form: dates, classification symbols, characters that files name, texts of any encoding."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterable
from datetime import date, timedelta

_DATE = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})(?!\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)")
_NUMERIC = re.compile(r"(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})(?!\d)")
_SPARING = re.compile(r"(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar jänner janvier janv",
            "feb february februar février févr",
            "mar march märz mär mars",
            "apr april avril avr",
            "may mai",
            "jun june juni juin",
            "jul july juli juillet juil",
            "aug august août aout",
            "sep sept september septembre",
            "oct okt october oktober octobre",
            "nov november novembre",
            "dec dez december dezember décembre déc",
        ),
        1,
    )
    for name in names.split()
}
_WORDED = re.compile(
    r"(?:[^\W\d_]+,\s*|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+)?(?:(\d{1,2})\.?(?:st|nd|rd|th|er)?[\s-]*([^\W\d_]{3,9})\.?|([^\W\d_]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?)(?:(?<=\D)[\s,-]*|[\s,-]+)(\d{4}|\d{2})(?!\d)"
)
_MONTH = re.compile(r"([^\W\d_]{3,9})\.?[\s,-]+(\d{4})")
_ANY_DATE = re.compile(
    r"(?<!\d)(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?!\d)"
)
_SUBCLASS = r"\s*(?:\d\s*)?([A-HY])\s*(\d{2})\s*([A-Z])"
_SYMBOL = re.compile(_SUBCLASS + r"\s*(?:-\s*)?0*(\d{1,4})\s*/\s*(\d{2,6})(?:/(\d{1,4}))?")
_UNSLASHED = re.compile(_SUBCLASS + r"(0\d{4,9})\s*")
_LARGE_GROUPS = frozenset("C07D Y10S Y10T".split())  # whose groups have three digits, all of them
_ANY_GROUPS = frozenset("C07C C08F".split())  # some of whose groups have three digits
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


def table_date(text: str, order: str = "", year: str = "") -> str:
    """Return a date of a table in any usual form; nothing where it is none, or where day and month cannot be told apart.

    `order` is "day" or "month", whichever comes first in its column, as `date_order` tells. `year` settles the century.

    >>> table_date("25/04/13"), table_date("Jun 12, 2002"), table_date("12 June 2002"), table_date("3/4/2002")
    ('2013-04-25', '2002-06-12', '2002-06-12', '')
    >>> table_date("May 2000"), table_date("17MAY2000"), table_date("Wed May 17 2000")
    ('2000-05-01', '2000-05-17', '2000-05-17')
    >>> table_date("2020年5月6日"), table_date("2020-5-6"), table_date("1er mars 2018")
    ('2020-05-06', '2020-05-06', '2018-03-01')
    >>> table_date("3/4/2002", "month"), table_date("01/02/26", "day", "1926"), table_date("2002-06"), table_date("37419")
    ('2002-03-04', '1926-02-01', '2002-06-01', '2002-06-12')
    """
    text = text.strip().strip("()[]")
    if match := _SPARING.match(text):  # 2020-5-6, 2020年5月6日
        text = f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"
    if found := iso_date(text):
        return found
    if match := _NUMERIC.match(text):
        first, second = int(match[1]), int(match[3])
        if first > 12 >= second or (order == "day" and second <= 12) or first == second:
            day, month = first, second
        elif second > 12 >= first or order == "month":
            day, month = second, first
        else:
            return ""
        written = match[4]
    elif (match := _MONTH.fullmatch(text)) and match[1].lower() in _MONTHS:
        return f"{match[2]}-{_MONTHS[match[1].lower()]:02}-01"
    elif (match := _WORDED.match(text)) and (name := (match[2] or match[3]).lower()) in _MONTHS:
        day, month, written = int(match[1] or match[4]), _MONTHS[name], match[5]
    elif match := re.fullmatch(r"((?:1[789]|20)\d\d)(?:[-/.](0[1-9]|1[0-2]))?", text):
        return f"{match[1]}-{match[2] or '01'}-01"
    elif re.fullmatch(r"[1-5]\d{4}(?:\.0)?", text):  # a day as spreadsheets count them, from 1927 to 2064
        return (date(1899, 12, 30) + timedelta(int(text[:5]))).isoformat()
    else:
        return ""
    if len(written) == 2:
        century = year[:2] if year[2:] == written else "20" if int(written) <= date.today().year % 100 + 1 else "19"
        written = century + written
    try:
        return date(int(written), month, day).isoformat()
    except ValueError:
        return ""


def date_order(values: Iterable[str]) -> str:
    """Tell from the dates of a column which comes first, "day" or "month"; nothing where none of them tells, or they differ.

    >>> date_order(["03/04/2002", "25/04/2002"]), date_order(["03/04/2002"])
    ('day', '')
    """
    found = set()
    for value in values:
        if match := _NUMERIC.match(value.strip()):
            first, second = int(match[1]), int(match[3])
            if match[2] == "." or first > 12:
                found.add("day")
            elif second > 12:
                found.add("month")
    return found.pop() if len(found) == 1 else ""


def is_ambiguous(text: str) -> bool:
    """Tell whether a text is a date of which day and month cannot be told apart: 03/04/2002."""
    return _NUMERIC.match(text.strip()) is not None


def dates_in(text: str) -> list[str]:
    """Return all dates in a text that cannot be anything else, as in `[60/225,166 14.08.2000 US]`."""
    return [found for match in _ANY_DATE.finditer(text) if (found := iso_date(match[0]))]


def class_symbol(value: str | None) -> str:
    """Return an IPC or CPC symbol as `H04N 5/44`, whatever spacing, padding, edition and version marks surround it.

    A symbol whose group cannot be told for certain is given as its subclass.

    >>> class_symbol("H04N   5/44        20060101AFI"), class_symbol(" 7C 07C  29/44   A"), class_symbol("B08B5/00")
    ('H04N 5/44', 'C07C 29/44', 'B08B 5/00')
    >>> class_symbol("G06F-003/0481/7"), class_symbol("D21C011/12"), class_symbol("A61K"), class_symbol("F16K0031065500")
    ('G06F 3/04817', 'D21C 11/12', 'A61K', 'F16K 31/0655')
    """
    text = (value or "").upper()
    if match := _SYMBOL.match(text):
        section, number, letter, group, subgroup, rest = match.groups()
        return f"{section}{number}{letter} {group}/{subgroup}{rest or ''}"
    if match := _UNSLASHED.fullmatch(text):
        return _with_slash("".join(match.groups()[:3]), match[4])
    match = _CLASS_ONLY.match(text)
    return "".join(match.groups()) if match else ""


def _with_slash(subclass: str, digits: str) -> str:
    """Put the slash where a symbol leaves it out. The group has four digits (ST.8), or three as Thomson wrote it.

    >>> _with_slash("C12N", "001509"), _with_slash("A61K", "0314174"), _with_slash("G01N", "03072"), _with_slash("C07C", "045274")
    ('C12N 15/09', 'A61K 31/4174', 'G01N 30/72', 'C07C')
    """
    is_st8 = len(digits) == 10 or (digits.startswith("00") and len(digits) > 5) or subclass in _LARGE_GROUPS
    if not is_st8 and subclass in _ANY_GROUPS and len(digits) > 5:
        return subclass
    group, subgroup = (digits[:4], digits[4:]) if is_st8 else (digits[:3], digits[3:])
    return f"{subclass} {int(group)}/{subgroup[:2]}{subgroup[2:].rstrip('0')}" if len(subgroup) > 1 else subclass


def distinct(values: Iterable[str]) -> tuple[str, ...]:
    """Return the non-empty values once each, in their order."""
    return tuple(dict.fromkeys(value for value in values if value))


def compact(value: str | None) -> str:
    """Return a text without any white space."""
    if not value or value.isalnum():  # nearly always
        return value or ""
    return "".join(value.split())


SUPERSCRIPTS = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
"""To be used with `str.translate` on text of nothing but these characters."""

# No DTD is ever loaded, so the names of characters are resolved here. HTML 5 took over nearly all ISO 8879 names (`alpha`,
# `frac15`). What it lacks is the ISO alphabet for Greek text (`agr`, `Dgr`), which USPTO files up to 2004 use.
_GREEK_NAMES = (
    "agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr khgr psgr ohgr"
)


def _greek_letters() -> dict[str, str]:
    """Name the Greek letters in alphabetical order, as Unicode has them (final sigma before sigma)."""
    letters = {}
    for offset, name in enumerate(_GREEK_NAMES.split()):
        letters[name] = chr(0x3B1 + offset)
        if name != "sfgr":
            # `THgr` and `EEgr`: the capital names write every letter before `gr` in capitals.
            letters[name[:-2].upper() + "gr"] = chr(0x391 + offset)
    return letters


_CHARACTERS = {name[:-1]: text for name, text in html.entities.html5.items() if name.endswith(";")} | _greek_letters()


def entity_text(name: str) -> str:
    """Return the character that an entity names; an unknown name stays as it was written, so that nothing is lost.

    >>> entity_text("Dgr") + entity_text("frac12") + entity_text("unheard-of")
    'Δ½&unheard-of;'
    """
    return _CHARACTERS.get(name, f"&{name};")


_FALLBACKS = ("cp1252", "mac_roman", "cp932", "gb18030")
_MARKS = "[“”‘’–—…•·°±×®©™§«»\u00a0]"
_TYPESET = re.compile(rf"[^\W\d_]?’[^\W\d_]?|{_MARKS}+[^\W\d_]?|[^\W\d_]{_MARKS}+")
"""Signs of typesetting beside a word, or an apostrophe in it: as good as letters, which other encodings take them for."""


def decoded(head: bytes) -> str:
    """Return a text, or its beginning, in whatever encoding it is likeliest to be."""
    return head.decode(likely_encoding(head), "replace").lstrip("\ufeff")


def likely_encoding(sample: bytes) -> str:
    """Return the encoding of a text from its beginning: UTF-8 if it is, else whichever of some gives the likeliest letters."""
    try:
        sample[: len(sample) - 3].decode("utf-8") if len(sample) > 64 else sample.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:
            return max(_FALLBACKS, key=lambda encoding: _likelihood(sample[:200_000], encoding))
    return "utf-8"


def _likelihood(sample: bytes, encoding: str) -> float:
    """Say how much a text in an encoding looks like writing: letters beside letters, kana, no control or odd signs."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:
            return -1.0
        text = sample[: error.start].decode(encoding)
    high = [match[0] for match in re.finditer(r"[^\W\d_]?[^\x00-\x7f]+[^\W\d_]?", text)]
    good = sum(1 for run in high if run.isalpha() or _TYPESET.fullmatch(run))
    kana = len(re.findall("[\u3040-\u30ff]", text))
    han = len(re.findall("[\u4e00-\u9fff]", text))
    if encoding == "cp932":  # nearly any bytes are some Han characters; kana are no accident
        return 2.0 if kana > 3 else -0.5
    if encoding == "gb18030":
        return 1.5 if han > 20 and not kana and han > 0.9 * len(re.findall(r"[^\x00-\x7f]", text)) else -0.5
    return good / max(len(high), 1)
