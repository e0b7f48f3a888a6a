"""What a chart comes to in words: how many features a document has, what is nowhere in it, and how strong the evidence is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sparse_coverage.charts.chart import Cell, Chart, Verdict, strength
from sparse_coverage.charts.quantities import NumberFound

_STRENGTHS = ("weak", "fair", "strong")
_DOUBTS = {
    "apart": "its words are there, but no sentence says the one of the other",
    "excluded": "what the feature excludes is nowhere excluded",
}
_WITHOUT = {
    "term": ("without its key term", "without their key term"),
    "figure": ("without its figure", "without their figure"),
    "other figure": ("with another figure", "with another figure"),
}


@dataclass(frozen=True, slots=True)
class ChartSummary:
    """How many features of a claim a document has; `lacks` tells that a key term or a figure of some is not there."""

    text: str
    lacks: bool

    @property
    def fill(self) -> str:
        """The ground on which it stands (RGB); none where nothing is lacking."""
        return Verdict.PARTLY.fill if self.lacks else ""


def summary_of(chart: Chart, document: str) -> ChartSummary:
    """Return how many features a document has: "5 of 7 features found, 2 partly; 1 without its key term".

    A feature of which a key term or a figure is not there is not counted as found, unless the user says that it is.
    """
    place = [column.id for column in chart.documents].index(document)
    found = partly = 0
    without: Counter[str] = Counter()
    for cell in (row[place] for row in chart.cells):
        lacks = bool(cell.verdict.credit and cell.lacks) and not cell.is_own
        without[cell.lacks] += lacks
        found += cell.verdict.credit == 1 and not lacks
        partly += cell.verdict is Verdict.PARTLY
    told = f"{found} of {len(chart.cells)} features found" + (f", {partly} partly" if partly else "")
    lacking = [f"{without[kind]} {words[without[kind] > 1]}" for kind, words in _WITHOUT.items() if without[kind]]
    return ChartSummary("; ".join([told, ", ".join(lacking)]) if lacking else told, bool(lacking))


def number_words(number: NumberFound) -> str:
    """Say what a document has for a quantity of a claim.

    >>> number_words(NumberFound("at least 400 spectral bands", "", False))
    'no figure for: at least 400 spectral bands'
    >>> number_words(NumberFound("less than 40 %", "less than 50 %", False))
    'differs: less than 50 %, the claim says less than 40 %'
    """
    if not number.found:
        return f"no figure for: {number.claimed}"
    if not number.agrees:
        return f"differs: {number.found}, the claim says {number.claimed}"
    return f"agrees: {number.found}"


def gaps_of(cell: Cell) -> list[str]:
    """Return what of a feature the document lacks: key terms that are nowhere in it, figures that it has not or has otherwise."""
    terms = ", ".join(_terms(cell))
    numbers = [number_words(number) for number in cell.numbers if not number.agrees]
    doubt = [_DOUBTS[cell.doubt]] if cell.doubt in _DOUBTS and not (terms or numbers) else []
    return [*([f"nowhere in the document: {terms}"] if terms else []), *numbers, *doubt]


def strength_of(cell: Cell) -> str:
    """Return what the evidence of a cell is called; where a key term or a figure is not there, none is strong."""
    return strength(cell.evidence, bool(cell.lacks))


def measured(cell: Cell) -> str:
    """Say what was found for a cell, how strong the evidence is, and why its quotations look stronger or weaker than that.

    "partly, evidence fair; strong quotations, but “titanium” is nowhere in the document"
    """
    found = cell.overruled.found if cell.overruled else cell.verdict
    whole, best = (
        strength_of(cell),
        max((strength(one.evidence) for one in cell.quotes), key=_STRENGTHS.index, default=""),
    )
    told = f"{found}, evidence {whole}"
    if not best or best == whole:
        return "; ".join([told, *gaps_of(cell)])
    if _STRENGTHS.index(best) < _STRENGTHS.index(whole):
        return "; ".join([f"{told}: no quotation has all of it, together they have", *gaps_of(cell)])
    quoted = [f"“{one}”" for one in _terms(cell)]
    why = [f"{' and '.join(quoted)} {'is' if len(quoted) == 1 else 'are'} nowhere in the document"] if quoted else []
    why += [number_words(number) for number in cell.numbers if not number.agrees]
    why = why or gaps_of(cell)
    return f"{told}; {best} quotations, but {'; '.join(why) or 'for its words alone, not for the feature as a whole'}"


def _terms(cell: Cell) -> list[str]:
    return list(dict.fromkeys(place.text for place in cell.missing))
