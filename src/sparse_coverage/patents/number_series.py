"""How each office counts its publications, and the one form of a number in it: padding, years, series."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

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
