"""Numbers in claims and documents, compared as numbers with what they measure: "1.9 to 2.1 mm", "at least 30 %", "exactly three samples".

A quantity of a claim is set against those of a document that have the same dimension, or count the same thing, and stand by the same
words. It agrees where the document's value or range lies within the claim's; ranges that overlap do not agree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparse_coverage.charts.alternatives import alternatives
from sparse_coverage.text import stems, words

_UNITS: dict[str, dict[str, float]] = {
    "m": {"m": 1, "dm": 0.1, "cm": 0.01, "mm": 1e-3, "µm": 1e-6, "um": 1e-6, "micrometres": 1e-6, "micrometers": 1e-6, "microns": 1e-6,
          "micron": 1e-6,
          "nm": 1e-9, "nanometers": 1e-9, "nanometres": 1e-9, "pm": 1e-12, "km": 1e3, "å": 1e-10, "inch": 0.0254, "inches": 0.0254,
          "millimeters": 1e-3, "millimetres": 1e-3, "centimeters": 0.01, "centimetres": 0.01, "meters": 1, "metres": 1, "feet": 0.3048},
    "m²": {"m2": 1, "m²": 1, "cm2": 1e-4, "cm²": 1e-4, "mm2": 1e-6, "mm²": 1e-6},
    "g": {"g": 1, "mg": 1e-3, "µg": 1e-6, "ug": 1e-6, "ng": 1e-9, "kg": 1e3, "gram": 1, "grams": 1, "kilograms": 1e3, "milligrams": 1e-3},
    "s": {"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "ms": 1e-3, "msec": 1e-3, "milliseconds": 1e-3, "µs": 1e-6, "µsec": 1e-6,
          "usec": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hr": 3600,
          "hrs": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "week": 604800, "weeks": 604800, "month": 2629800,
          "months": 2629800, "year": 31557600, "years": 31557600},
    "hz": {"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "thz": 1e12},
    "v": {"v": 1, "mv": 1e-3, "kv": 1e3, "volts": 1},
    "a": {"a": 1, "ma": 1e-3},
    "w": {"w": 1, "mw": 1e-3, "kw": 1e3, "watts": 1},
    "j": {"j": 1, "mj": 1e-3, "kj": 1e3, "cal": 4.184, "kcal": 4184},
    "ev": {"ev": 1, "mev": 1e-3, "kev": 1e3},
    "pa": {"pa": 1, "hpa": 100, "kpa": 1e3, "mpa": 1e6, "gpa": 1e9, "bar": 1e5, "mbar": 100, "psi": 6894.76, "mmhg": 133.322,
           "atm": 101325},
    "n": {"n": 1, "mn": 1e-3, "kn": 1e3},
    "ω": {"ω": 1, "kω": 1e3, "ohm": 1, "ohms": 1},
    "l": {"l": 1, "ml": 1e-3, "µl": 1e-6, "ul": 1e-6, "litres": 1, "liters": 1, "litre": 1, "liter": 1, "cm3": 1e-3, "cm³": 1e-3},
    "mol": {"mol": 1, "mole": 1, "moles": 1, "mmol": 1e-3, "µmol": 1e-6, "nmol": 1e-9},
    "°c": {"°c": 1, "° c": 1, "deg c": 1, "degrees celsius": 1, "℃": 1},
    "k": {"k": 1},
    "%": {"%": 1, "percent": 1, "per cent": 1, "wt.%": 1, "wt%": 1, "wt %": 1, "wt. %": 1, "vol%": 1, "vol %": 1, "mol%": 1, "mol %": 1,
          "% by weight": 1, "weight %": 1, "weight percent": 1},
    "parts": {"parts": 1, "part": 1, "phr": 1, "parts by weight": 1, "ppm": 1e-6},
    "°": {"°": 1, "degrees": 1, "degree": 1},
    "rpm": {"rpm": 1},
    "db": {"db": 1},
    "da": {"da": 1, "kda": 1e3, "daltons": 1, "kilodaltons": 1e3},
    "bp": {"bp": 1, "kb": 1e3, "base pairs": 1, "nucleotides": 1, "nt": 1, "nucleotide": 1},
}  # fmt: skip
_FACTORS = {unit: (dimension, float(factor)) for dimension, units in _UNITS.items() for unit, factor in units.items()}
_MOLAR = {"M": 1.0, "mM": 1e-3, "µM": 1e-6, "uM": 1e-6, "nM": 1e-9, "pM": 1e-12}
_COUNTS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "eighteen": 18, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "hundred": 100, "thousand": 1000,
}  # fmt: skip
_NUMBER_WORDS = rf"(?:{'|'.join(_COUNTS)}|ninety|eighty|seventy)"
_WORD_BEFORE = re.compile(rf"{_NUMBER_WORDS}[\s-]+(?:and\s+)?$", re.I)
_WORD_AFTER = re.compile(rf"[\s-]+(?:and\s+)?{_NUMBER_WORDS}\b", re.I)
_SIGN = r"(?:(?<![\w)\]])[-−])?"
_NUMBER = rf"{_SIGN}\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{_SIGN}\d+(?:\.\d+)?|\b(?:{'|'.join(_COUNTS)})\b"
_ONE_UNIT = "|".join(sorted((re.escape(unit).replace("µ", "[µμ]") for unit in _FACTORS), key=len, reverse=True))
_UNIT = rf"(?:(?:{_ONE_UNIT})(?:\s?/\s?(?:{_ONE_UNIT})){{0,2}}|[mµμunp]?M)(?![\w])"
_LOW = (
    r"at\s+least|not\s+less\s+than|no\s+less\s+than|no\s+fewer\s+than|more\s+than|greater\s+than|higher\s+than|larger\s+than|longer\s+than"
    r"|above|over|exceeds?|exceeding|minimum\s+of|≥|>"
)
_HIGH = (
    r"at\s+most|not\s+more\s+than|no\s+more\s+than|less\s+than|fewer\s+than|lower\s+than|smaller\s+than|shorter\s+than|below|under|up\s+to"
    r"|maximum\s+of|≤|<|(?:does|do|may|must|shall)\s+not\s+exceed|not\s+exceeding|not\s+greater\s+than"
)
_ABOUT = r"(?:(?:about|approximately|some|around|ca\.?|~)\s*)?"
_RANGE = re.compile(
    rf"(?:(?P<high>{_HIGH})\s+|(?P<low>{_LOW})\s+)?(?:or\s+equal\s+to\s+)?{_ABOUT}(?<![\w.])(?<!\w[-–])(?P<first>{_NUMBER})(?![\d.]*\d)"
    rf"(?:\s?(?P<unit1>{_UNIT}))?(?:(?:\.\s?(?=to\b)|\s?)(?:to|and|and\s+at\s+most|-|–|—|bis|through)\s?{_ABOUT}(?P<second>{_NUMBER})(?![\d.]*\d))?"
    rf"(?:\s?(?P<unit2>{_UNIT}))?(?P<more>\s*or\s+(?:more|greater|longer|higher|less|fewer|below|above))?",
    re.I,
)
_PARTS = r"(\d+(?:\.\d+)?)\s?:\s?(\d*\.?\d*[1-9]\d*)"
_RATIO = re.compile(rf"(?<![\w.:]){_PARTS}(?:\s?(?:to|and|-|–)\s?{_PARTS})?(?![\w:])")
_REFERENCE = re.compile(
    r"\b(?:claims?|figs?\.?|figures?|formulae?|(?<!for )examples?|steps?|tables?|equations?|eqs?\.?|compounds?|numerals?"
    r"|paragraphs?|sections?|embodiments?)[\s:]*[(\[]?$",
    re.I,
)
"""What stands before a number that points elsewhere: "claim 3"."""
_NAME = re.compile(
    r"\b(seq(?:uence)?\s+id(?:entifier)?|positions?|residues?|exons?|stages?|phase|types?|grade|class|chromosome|isoforms?|versions?|number)"
    r"(?:\s+nos?\.?)?[\s:]*$",
    re.I,
)
"""What stands before a number that is a name: "SEQ ID NO: 24", "type 2"."""
_EXACTLY = re.compile(r"\b(?:exactly|only|precisely)\s+$", re.I)
_CLOSE = 0.02
_MANY = 10
_BEFORE, _AFTER = 240, 60
"""Characters before and after a quantity whose words say what it measures."""
_CLOSE_BY = 80
"""So many characters before, what is close by counts more."""
_AS_GOOD = 0.2
"""A number within the claim's counts where no other is this much more about the same thing."""
_NEAREST = 45
"""What stands within so many characters before a quantity says it most."""
_SAME_THING = 0.3
"""Two quantities are of the same thing where this share of the words around the claim's stands around the document's."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or range as it stands in a text, in the base unit of its dimension; `unit` names the dimension.

    One without a unit counts what the words behind it name (`counted`, stems), or is a bare value where no word follows. The unit of a
    number that is a name is that name and a blank.
    """

    text: str
    start: int
    end: int
    low: float
    high: float
    unit: str
    counted: frozenset[str] = frozenset()

    @property
    def is_name(self) -> bool:
        """Whether the number names something: "SEQ ID NO: 24"."""
        return self.unit.endswith(" ")

    @property
    def is_casual(self) -> bool:
        """Whether it is a small count in passing, "two electrodes", which a document may show without saying it."""
        return bool(self.counted) and self.low < _MANY and self.low % 1 == 0 and self.high in (self.low, math.inf)

    def holds(self, other: Quantity) -> bool:
        """Tell whether the other lies within the range, with what rounding allows."""
        return self._has(other.low) and self._has(other.high)

    def _has(self, value: float) -> bool:
        slack = _CLOSE * abs(value) if math.isfinite(value) and not self.is_name else 0.0
        return self.low - slack <= value <= self.high + slack

    def like(self, other: Quantity) -> bool:
        """Tell whether the other is of the same dimension, or counts the same."""
        return self.unit == other.unit and (self.counted == other.counted or bool(self.counted & other.counted))


