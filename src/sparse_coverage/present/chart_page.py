"""A claim chart as one HTML page that needs no network: elements down, documents across, each cell opens its passages."""

from __future__ import annotations

from dataclasses import dataclass

from sparse_coverage.charts.chart import Cell, Chart
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.elements import Element
from sparse_coverage.present.chart_text import combination_lines, finding_of, notes_of, place_of, quotes_of
from sparse_coverage.present.pages import render
from sparse_coverage.present.pieces import TextMark, cut_at


@dataclass(frozen=True, slots=True)
class _Quotation:
    place: str
    pieces: list[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class _ShownCell:
    cell: Cell
    finding: str
    notes: list[str]
    quotations: list[_Quotation]


def chart_page(chart: Chart, combinations: Combinations | None = None, title: str = "Claim chart") -> str:
    """Return the page."""
    return render(
        "chart.html",
        title=title,
        chart=chart,
        rows=chart_rows(chart),
        combinations=list(combination_lines(combinations)) if combinations else [],
    )


def chart_rows(chart: Chart) -> list[tuple[Element, list[_ShownCell]]]:
    """Return what the table of a chart shows: each element with its cells."""
    return [(element, [_shown(cell) for cell in row]) for element, row in zip(chart.elements, chart.cells, strict=True)]


def _shown(cell: Cell) -> _ShownCell:
    quotations = []
    for quote in quotes_of(cell):
        number = cell.quotes.index(quote) if quote in cell.quotes else -1
        marks = [TextMark(pair.passage.start, pair.passage.end) for pair in cell.pairs if pair.quote == number]
        pieces = [(one.text, one.strength > 0) for one in cut_at(quote.text, marks)]
        quotations.append(_Quotation(place_of(quote.section, quote.number, quote.passage), pieces))
    return _ShownCell(cell, finding_of(cell), notes_of(cell), quotations)
