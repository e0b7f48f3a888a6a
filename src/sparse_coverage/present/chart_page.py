"""A claim chart as one HTML page that needs no network: elements down, documents across, each cell opens its passages."""

from __future__ import annotations

from dataclasses import dataclass

from sparse_coverage.charts.cells import Cell
from sparse_coverage.charts.chart import Chart
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.elements import Element
from sparse_coverage.present.chart_text import notes_of, place_of
from sparse_coverage.present.pages import render


@dataclass(frozen=True, slots=True)
class _Quotation:
    place: str
    pieces: list[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class _Shown:
    cell: Cell
    notes: list[str]
    quotations: list[_Quotation]


def chart_page(chart: Chart, combinations: Combinations | None = None, title: str = "Claim chart") -> str:
    """Return the page."""
    return render("chart.html", title=title, chart=chart, rows=chart_rows(chart), combinations=combinations)


def chart_rows(chart: Chart) -> list[tuple[Element, list[_Shown]]]:
    """Return what the table of a chart shows: each element with its cells."""
    return [(element, [_shown(cell) for cell in row]) for element, row in zip(chart.elements, chart.cells, strict=True)]


def _shown(cell: Cell) -> _Shown:
    quotations = []
    for number, quote in enumerate(cell.quotes):
        marks = sorted({(pair.passage.start, pair.passage.end) for pair in cell.pairs if pair.quote == number})
        quotations.append(_Quotation(place_of(quote.section, quote.number, quote.passage), _pieces(quote.text, marks)))
    return _Shown(cell, notes_of(cell), quotations)


def _pieces(text: str, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    pieces, done = [], 0
    for start, end in marks:
        if start >= done:
            pieces += [(text[done:start], False), (text[start:end], True)]
            done = end
    return [*pieces, (text[done:], False)]
