"""Publication numbers: however one is written, it is one thing, `EP-0049154-A1`: country, number, kind.

    parse_number("US 2023/0007979 A1") == parse_number("US2023007979A1") == parse_number("US-20230007979-A1")

What is no publication number is left alone. How each office counts (padding, years, series) is in the second half; lists of
numbers, as people paste and save them, are at the end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from sparse_coverage.errors import InputError
from sparse_coverage.patents.values import compact, decoded

# Offices whose numbers are told without a kind, too. Elsewhere two letters and digits may be anything.
_UNMISTAKABLE = frozenset("EP US WO DE FR GB JP CN KR".split())
_APART = frozenset({"JP", "KR"})  # A and B of one number are two applications there
_DASHES = re.compile("[_\u2010-\u2015\u2212]")
_PRINTED = re.compile(r"([A-Z]{2})-([A-Z]{0,2}\d+)(?:-([A-Z]\d?))?")
_BARE = re.compile(r"\d[\d\s.,/'’]{4,16}\d")  # digits alone, as people write numbers of the office that they mean
_USUAL = ("EP", "US", "DE", "GB", "FR", "JP", "CN", "KR")
_LONGEST_LIST = 400_000  # characters
_LEADING_ZEROS = re.compile(r"^([A-Z]*)0+(?=\d)")
_WORDS = re.compile(r"(?:PATENTS?|PAT|PUBLICATION|PUBL?|APPLICATION|APPL?|NO|NR|N°)(?![A-Z])[.:]?\s*")
# A kind before the number, as in DE-OS 35 45 678 and EP-A-0049154. The letters of a series or a year are none.
_KIND_FIRST = re.compile(r"(?:OS|PS|AS|GM|[A-Z]\d?)(?=[\s-]+\d)")
_NO_KIND = {"US": re.compile(r"[DHTX](?!\d)"), "JP": re.compile(r"[SHTMR]|.\d")}
_REST = re.compile(
    r"(?P<series>[A-Z]{0,2})[\s-]*(?P<digits>\d(?:[\d\s.,'’/-]*\d)?)[\s\-(.]*(?P<kind>[A-Z]\d?)?\s*\)?\.?"
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

    An id that has the form of country, number and kind already stays, but for small letters, and so does one without a kind that
    may as well be something else.

    >>> printed_id("EP0049154A1"), printed_id("ep-7654321-a1"), printed_id("wo-9132959-A1"), printed_id("no12345")
    ('EP-0049154-A1', 'EP-7654321-A1', 'WO-9132959-A1', 'no12345')
    """
    text = text.strip()
    if _PRINTED.fullmatch(text):
        return text
    found = parse_number(text)
    if not found or not (found.kind or found.country in _UNMISTAKABLE):
        return text
    return text.upper() if _PRINTED.fullmatch(text.upper()) else str(found)


def spellings(text: str) -> tuple[str, ...]:
    """Return the ids under which a publication may be kept: as given, in the one form, and in one word.

    >>> spellings("EP 0 049 154 A1")
    ('EP 0 049 154 A1', 'EP-0049154-A1', 'EP0049154A1')
    """
    text = text.strip()
    key = number_key(text)
    return tuple(dict.fromkeys((text, key, key.replace("-", "")))) if parse_number(text) else (text,)


def meant_numbers(text: str) -> tuple[PublicationNumber, ...]:
    """Return the publications that a text may name: the one that it is, or of digits alone that number at each office that has such.

    >>> [str(one) for one in meant_numbers("6103599")][:3], meant_numbers("valve")
    (['EP-6103599', 'US-6103599', 'DE-6103599'], ())
    """
    if not _BARE.fullmatch(text.strip()):
        found = parse_number(text)
        return (found,) if found else ()
    return tuple(found for office in _USUAL if (found := parse_number(f"{office} {text}")))


def read_number_list(text: str) -> tuple[str, ...]:
    """Return the publication numbers of a text that holds nothing else, each once and as it is written; nothing for any other text.

    They stand one a line, or with commas, semicolons or blanks between them.

    >>> read_number_list("EP 0 049 154 A1; US6103599\\n6,103,598"), read_number_list("A valve; a spring")
    (('EP 0 049 154 A1', 'US6103599', '6,103,598'), ())
    """
    found: list[str] = []
    for line in filter(None, map(str.strip, text[:_LONGEST_LIST].splitlines())):
        line = line.strip(" ,;.")
        ways = ([line], re.split(r"[;\t]|, ", line), re.split(r"[\s,;]+", line))
        parts = next((one for one in ways if all(map(meant_numbers, one))), None)
        if parts is None:
            return ()
        found += map(str.strip, parts)
    return tuple(dict.fromkeys(found)) if len(text) <= _LONGEST_LIST else ()


def application_of(id_: str) -> str:
    """Return what a publication shares with the others of its application; nothing for what is no publication.

    >>> application_of("EP-1246167-A1"), application_of("EP1246167B1"), application_of("cranfield-17")
    ('EP-1246167', 'EP-1246167', '')
    """
    found = parse_number(id_)
    return found.application if found else ""