class Around(NamedTuple):
    """The stems close by a quantity, and those farther around it."""

    close: frozenset[str]
    wide: frozenset[str]


@dataclass(frozen=True, slots=True)
class NumberFound:
    """A quantity of a claim and what a document says of the same thing: whether it lies within; `found` is empty where it says nothing."""

    claimed: str
    found: str
    agrees: bool


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text: with a unit, counts in digits or words, and bare values.

    >>> [(q.low, q.high, q.unit) for q in quantities("a gap of 0.5 to 2 mm at up to 40 °C, at least 30 %, numeral 12")]
    [(0.0005, 0.002, 'm'), (-inf, 40.0, '°c'), (30.0, inf, '%')]
    >>> [(q.low, sorted(q.counted)) for q in quantities("exactly three blood samples, at least 400 spectral bands")]
    [(3.0, ['blood', 'sampl']), (400.0, ['band', 'spectral'])]
    """
    return list(_found(text))


def _found(text: str) -> Iterator[Quantity]:
    ratios: set[int] = set()
    for match in _RATIO.finditer(text):
        first, one, second, other = match.groups()
        low = float(first) / float(one)
        high = float(second) / float(other) if second else low
        yield Quantity(match[0], *match.span(), min(low, high), max(low, high), ":")
        ratios.update(range(*match.span()))
    for match in _RANGE.finditer(text):
        if match.start("first") in ratios or _is_part(text, match):
            continue
        before = text[max(0, match.start("first") - 24) : match.start("first")]
        if _REFERENCE.search(before):
            continue
        name = _NAME.search(before)
        unit = match["unit2"] or match["unit1"] or ""
        if unit in ("s", "S") and match[0].rstrip()[-2].isdigit():
            continue  # "35S", "16S": a sedimentation, no second
        dimension, factor = _dimension(unit)
        start, end, counted = match.start() + len(match[0]) - len(match[0].lstrip()), match.end(), frozenset[str]()
        if name and not unit:
            start, dimension = match.start("first") - len(before) + name.start(), f"{name[1].lower().rstrip('s')} "
        elif not unit:
            counted, end = _counted(text, end)
        if not dimension and not counted and not _is_value(text, match):
            continue
        first_factor = _dimension(match["unit1"])[1] if match["unit1"] else factor
        low = _value(match["first"]) * first_factor
        high = _value(match["second"]) * factor if match["second"] else low
        more = (match["more"] or "").lower()
        if match["high"] or more.endswith(("less", "fewer", "below")):
            low = -math.inf
        elif match["low"] or more:
            high = math.inf
        yield Quantity(text[start:end].strip(), start, end, min(low, high), max(low, high), dimension, counted)


def compare(
    text: str, claimed: Sequence[Quantity], there: DocumentQuantities, weight: Callable[[str], float]
) -> list[NumberFound]:
    """Set each quantity of a feature (its text) against those of a document about the same thing.

    >>> compare("a layer of 10 to 100 µm", quantities("10 to 100 µm"), DocumentQuantities(["The layer is 0.3 mm thick."]), lambda stem: 1.0)
    [NumberFound(claimed='10 to 100 µm', found='0.3 mm', agrees=False)]
    """
    found = [(ours, _compared(text, ours, there, weight)) for ours in claimed]
    groups = [[span for span in group if text[slice(*span)].strip()] for group in alternatives(text)]
    agreed = [ours.start for ours, one in found if one.agrees]
    enough = [group for group in groups if any(start <= place < end for start, end in group for place in agreed)]
    return [
        one
        for ours, one in found
        if one.agrees
        or (
            not (ours.is_casual and not _EXACTLY.search(text[: ours.start]))
            and not any(start <= ours.start < end for group in enough for start, end in group)
        )
    ]


class DocumentQuantities:
    """The quantities of a document by their dimension, each with the words around it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._by_unit: dict[str, list[tuple[Quantity, Around]]] = {}
        for text in texts:
            for one in _found(text):
                self._by_unit.setdefault(one.unit, []).append((one, _around(text, one)))

    def like(self, ours: Quantity) -> list[tuple[Quantity, Around]]:
        """Return those of the same kind, with the words around each; a bare value counts what stands by it."""
        return [
            (one, around)
            for one, around in self._by_unit.get(ours.unit, ())
            if ours.like(one) or (bool(ours.counted) and not one.counted and ours.counted <= around.wide)
        ]


