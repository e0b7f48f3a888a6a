"""Claim charts as Word and Excel files: one table an element in Word, one sheet of words and one of quotations in Excel."""

from __future__ import annotations

from sparse_coverage.charts.cells import Cell
from sparse_coverage.charts.chart import Chart
from sparse_coverage.present.chart_text import notes_of, place_of
from sparse_coverage.present.office import Stretch, Words
from sparse_coverage.present.office_sheet import Sheet, Value, workbook
from sparse_coverage.present.office_word import WordPage

_GROUNDS = {"disclosed": "CDEBCF", "partly": "FBEBC0", "not found": "F6D5D1"}


def chart_document(chart: Chart, title: str = "Claim chart") -> bytes:
    """Return the chart as a Word file: the share that each document covers, then one table an element with quotations."""
    page = WordPage(title, landscape=True)
    write_chart(page, chart, 25)
    return page.content()


def write_chart(page: WordPage, chart: Chart, width: float) -> None:
    """Write a chart into a Word file, so many centimetres wide."""
    for claim in chart.claims:
        page.paragraph([Stretch(f"Claim {claim.number}. ", bold=True), Stretch(claim.text)])
    rows: list[list[Words]] = [[column.id, column.title, f"{column.share:.0%}"] for column in chart.documents]
    page.table(("document", "title", "covers"), rows, widths=(0.18 * width, 0.7 * width, 0.12 * width))
    if chart.undisclosed:
        page.paragraph("In none of these documents: " + ", ".join(one.label for one in chart.undisclosed))
    for element, row in zip(chart.elements, chart.cells, strict=True):
        page.heading(f"{element.label}  {element.text}", 2)
        cells: list[list[Words]] = [
            [cell.document, Stretch(f"{cell.word} ({cell.evidence:.2f})", ground=_GROUNDS[cell.word]), _said(cell)]
            for cell in row
        ]
        page.table(
            ("document", "finding", "quotation, verbatim, with its place"),
            cells,
            (0.18 * width, 0.16 * width, 0.66 * width),
        )


def chart_workbook(chart: Chart) -> bytes:
    """Return the chart as an Excel file: elements down and documents across, and a sheet of all quotations."""
    return workbook(*chart_sheets(chart))


def chart_sheets(chart: Chart, named: str = "") -> tuple[Sheet, Sheet]:
    """Return the two sheets of a chart; `named` is put behind their names."""
    header = ["", "element", *(f"{column.id}\ncovers {column.share:.0%}" for column in chart.documents)]
    grid: list[list[Value]] = [
        [
            element.label,
            element.text,
            *(
                Stretch("\n".join([f"{cell.word} ({cell.evidence:.2f})", *notes_of(cell)]), ground=_GROUNDS[cell.word])
                for cell in row
            ),
        ]
        for element, row in zip(chart.elements, chart.cells, strict=True)
    ]
    quotations: list[list[Value]] = [
        [
            element.label,
            cell.document,
            cell.word,
            round(quote.evidence, 4),
            place_of(quote.section, quote.number, quote.passage),
            quote.text,
        ]
        for element, row in zip(chart.elements, chart.cells, strict=True)
        for cell in row
        for quote in cell.quotes
    ]
    return (
        Sheet(f"Claim chart{named}", header, grid, [6, 50, *([26] * len(chart.documents))]),
        Sheet(
            f"Quotations{named}",
            ["element", "document", "finding", "evidence", "place", "quotation"],
            quotations,
            [9, 18, 12, 10, 16, 100],
        ),
    )


def _said(cell: Cell) -> list[Stretch]:
    parts = []
    for quote in cell.quotes[:1] if cell.word != "not found" else ():
        parts += [
            Stretch(f"{place_of(quote.section, quote.number, quote.passage)} ", bold=True),
            Stretch(f"“{quote.text}”"),
        ]
    return parts + [Stretch(f" {note}.", dim=True) for note in notes_of(cell)]