def publication_id(country: str | None, number: str | None, kind: str | None) -> str:
    """Return `EP-0661903-A2` from its parts, without those that are missing. US numbers lose their padding.

    >>> publication_id("US", "06857133", "B2"), publication_id("WO", "WO-0123241", "A2"), publication_id("EP", "0661903", "")
    ('US-6857133-B2', 'WO-0123241-A2', 'EP-0661903')
    """
    country, number, kind = compact(country), compact(number).replace("/", ""), compact(kind)
    if country and (bare := number.removeprefix(country).lstrip("-")).isdigit():
        number = bare  # some write the office into the number, too
    if not number:
        return ""
    if country == "US" and "0" in number[:4]:
        number = _LEADING_ZEROS.sub(r"\1", number)
    return "-".join(filter(None, (country, number, kind)))


def _from_japanese(match: re.Match[str]) -> str:
    name, era, digits = match.groups()
    return f"JP {_ERAS[era[0]] if era else ''}{digits} {_JAPANESE_KINDS[name]}"


# Two-letter codes of offices that publish patents (WIPO ST.3), former ones included.
OFFICES = frozenset(
    """
    AL AM AP AR AT AU AZ BA BE BG BR BY BZ CA CH CL CN CO CR CS CU CY CZ DD DE DK DO DZ EA EC EE EG EP ES FI FR GB GC GE GR
    GT HK HN HR HU ID IE IL IN IS IT JO JP KE KG KR KZ LT LU LV MA MC MD ME MK MN MT MW MX MY NI NL NO NZ OA PA PE PH PL PT
    RO RS RU SA SE SG SI SK SM SU SV TH TJ TN TR TT TW UA US UY UZ VN WO YU ZA ZM ZW
    """.split()
)
# Letters before a US number: designs, reissues, plants, registered inventions, defensive publications, before 1836, additions.
_US_SERIES = frozenset({"D", "RE", "PP", "H", "T", "X", "AI"})
_ERA = re.compile(r"[SHTMR]")


def number_of(country: str, series: str, digits: str) -> str:
    """Return a number in the one form of its office, or nothing where the office has no such number.

    `series` are the letters before it, `digits` the digits as they are written, with what separates them.
    """
    parts = re.findall(r"\d+", digits)
    if (
        not series and len(parts) == 1 and len(digits) == 12 and digits.startswith("0")
    ):  # as DEPATISnet pads all numbers
        parts = [digits.lstrip("0")]
    special = _SPECIAL.get(country)
    if special is not None:
        return special(series, parts)
    shortest, longest = _LENGTHS.get(country, (4, 13))
    joined = "".join(parts)
    return series + joined if shortest <= len(joined) <= longest and (not series or country not in _LENGTHS) else ""


def _european(series: str, parts: list[str]) -> str:
    joined = "".join(parts)
    return joined.zfill(7) if 5 <= len(joined) <= 7 and not series else ""


def _american(series: str, parts: list[str]) -> str:
    joined = "".join(parts)
    number = joined.lstrip("0")  # padding says nothing, so it makes no number of what is too short for one
    if series:
        return series + number if series in _US_SERIES and len(number) >= 3 and len(joined) <= 7 else ""
    if len(parts) == 2 and _is_year(parts[0], 2001) and 5 <= len(parts[1]) <= 7:
        return parts[0] + parts[1].zfill(7)
    if len(joined) in (10, 11) and _is_year(joined[:4], 2001):
        return joined[:4] + joined[4:].zfill(7)  # DOCDB leaves out the first zero of the serial number
    return number if len(number) >= 4 and len(joined) <= 8 else ""


def _international(series: str, parts: list[str]) -> str:
    joined = "".join(parts)
    if len(parts) > 1 and len(parts[0]) in (2, 4):
        year, serial = parts[0], "".join(parts[1:])
    elif len(joined) in (7, 8):
        year, serial = joined[:2], joined[2:]
    else:
        year, serial = joined[:4], joined[4:]
    if len(year) == 2:
        year = ("19" if year >= "78" else "20") + year
    return year + serial.zfill(6) if not series and _is_year(year, 1978) and 5 <= len(serial) <= 6 else ""


def _japanese(series: str, parts: list[str]) -> str:
    joined = "".join(parts)
    if series == "WO":
        number = _international("", parts)
        return f"WO{number}" if number else ""
    if _ERA.fullmatch(series):  # the year of an emperor: two digits, then the serial number without padding
        era = parts[0].zfill(2) if len(parts) > 1 else joined[:2]
        serial = "".join(parts[1:]) if len(parts) > 1 else joined[2:]
        serial = serial.lstrip("0")
        return f"{series}{era}{serial}" if len(era) == 2 and 1 <= len(serial) <= 6 else ""
    if series:
        return ""
    if len(parts) == 2 and len(parts[0]) <= 2:
        # An emperor who is not named can be told from when there were such publications.
        era = "S" if 46 <= int(parts[0]) <= 64 else "H" if 1 <= int(parts[0]) <= 12 else ""
        return _japanese(era, parts) if era else ""
    if len(parts) == 2 and _is_year(parts[0], 2000):
        return parts[0] + parts[1].zfill(6) if len(parts[1]) <= 6 else ""
    return joined if 5 <= len(joined) <= 10 else ""


