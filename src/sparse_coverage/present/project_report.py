"""Reports of a project: Word, PDF, Excel, CSV, a page, JSON, and references as RIS and BibTeX. Each returns what is to be written."""

from __future__ import annotations

from dataclasses import replace

from sparse_coverage.charts.combining import Combinations
from sparse_coverage.dataclass_json import to_json
from sparse_coverage.present.chart_files import (
    chart_rows,
    chart_sheets,
    claim_lines,
    notice_sheet,
    write_about,
    write_chart,
    write_filled,
    write_matrix,
)
from sparse_coverage.present.chart_text import combination_lines
from sparse_coverage.present.chart_words import summary_of
from sparse_coverage.present.citations import bibtex, ris
from sparse_coverage.present.office import NewPage, Page, Stretch, Words
from sparse_coverage.present.office_sheet import (
    Sheet,
    Value,
    csv_text,
    document_values,
    marked_stretches,
    passage_values,
    sheet,
    table,
    workbook,
)
from sparse_coverage.present.pages import render
from sparse_coverage.present.places import cited
from sparse_coverage.present.project_view import ProjectView, ShownDocument, ShownSearch
from sparse_coverage.present.terms import FACTS, NOTICE
from sparse_coverage.projects import KeptChart
from sparse_coverage.workspace.related import public_links
from sparse_coverage.workspace.results import listed

_COVER = (
    "document",
    "title",
    "mark",
    "category",
    "priority",
    "filed",
    "published",
    "applicants",
    "classes",
    "family",
    "note",
    "claim",
)
_PASSAGES = ("document", "place", "passage", "mark of the passage", "note on the passage")
_SEARCHES = ("search", "when", "index", "query", "filters", "ranking", "found")
_CSV = (
    "document", "title", "mark", "category", "note", "priority", "filed", "published", "classes", "applicants", "family", "found by",
    "place", "passage", "mark of the passage", "note on the passage", "reasons", "index", "claim", "Espacenet", "Google Patents",
)  # fmt: skip
_WIDTH = 17.0  # centimetres of an upright page


def project_document(new_page: NewPage, view: ProjectView) -> bytes:
    """Return a report as a file of pages: what was found at a glance, the documents, quotations and passages, the searches."""
    page = new_page(view.content.head.name)
    page.paragraph(Stretch(" ".join(NOTICE), dim=True))
    if view.content.head.note:
        page.paragraph(view.content.head.note)
    for number, (kept, chart, together) in enumerate(view.charts, 1):
        page.heading(chart_heading(number, kept, together))
        same = same_claims(view, number)
        above = [f"The claim is that of claim chart {same}."] if same else claim_lines(chart)
        write_matrix(page, chart, _WIDTH, [*above, *(combination_lines(together) if together else ())])
    relevant = view.marked("relevant")
    page.heading("Relevant documents")
    if relevant:
        write_filled(
            page,
            ("document", "title", "category", "priority", "published", "applicant"),
            [_cover(one) for one in relevant],
            (3.9, 3.5, 2.2, 2.45, 2.45, 2.5),
        )
    else:
        page.paragraph("No document is marked relevant.")
    for document in relevant:
        _write_document(page, document)
    _write_quotations(page, view)
    _write_others(page, view)
    if view.searches:
        page.heading("Searches")
        page.table(("", "when (UTC)", "what", "found"), [_search(one) for one in view.searches], (0.9, 2.6, 11.0, 2.5))
    return page.content()


def chart_heading(number: int, kept: KeptChart, together: Combinations | None) -> str:
    """Return what a chart is called in a report: by its number, what it is of, and its day."""
    return f"Claim chart {number}{': documents combined' if together else ''}, of {kept.made[:10]}"


def same_claims(view: ProjectView, number: int) -> int:
    """Return the number of the first chart before this one that is of the same claims; 0 where there is none."""
    claims = view.charts[number - 1][1].claims
    return next((one for one, (_, chart, _) in enumerate(view.charts[: number - 1], 1) if chart.claims == claims), 0)


