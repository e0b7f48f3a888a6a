"""Numbers with units in claims and passages, compared as numbers: "1.9 to 2.1 mm", "at least 30 %", "does not exceed 70"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_UNITS: dict[str, dict[str, float]] = {
    "m": {"m": 1, "dm": 0.1, "cm": 0.01, "mm": 1e-3, "µm": 1e-6, "um": 1e-6, "micrometres": 1e-6, "nm": 1e-9, "km": 1e3, "inch": 0.0254},
    "g": {"g": 1, "mg": 1e-3, "µg": 1e-6, "kg": 1e3},
    "s": {"s": 1, "sec": 1, "seconds": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "min": 60, "minutes": 60,
          "h": 3600, "hours": 3600, "days": 86400},
    "hz": {"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "v": {"v": 1, "mv": 1e-3, "kv": 1e3},
    "a": {"a": 1, "ma": 1e-3},
    "w": {"w": 1, "mw": 1e-3, "kw": 1e3},
    "pa": {"pa": 1, "hpa": 100, "kpa": 1e3, "mpa": 1e6, "gpa": 1e9, "bar": 1e5, "mbar": 100, "psi": 6894.76, "mmhg": 133.322},
    "n": {"n": 1, "kn": 1e3},
    "l": {"l": 1, "ml": 1e-3, "µl": 1e-6, "litres": 1, "liters": 1},
    "°c": {"°c": 1},
    "%": {"%": 1, "percent": 1, "per cent": 1, "wt.%": 1, "wt%": 1, "% by weight": 1},
    "parts": {"parts": 1, "part": 1, "phr": 1, "parts by weight": 1},
    "°": {"°": 1, "degrees": 1},
    "rpm": {"rpm": 1},
    "db": {"db": 1},
}  # fmt: skip
_FACTORS = {unit: (dimension, float(factor)) for dimension, units in _UNITS.items() for unit, factor in units.items()}
_NUMBER = r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?"
_UNIT = (
    r"(?:"
    + "|".join(sorted((re.escape(unit).replace("µ", "[µμ]") for unit in _FACTORS), key=len, reverse=True))
    + r")(?![\w])"
)
_LOW = (
    r"at\s+least|not\s+less\s+than|no\s+less\s+than|more\s+than|greater\s+than|higher\s+than|above|over|exceeds?|exceeding"
    r"|minimum\s+of|≥|>"
)
_HIGH = (
    r"at\s+most|not\s+more\s+than|no\s+more\s+than|less\s+than|lower\s+than|below|under|up\s+to|maximum\s+of|≤|<"
    r"|(?:does|do|may|must|shall)\s+not\s+exceed|not\s+exceeding|not\s+greater\s+than"
)
_RANGE = re.compile(
    rf"(?:(?P<high>{_HIGH})\s+|(?P<low>{_LOW})\s+)?(?:about\s+|approximately\s+|some\s+)?(?<![\w.])(?P<first>{_NUMBER})"
    rf"(?:\s?(?P<unit1>{_UNIT}))?(?:\s?(?:to|and|-|–|bis)\s?(?P<second>{_NUMBER}))?\s?(?P<unit2>{_UNIT})?(?P<more>\s*or\s+(?:more|less|below|above))?",
    re.I,
)
_CLOSE = 0.02


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or range as it stands in a text, in the base unit of its dimension; `unit` names the dimension."""

    text: str
    start: int
    end: int
    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class NumberFound:
    """A quantity of a claim and the one of a passage that it was compared with: whether they can both hold."""

    claimed: str
    found: str
    agrees: bool


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text that have a unit.

    >>> [(q.low, q.high, q.unit) for q in quantities("a gap of 0.5 to 2 mm at up to 40 °C, at least 30 %, numeral 12")]
    [(0.0005, 0.002, 'm'), (-inf, 40.0, '°c'), (30.0, inf, '%')]
    """
    found = []
    for match in _RANGE.finditer(text):
        unit = (match["unit2"] or match["unit1"] or "").lower().replace("μ", "µ")
        if unit not in _FACTORS:
            continue
        dimension, factor = _FACTORS[unit]
        first_factor = _FACTORS[match["unit1"].lower().replace("μ", "µ")][1] if match["unit1"] else factor
        low = _value(match["first"]) * first_factor
        high = _value(match["second"]) * factor if match["second"] else low
        more = (match["more"] or "").lower()
        if match["high"] or more.endswith(("less", "below")):
            low = -math.inf
        elif match["low"] or more.endswith(("more", "above")):
            high = math.inf
        found.append(Quantity(match[0].strip(), match.start(), match.end(), min(low, high), max(low, high), dimension))
    return found


def compare(claimed: list[Quantity], passage: list[Quantity]) -> list[NumberFound]:
    """Set each quantity of a claim against the nearest of the same dimension in a passage, where there is one.

    >>> compare(quantities("10 to 100 µm"), quantities("0.3 mm thick"))
    [NumberFound(claimed='10 to 100 µm', found='0.3 mm', agrees=False)]
    """
    pairs = []
    for ours in claimed:
        theirs = [other for other in passage if other.unit == ours.unit]
        if theirs:
            best = min(theirs, key=lambda other: _apart(ours, other))
            pairs.append(NumberFound(ours.text, best.text, _apart(ours, best) == 0))
    return pairs


def _apart(ours: Quantity, theirs: Quantity) -> float:
    gap = max(ours.low - theirs.high, theirs.low - ours.high, 0.0)
    scale = max(
        (abs(value) for value in (ours.low, ours.high, theirs.low, theirs.high) if math.isfinite(value)), default=1.0
    )
    return 0.0 if gap <= _CLOSE * scale and ours.low == ours.high else gap / (scale or 1.0)


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))