def _korean(series: str, parts: list[str]) -> str:
    joined = "".join(parts)
    if len(joined) == 13 and joined[:2] in ("10", "20") and _is_year(joined[2:6], 1970):
        joined = joined[2:]  # 10 is a patent, 20 a utility model: the kind says so
    return joined if not series and 5 <= len(joined) <= 11 else ""


def _is_year(digits: str, first: int) -> bool:
    return len(digits) == 4 and first <= int(digits) <= 2099


_SPECIAL: Mapping[str, Callable[[str, list[str]], str]] = {
    "EP": _european,
    "US": _american,
    "WO": _international,
    "JP": _japanese,
    "KR": _korean,
}
# The fewest and most digits of offices whose numbers have neither letters nor years to be told.
_LENGTHS = {"DE": (5, 12), "FR": (5, 7), "GB": (5, 9), "CN": (7, 9)}


class NumberList(NamedTuple):
    """A list of publication numbers, each once and in its one form, and the `others`: entries in which there is no number."""

    numbers: tuple[str, ...]
    others: tuple[str, ...] = ()


_LINE = re.compile(r"[\n\r;\t|]+")
_BULLET = re.compile(r"^(?:[-*•–]|\(?\d{1,4}[.)])\s+")
_COMMAS = re.compile(r"(?<!\d),\s*|,\s+(?!\d)")
_MOST_WORDS = 8  # of one number: US Patent Application No. 2023 / 0007979 A1


def numbers_in(text: str) -> NumberList:
    """Return the publication numbers of a list: a line each, or separated by ; , tabs or blanks. A line may say more than its number.

    >>> numbers_in("EP 0 049 154 A1, US 5,700,647; wo2002/12345\\nmy-own-17")
    NumberList(numbers=('EP-0049154-A1', 'US-5700647', 'WO-2002012345'), others=('my-own-17',))
    """
    found: list[str] = []
    others: list[str] = []
    for line in _LINE.split(text):
        entry = _BULLET.sub("", line.strip().strip("\ufeff\"'")).strip(" ,.")
        if entry and not (numbers := list(_numbers_of(entry))):
            others.append(entry)
        elif entry:
            found += numbers
            others += [part for part in _COMMAS.split(entry) if " " not in part and not any(_numbers_of(part))]
    return NumberList(tuple(dict.fromkeys(found)), tuple(dict.fromkeys(others)))


def read_numbers(path: Path) -> NumberList:
    """Return the publication numbers in a file: a text, the column of numbers of a CSV or Excel table, or patents of any kind."""
    # Loaded here: numbers are below the readers.
    from sparse_coverage.patents.readers import recognised
    from sparse_coverage.patents.readers.spreadsheets import columns_of_numbers
    from sparse_coverage.patents.reading.context import raise_problem
    from sparse_coverage.patents.reading.read import read_patents
    from sparse_coverage.patents.reading.sources import require_file, wide_encoding

    require_file(path)
    content = path.read_bytes()
    reader = recognised(content[: 1 << 16])
    if reader is not None and reader.name in ("xlsx", "xls"):
        found = numbers_in("\n".join(columns_of_numbers(content, str(path))))
    elif reader is not None:
        ids = (patent.id for patent in read_patents(path, language="any", on_problem=raise_problem))
        found = numbers_in("\n".join(ids))
    else:
        wide = wide_encoding(content)
        found = numbers_in(content.decode(wide, "replace") if wide else decoded(content))
        if found.others and _is_heading(found.others[0]):
            found = found._replace(others=found.others[1:])
    if not any(found):
        raise InputError(f"{path}: there are no publication numbers in it, such as EP-0049154-A1.")
    return found


def _numbers_of(entry: str) -> Iterator[str]:
    if whole := parse_number(entry):
        yield str(whole)
        return
    for part in _offices_ahead().split(entry):
        words = part.strip(" ,.()[]\"'").split()
        for count in range(min(len(words), _MOST_WORDS), 0, -1):
            if number := parse_number(" ".join(words[:count]).rstrip(",.:)]\"'")):
                yield str(number)
                break


@cache
def _offices_ahead() -> re.Pattern[str]:
    """Return what stands between two numbers in a line: a comma or blanks, and the code of an office with digits after it."""
    code = rf"(?:{'|'.join(sorted(OFFICES))})[-\s./]{{0,2}}[a-z]{{0,3}}[-\s./]{{0,2}}\d|[特実][開表公許]"
    return re.compile(rf"(?<!jp)(?:[,\s]+|[(\[])(?={code})", re.I)


def _is_heading(text: str) -> bool:
    from sparse_coverage.patents.readers.fields import NUMBER_FIELDS, field_of

    return field_of(text)[0] in NUMBER_FIELDS