def _compared(text: str, ours: Quantity, there: DocumentQuantities, weight: Callable[[str], float]) -> NumberFound:
    near, wide = stems(text[max(0, ours.start - _NEAREST) : ours.start], "en"), stems(text, "en")
    near = (near or wide) | ours.counted
    found = []
    for theirs, around in there.like(ours):
        beside = (_share(near, around.close, weight) + _share(near, around.wide, weight)) / 2
        same = (beside + _share(wide, around.wide, weight)) / 2
        if same >= _SAME_THING:
            found.append((same, theirs.holds(ours) if ours.is_name else ours.holds(theirs), theirs.text))
    best = max((same for same, *_ in found), default=0.0)
    fit = [one for one in found if one[1] and one[0] >= best - _AS_GOOD]
    _, agrees, said = max(fit or found, default=(0.0, False, ""))
    return NumberFound(ours.text, said, agrees)


def _share(wanted: set[str] | frozenset[str], there: frozenset[str], weight: Callable[[str], float]) -> float:
    total = sum(map(weight, wanted))
    return sum(weight(stem) for stem in wanted & there) / total if total else 0.0


def _around(text: str, one: Quantity) -> Around:
    pieces = (
        text[max(0, one.start - size) : one.start] + " " + text[one.end : one.end + _AFTER]
        for size in (_CLOSE_BY, _BEFORE)
    )
    close, wide = (one.counted | stems(piece, "en") for piece in pieces)
    return Around(close, wide)


