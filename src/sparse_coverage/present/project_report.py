"""Reports of a project: Word, Excel, CSV, a page, JSON, and references as RIS and BibTeX. Each returns what is to be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparse_coverage.present.chart_office import chart_sheets, write_chart
from sparse_coverage.present.chart_page import chart_rows
from sparse_coverage.present.chart_text import combination_lines
from sparse_coverage.present.citations import bibtex, ris
from sparse_coverage.present.exports import marked_stretches, reasons_line
from sparse_coverage.present.links import public_links
from sparse_coverage.present.office import Stretch, Words
from sparse_coverage.present.office_sheet import Sheet, Value, csv_text, workbook
from sparse_coverage.present.office_word import WordPage
from sparse_coverage.present.pages import render
from sparse_coverage.present.places import listed, place_in
from sparse_coverage.present.project_view import ProjectView, ShownDocument
from sparse_coverage.present.records import to_json

_COLUMNS: Mapping[str, float] = {
    "document": 18, "title": 36, "mark": 12, "note": 40, "published": 12, "classes": 20, "applicants": 24, "found by": 24,
    "place": 22, "passage": 70, "mark of the passage": 12, "note on the passage": 40, "reasons": 44, "index": 12,
    "Espacenet": 10, "Google Patents": 10,
}  # fmt: skip
_SEARCHES: Mapping[str, float] = {
    "search": 8, "when": 20, "index": 14, "query": 80, "filters": 40, "system": 30, "documents": 11,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReportKind:
    """A kind of report: what makes it, and the type that a browser is told."""

    make: Callable[[ProjectView], str | bytes]
    media: str


def project_document(view: ProjectView) -> bytes:
    """Return a Word file: the searches, the relevant documents with their passages, the charts, and what was not relevant."""
    head = view.content.head
    page = WordPage(head.name)
    if head.note:
        page.paragraph(head.note)
    page.heading("Searches")
    page.table(
        ("", "when (UTC)", "what", "found"),
        [
            (
                str(one.number),
                one.made[:16].replace("T", " "),
                [
                    Stretch(f"{one.index} · {one.system} · filters: {one.filters}\n", dim=True),
                    Stretch(one.query),
                ],
                str(one.found),
            )
            for one in view.searches
        ],
        (0.9, 2.8, 11.7, 1.6),
    )
    relevant = view.marked("relevant")
    page.heading("Relevant documents")
    if not relevant:
        page.paragraph("No document is marked relevant.")
    for document in relevant:
        _write_document(page, document)
    for kept, chart, together in view.charts:
        page.heading(f"Claim chart of {kept.made[:10]}")
        for line in combination_lines(together) if together else ():
            page.paragraph(line)
        write_chart(page, chart, 17)
    for title, documents in (
        ("Not relevant", view.marked("not relevant")),
        (
            "Found, not judged",
            [one for one in view.marked("") if one.note or any(p.note or p.mark for p in one.passages)],
        ),
    ):
        if documents:
            page.heading(title)
            rows: list[list[Words]] = [
                [_linked(one), one.facts.title, "\n".join([one.note, *_passage_notes(one)]).strip()]
                for one in documents
            ]
            page.table(("document", "title", "note"), rows, (4, 6.5, 6.5))
    return page.content()


def project_workbook(view: ProjectView) -> bytes:
    """Return an Excel file: documents with marks and notes, the searches, and two sheets a chart."""
    links = list(_COLUMNS).index("Espacenet")
    rows = [
        [*row[:links], *(Stretch("open", link=str(link)) if link else None for link in row[links:])]
        for row in _rows(view)
    ]
    searches: list[list[Value]] = [
        [one.number, one.made, one.index, one.query, one.filters, one.system, one.found] for one in view.searches
    ]
    sheets = [
        Sheet("documents", list(_COLUMNS), rows, list(_COLUMNS.values())),
        Sheet("searches", list(_SEARCHES), searches, list(_SEARCHES.values())),
    ]
    for number, (_, chart, _) in enumerate(view.charts, 1):
        sheets += chart_sheets(chart, f" {number}")
    return workbook(*sheets)


def project_csv(view: ProjectView) -> str:
    """Return the documents with marks, notes and passages as CSV; what a user overruled in charts stands in rows of its own."""
    rows = _rows(view)
    for kept, chart, _ in view.charts:
        for element, cells in zip(chart.elements, chart.cells, strict=True):
            for cell in cells:
                if cell.overruled is not None:
                    title = next(column.title for column in chart.documents if column.id == cell.document)
                    said = f"{element.label} {element.text}: {cell.word} (found was: {cell.overruled.found})"
                    values = {"document": cell.document, "title": title, "mark": "chart", "note": cell.overruled.note}
                    values |= {"passage": said, "index": kept.index}
                    rows.append([values.get(name, "") for name in _COLUMNS])
    return csv_text(list(_COLUMNS), rows)


def project_page(view: ProjectView) -> str:
    """Return one HTML page that needs no network."""
    charts = [
        (kept, chart, chart_rows(chart), list(combination_lines(together)) if together else [])
        for kept, chart, together in view.charts
    ]
    return render(
        "project.html",
        title=view.content.head.name,
        view=view,
        charts=charts,
        links=public_links,
        place_in=place_in,
        pieces=marked_stretches,
    )


REPORTS: Mapping[str, ReportKind] = {
    "docx": ReportKind(project_document, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    "xlsx": ReportKind(project_workbook, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": ReportKind(project_csv, "text/csv; charset=utf-8"),
    "html": ReportKind(project_page, "text/html; charset=utf-8"),
    "json": ReportKind(lambda view: to_json(view.record(), indent=1), "application/json"),
    "ris": ReportKind(
        lambda view: ris(one.publication for one in view.marked("relevant")), "application/x-research-info-systems"
    ),
    "bib": ReportKind(lambda view: bibtex(one.publication for one in view.marked("relevant")), "application/x-bibtex"),
}
"""The reports by the end of their file's name. References are those of the documents marked relevant."""