def _write_quotations(page: Page, view: ProjectView) -> None:
    """Write the quotations of all charts; a document that says the same to the same features is quoted once, as is what charts say of
    themselves."""
    quoted: dict[object, int] = {}
    said: set[str] = set()
    for number, (_, chart, _) in enumerate(view.charts, 1):
        page.heading(f"Claim chart {number}: quotations")
        keys = {
            column.id: (chart.elements, tuple((row[place].verdict, row[place].quotes) for row in chart.cells))
            for place, column in enumerate(chart.documents)
        }
        places = {id_: quoted.setdefault((id_, key), number) for id_, key in keys.items()}
        for place in sorted(set(places.values()) - {number}):
            same = ", ".join(id_ for id_, one in places.items() if one == place)
            page.paragraph(f"{same}: the same as in claim chart {place}.")
        about = tuple(line for line in chart.about if line not in said)
        said.update(about)
        new = replace(chart.only([id_ for id_, place in places.items() if place == number]), about=about)
        if new.documents:
            write_chart(page, new, _WIDTH)
        else:
            write_about(page, about)


def _search(one: ShownSearch) -> list[Words]:
    what = [Stretch(f"{one.index} · {one.ranking} · filters: {one.filters}\n", dim=True), Stretch(one.query)]
    return [str(one.number), one.made[:16].replace("T", " "), what, one.shown]


def _cover(one: ShownDocument) -> list[Words]:
    known = one.facts.metadata
    values = [listed(known.get(name) or "") for name in ("priority_date", "publication_date", "applicants")]
    return [_linked(one), one.facts.title, one.category, *values]


def _write_document(page: Page, document: ShownDocument) -> None:
    facts = document.facts
    page.heading(f"{facts.id}  {facts.title}".strip(), 2)
    if document.claim:
        page.paragraph(Stretch(f"For the claim: {document.claim}", dim=True))
    words: list[Stretch] = []
    for name, address in public_links(facts.id).items():
        words += [*([Stretch(" · ")] if words else []), Stretch(name, link=address)]
    if words:
        page.paragraph(words)
    known: list[list[Words]] = [
        [Stretch(name, dim=True), listed(facts.metadata[key])] for key, name in FACTS.items() if facts.metadata.get(key)
    ]
    page.table(("", ""), known, (2.6, _WIDTH - 2.6))
    if document.note:
        page.paragraph([Stretch("Note: ", bold=True), Stretch(document.note)])
    if document.ranks:
        page.paragraph(Stretch(f"Found by {document.ranks}", dim=True))
    for shown in document.passages:
        said = "".join(f" · {one}" for one in (shown.mark, shown.note) if one)
        passage = shown.passage
        page.paragraph(
            [Stretch(cited(passage), dim=True), Stretch(said, bold=True)],
            with_next=True,
        )
        page.paragraph(marked_stretches(passage.text, shown.reasons), indent=0.6)


def _write_others(page: Page, view: ProjectView) -> None:
    for title, documents in (("Not relevant", view.marked("not relevant")), ("Without a mark", view.noted)):
        if documents:
            page.heading(title)
            rows: list[list[Words]] = [
                [
                    _linked(one),
                    one.facts.title,
                    one.category,
                    "\n".join(filter(None, [one.note, *_passage_notes(one), one.claim and f"For: {one.claim}"])),
                ]
                for one in documents
            ]
            write_filled(page, ("document", "title", "category", "note"), rows, (4, 6, 2, 5))


