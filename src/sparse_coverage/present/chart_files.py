"""Claim charts as files: one HTML page that needs no network, a Word file and an Excel file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sparse_coverage.charts.chart import Cell, Chart, strength
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.elements import Element
from sparse_coverage.present.chart_text import (
    combination_lines,
    finding_of,
    notes_of,
    own_words,
    quotation,
    quotes_of,
    remarks_of,
    short_gaps,
)
from sparse_coverage.present.chart_words import gaps_of, summary_of
from sparse_coverage.present.office import ROW_KEPT, NewPage, Page, Stretch, Words, ground, stretches
from sparse_coverage.present.office_sheet import Sheet, Value, workbook
from sparse_coverage.present.pages import render
from sparse_coverage.present.places import cited
from sparse_coverage.present.terms import CITED_BY_US, NOTICE


@dataclass(frozen=True, slots=True)
class _Quotation:
    place: str
    pieces: list[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class _ReportCell:
    cell: Cell
    finding: str
    gaps: list[str]
    notes: list[str]
    quotations: list[_Quotation]


def chart_page(chart: Chart, combinations: Combinations | None = None) -> str:
    """Return the page."""
    return render(
        "chart.html",
        title=_title(combinations),
        chart=chart,
        rows=chart_rows(chart),
        summary=summary_of,
        combinations=list(combination_lines(combinations)) if combinations else [],
        notice=NOTICE,
    )


def _title(combinations: Combinations | None) -> str:
    return "Claim chart: documents combined" if combinations else "Claim chart"


def chart_rows(chart: Chart) -> list[tuple[Element, list[_ReportCell]]]:
    """Return what the table of a chart shows: each element with its cells."""
    return [(element, [_shown(cell) for cell in row]) for element, row in zip(chart.elements, chart.cells, strict=True)]


def _shown(cell: Cell) -> _ReportCell:
    quotations = []
    for quote in quotes_of(cell):
        pieces = [(one.text, one.strength > 0) for one in quotation(cell, quote)]
        quotations.append(_Quotation(cited(quote), pieces))
    return _ReportCell(cell, finding_of(cell), gaps_of(cell), remarks_of(cell), quotations)


def chart_document(new_page: NewPage, chart: Chart, combinations: Combinations | None = None) -> bytes:
    """Return the chart as a file of pages: the share that each document covers, then one table an element with quotations."""
    page = new_page(_title(combinations), landscape=True)
    page.paragraph(Stretch(" ".join(NOTICE), dim=True))
    write_matrix(page, chart, 25, [*claim_lines(chart), *(combination_lines(combinations) if combinations else ())])
    write_chart(page, chart, 25)
    return page.content()


def claim_lines(chart: Chart) -> list[Words]:
    """Return the claims of a chart, each with its number."""
    return [[Stretch(f"Claim {claim.number}. ", bold=True), Stretch(claim.text)] for claim in chart.claims]


def write_matrix(page: Page, chart: Chart, width: float, above: Sequence[Words] = ()) -> None:
    """Write the features of a chart against its documents, verdicts alone: in as few tables as fit a page, of about equal width.

    The paragraphs `above`, or the last of many, stand on the page on which the first table begins.
    """
    few = sum(len(one.text) for words in above for one in stretches(words)) <= ROW_KEPT
    for number, words in enumerate(above, 1):
        page.paragraph(words, with_next=few or number == len(above))
    fits = 4 if width < 20 else 6
    tables = max(1, math.ceil(len(chart.documents) / fits))
    at_once = max(1, math.ceil(len(chart.documents) / tables))
    for first in range(0, len(chart.documents), at_once):
        columns = chart.documents[first : first + at_once]
        # A number is broken where its parts meet, or not at all.
        own, breaks = (3.5, 1) if len(columns) < fits else (3.2, 2)
        names = [column.id if len(column.id) <= 12 else column.id.replace("-", "-\n", breaks) for column in columns]
        rows: list[list[Words]] = [
            [
                [Stretch(f"{element.label} ", bold=True), Stretch(element.text)],
                *(Stretch(_verdict(cell), ground=cell.verdict.fill) for cell in cells[first : first + at_once]),
            ]
            for element, cells in zip(chart.elements, chart.cells, strict=True)
        ]
        rows.append([Stretch("features", bold=True), *(_summary(chart, column.id) for column in columns)])
        widths = (width - own * len(columns), *([own] * len(columns)))
        page.table(("feature", *names), rows, widths)


def write_filled(page: Page, header: Sequence[str], rows: Sequence[Sequence[Words]], widths: Sequence[float]) -> None:
    """Write a table without the columns in which nothing stands; the others become wider."""
    filled = [
        place
        for place in range(len(header))
        if not place or any(one.text.strip() for row in rows for one in stretches(row[place]))
    ]
    wider = sum(widths) / sum(widths[place] for place in filled)
    page.table(
        [header[place] for place in filled],
        [[row[place] for place in filled] for row in rows],
        [widths[place] * wider for place in filled],
    )


def _verdict(cell: Cell) -> str:
    return "\n".join([cell.verdict.value, *([CITED_BY_US] if cell.is_own else short_gaps(cell))])


def _summary(chart: Chart, document: str) -> Stretch:
    told = summary_of(chart, document)
    return Stretch(told.text, ground=told.fill)


def write_chart(page: Page, chart: Chart, width: float) -> None:
    """Write what a chart comes to and says of itself, and its quotations, into a report, so many centimetres wide."""
    rows: list[list[Words]] = [[column.id, column.title, _summary(chart, column.id)] for column in chart.documents]
    write_filled(page, ("document", "title", "features"), rows, (0.22 * width, 0.5 * width, 0.28 * width))
    if chart.undisclosed:
        page.paragraph("In none of these documents: " + ", ".join(one.label for one in chart.undisclosed))
    write_about(page, chart.about)
    for element, row in zip(chart.elements, chart.cells, strict=True):
        page.heading(f"{element.label}  {element.text}", 2)
        cells: list[list[Words]] = [
            [cell.document, Stretch(finding_of(cell), ground=cell.verdict.fill), _said(cell)] for cell in row
        ]
        page.table(
            ("document", "finding", "quotation, verbatim, with its place; … where something is left out"),
            cells,
            (0.22 * width, 0.14 * width, 0.64 * width),
        )


def write_about(page: Page, about: Sequence[str]) -> None:
    """Write what charts say of themselves, on one page: none of it means much alone."""
    for number, line in enumerate(about, 1):
        page.paragraph(Stretch(line, dim=True), with_next=number < len(about))


def chart_workbook(chart: Chart, combinations: Combinations | None = None) -> bytes:
    """Return the chart as an Excel file: elements down and documents across, a sheet of all quotations, one of combinations."""
    return workbook(*chart_sheets(chart, combinations), notice_sheet())


def notice_sheet() -> Sheet:
    """Return the sheet that says what a result is, and what not."""
    return Sheet("notice", ["notice"], [[one] for one in NOTICE], [120])


def chart_sheets(chart: Chart, combinations: Combinations | None = None, named: str = "") -> list[Sheet]:
    """Return the two sheets of a chart, and one of its combinations, if any; `named` is put behind their names."""
    told = [(column.id, summary_of(chart, column.id)) for column in chart.documents]
    header: list[str | Stretch] = [
        "",
        "feature",
        *(Stretch(f"{id_}\n{one.text}", ground=one.fill) for id_, one in told),
    ]
    grid: list[list[Value]] = [
        [
            element.label,
            element.text,
            *(Stretch("\n".join([finding_of(cell), *notes_of(cell)]), ground=cell.verdict.fill) for cell in row),
        ]
        for element, row in zip(chart.elements, chart.cells, strict=True)
    ]
    quotations: list[list[Value]] = [
        [
            element.label,
            cell.document,
            cell.verdict.value,
            "the searcher's" if cell.overruled and quote == cell.overruled.quote else strength(quote.evidence),
            cited(quote),
            "".join(piece.text for piece in quotation(cell, quote)),
            "; ".join(gaps_of(cell)),
        ]
        for element, row in zip(chart.elements, chart.cells, strict=True)
        for cell in row
        for quote in quotes_of(cell)
    ]
    quotations += [["", "", "", "", "", line, ""] for line in chart.about]
    together: list[list[Value]] = [[line] for line in combination_lines(combinations)] if combinations else []
    return [
        Sheet(f"Claim chart{named}", header, grid, [6, 50, *([26] * len(chart.documents))]),
        Sheet(
            f"Quotations{named}",
            ["feature", "document", "finding", "evidence", "place", "quotation", "what the feature lacks"],
            quotations,
            [9, 18, 12, 10, 16, 100, 34],
        ),
        *([Sheet(f"combinations{named}", ["combination"], together, [160])] if together else []),
    ]


def _said(cell: Cell) -> list[Stretch]:
    """Return the first quotation, those that name a phrase of the element that none before them names, and what else there is to say."""
    own = cell.overruled is not None and cell.overruled.quote is not None
    adding = set() if own else {pair.quote for pair in cell.pairs}
    parts: list[Stretch] = []
    for number, shown in enumerate(_shown(cell).quotations):
        if number and number not in adding:
            continue
        if parts:
            parts.append(Stretch("\n"))
        parts += [Stretch(f"{shown.place} ", bold=True), Stretch("“")]
        parts += [Stretch(text, ground=ground(0.5) if marked else "") for text, marked in shown.pieces]
        parts.append(Stretch("”"))
    notes = [Stretch(f"{_sentence(note)} ", dim=True) for note in notes_of(cell, own=False)]
    if cell.overruled is not None:
        told = Stretch(_sentence(own_words(cell.overruled)), bold=True)
        parts = [told, *([Stretch("\n")] if parts else []), *parts]
    return [*parts, *([Stretch("\n")] if parts and notes else []), *notes]


def _sentence(text: str) -> str:
    """Return a note with its capital and its full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