def _rows(view: ProjectView) -> list[list[Value]]:
    rows: list[list[Value]] = []
    for one in view.documents:
        facts, links = one.facts, public_links(one.facts.id)
        known = [listed(facts.metadata.get(name) or "") for name in ("publication_date", "ipc", "applicants")]
        for shown in one.passages or (None,):
            rows.append([
                facts.id,
                facts.title,
                one.mark,
                one.note,
                *known,
                one.ranks,
                place_in(facts.id, shown.passage) if shown else "",
                shown.passage.text if shown else "",
                shown.mark if shown else "",
                shown.note if shown else "",
                reasons_line(shown.reasons) if shown else "",
                facts.index,
                links.get("Espacenet"),
                links.get("Google Patents"),
            ])  # fmt: skip
    return rows


def _write_document(page: WordPage, document: ShownDocument) -> None:
    page.heading(document.facts.title or document.facts.id, 2)
    words = [Stretch(document.facts.id, bold=True), Stretch("".join(f" · {one}" for one in document.details), dim=True)]
    for name, address in public_links(document.facts.id).items():
        words += [Stretch(" · "), Stretch(name, link=address)]
    page.paragraph(words)
    if document.note:
        page.paragraph([Stretch("Note: ", bold=True), Stretch(document.note)])
    if document.ranks:
        page.paragraph(Stretch(f"Found by {document.ranks}", dim=True))
    for shown in document.passages:
        said = "".join(f" · {one}" for one in (shown.mark, shown.note) if one)
        page.paragraph([Stretch(place_in(document.facts.id, shown.passage), dim=True), Stretch(said, bold=True)])
        page.paragraph(marked_stretches(shown.passage.text, shown.reasons), indent=0.6)


def _passage_notes(document: ShownDocument) -> list[str]:
    return [
        f"{place_in(document.facts.id, one.passage)}: {' '.join(filter(None, (one.mark, one.note)))}"
        for one in document.passages
        if one.mark or one.note
    ]


def _linked(document: ShownDocument) -> Stretch:
    return Stretch(document.facts.id, link=public_links(document.facts.id).get("Espacenet", ""))