def project_workbook(view: ProjectView) -> bytes:
    """Return an Excel file: the charts, documents with marks and notes, their passages, the searches."""
    sheets: list[Sheet] = []
    for number, (_, chart, together) in enumerate(view.charts, 1):
        sheets += chart_sheets(chart, together, f" {number}")
    searches: list[dict[str, Value]] = [
        {
            "search": one.number,
            "when": one.made[:16].replace("T", " "),
            "index": one.index,
            "query": one.query,
            "filters": one.filters,
            "ranking": one.ranking,
            "found": one.shown,
        }
        for one in view.searches
    ]
    passages = [row for row in _rows(view) if row.get("passage")]
    sheets += [
        sheet("documents", _COVER, [_document_values(one) for one in view.documents]),
        sheet("passages", _PASSAGES, passages),
        sheet("searches", _SEARCHES, searches),
        notice_sheet(),
    ]
    return workbook(*sheets)


def project_csv(view: ProjectView) -> str:
    """Return the documents with marks, notes and passages as CSV; a searcher's own verdicts in charts stand in rows of their own."""
    rows = _rows(view)
    for kept, chart, _ in view.charts:
        for element, cells in zip(chart.elements, chart.cells, strict=True):
            for cell in cells:
                if cell.overruled is not None:
                    title = next(column.title for column in chart.documents if column.id == cell.document)
                    said = f"{element.label} {element.text}: {cell.verdict} (found was: {cell.overruled.found})"
                    values: dict[str, Value] = {"document": cell.document, "title": title, "mark": "chart"}
                    if quote := cell.overruled.quote:
                        said = f"{said} “{quote.text}”"
                        values["place"] = cited(quote)
                    rows.append(values | {"note": cell.overruled.note, "passage": said, "index": kept.index})
    return csv_text(_CSV, table(_CSV, rows))


def project_page(view: ProjectView) -> str:
    """Return one HTML page that needs no network."""
    charts = [
        (
            chart_heading(number, kept, together),
            same_claims(view, number),
            chart,
            chart_rows(chart),
            list(combination_lines(together)) if together else [],
        )
        for number, (kept, chart, together) in enumerate(view.charts, 1)
    ]
    return render(
        "project.html",
        title=view.content.head.name,
        view=view,
        charts=charts,
        summary=summary_of,
        links=public_links,
        facts=lambda one: [
            (name, listed(one.facts.metadata[key])) for key, name in FACTS.items() if one.facts.metadata.get(key)
        ],
        place=lambda passage: cited(passage),
        pieces=marked_stretches,
        notice=NOTICE,
    )


def project_json(view: ProjectView) -> str:
    """Return what the project holds for programs."""
    return to_json(view.record(), indent=1)


def project_ris(view: ProjectView) -> str:
    """Return the documents marked relevant as references in RIS."""
    return ris({one.facts.id: one.publication for one in view.marked("relevant")}.values())


def project_bibtex(view: ProjectView) -> str:
    """Return the documents marked relevant as references in BibTeX."""
    return bibtex({one.facts.id: one.publication for one in view.marked("relevant")}.values())


def _document_values(one: ShownDocument) -> dict[str, Value]:
    values = document_values(one.facts.id, one.facts.title, one.facts.metadata)
    said: dict[str, Value] = {"mark": one.mark, "category": one.category, "note": one.note}
    return values | said | {"found by": one.ranks, "index": one.facts.index, "claim": one.claim}


def _rows(view: ProjectView) -> list[dict[str, Value]]:
    return [
        _document_values(one)
        | (passage_values(shown.passage, shown.reasons) if shown else {})
        | ({"mark of the passage": shown.mark, "note on the passage": shown.note} if shown else {})
        for one in view.documents
        for shown in one.passages or (None,)
    ]


def _passage_notes(document: ShownDocument) -> list[str]:
    return [
        f"{cited(one.passage)}: {' '.join(filter(None, (one.mark, one.note)))}"
        for one in document.passages
        if one.mark or one.note
    ]


def _linked(document: ShownDocument) -> Stretch:
    return Stretch(document.facts.id, link=public_links(document.facts.id).get("Espacenet", ""))