def _is_part(text: str, match: re.Match[str]) -> bool:
    """Tell whether a number is one of several that are one: "three hundred eighty-four", "1:2:3"."""
    before, after = (
        text[max(0, match.start("first") - 12) : match.start("first")],
        text[match.end("first") : match.end("first") + 12],
    )
    if before.endswith(":") or after.startswith(":"):
        return True
    return match["first"].lower() in _COUNTS and bool(_WORD_BEFORE.search(before) or _WORD_AFTER.match(after))


def _counted(text: str, end: int) -> tuple[frozenset[str], int]:
    """Return the stems of the words right behind a number, up to three, and where they end; none where something else comes first."""
    found: set[str] = set()
    last = end
    for word in words(text[end : end + 60])[:3]:
        here = stems(word.text, "en")
        if not text[last : end + word.start].isspace() or not here or (found and word.text.endswith("ing")):
            break
        found |= here
        last = end + word.end
    return frozenset(found), last


def _is_value(text: str, match: re.Match[str]) -> bool:
    """Tell whether a bare number is a value: a range, with a bound, a fraction, or after "of" or "is"; no word, no numeral."""
    if not match["first"][-1].isdigit():
        return False
    sized = match["second"] or match["low"] or match["high"] or match["more"] or "." in match["first"]
    return bool(
        sized or re.search(r"(?:\bof|\bis|=|\bvalue|\bpH)\s*$", text[max(0, match.start() - 10) : match.start()])
    )


def _dimension(unit: str) -> tuple[str, float]:
    """Return the dimension of a unit and how much it is in the base unit; of one by another, both.

    >>> _dimension("mM"), _dimension("mm"), _dimension("mg/kg")
    (('mol/l', 0.001), ('m', 0.001), ('g/g', 1e-06))
    """
    if unit.replace("μ", "µ") in _MOLAR:
        return "mol/l", _MOLAR[unit.replace("μ", "µ")]
    pairs = [_FACTORS[part.strip()] for part in unit.lower().replace("μ", "µ").split("/") if part.strip() in _FACTORS]
    if not pairs:
        return "", 1.0
    factor = pairs[0][1] / math.prod(factor for _, factor in pairs[1:])
    return "/".join(dimension for dimension, _ in pairs), factor


def _value(text: str) -> float:
    return float(_COUNTS.get(text.lower()) or float(text.replace(",", "").replace("−", "-")))
