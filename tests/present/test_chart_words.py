"""What a chart comes to in words: features counted, key terms and figures that are not there, and how strong the evidence is."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from sparse_coverage.charts.chart import Cell, Chart, Column, Opinion, Quote, Verdict, overrule
from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.charts.quantities import NumberFound
from sparse_coverage.dataclass_json import record
from sparse_coverage.present.chart_files import chart_document, chart_page, chart_workbook
from sparse_coverage.present.chart_text import chart_text
from sparse_coverage.present.chart_words import measured, summary_of
from sparse_coverage.present.page_chart import chart_view
from sparse_coverage.projects import KeptChart
from sparse_coverage.search.results import Place

CLAIM = "A probe comprising: a lens; a housing of titanium; a coil at 6.78 MHz; and a spring of less than 40 % iron."
TEXT = "The probe has a lens, a housing of steel, a coil and a spring of less than 50 % iron."
TITANIUM = Place("titanium", 13, 21)
NO_FIGURE = NumberFound("6.78 MHz", "", False)
OTHER = NumberFound("less than 40 %", "less than 50 %", False)
AGREES = NumberFound("1 to 10 %", "5 %", True)


def quote(evidence=0.95):
    return Quote("D/p[1]", "description", "0001", TEXT, 0, len(TEXT), evidence)


def cell(label, verdict=Verdict.DISCLOSED, evidence=0.9, **more):
    return Cell(label, "D", verdict, evidence, (quote(),), **more)


@pytest.fixture(scope="module")
def chart():
    claims = read_claims(CLAIM)
    elements = chart_elements(claims)
    cells = (
        (cell("1a"),),
        (cell("1b"),),
        (cell("1c", Verdict.PARTLY, 0.45, missing=(TITANIUM,)),),
        (cell("1d", Verdict.PARTLY, 0.45, numbers=(NO_FIGURE,)),),
        (cell("1e", Verdict.PARTLY, 0.45, numbers=(OTHER,)),),
    )
    assert len(elements) == len(cells)
    return Chart(claims, elements, (Column("D", "A probe", {}, 0.7),), cells, (1.0,) * 5, "hash", ("About.",))


def test_a_feature_without_its_key_term_or_figure_is_not_counted_as_found(chart):
    told = summary_of(chart, "D")
    assert (
        told.text
        == "2 of 5 features found, 3 partly; 1 without its key term, 1 without its figure, 1 with another figure"
    )
    assert told.lacks


def test_a_feature_that_is_partly_there_and_lacks_no_term_is_told_apart(chart):
    rows = tuple((replace(row[0], missing=(), numbers=()),) for row in chart.cells)
    told = summary_of(chart.with_cells(rows), "D")
    assert (told.text, told.lacks) == ("2 of 5 features found, 3 partly", False)


def test_what_a_user_says_is_disclosed_counts_as_found(chart):
    said = {(element.text, "D"): Opinion(Verdict.DISCLOSED) for element in chart.elements}
    assert summary_of(overrule(chart, said), "D").text == "5 of 5 features found"


def test_a_weak_cell_with_strong_quotations_says_why():
    lacks = cell("1c", Verdict.PARTLY, 0.45, missing=(TITANIUM,))
    assert measured(lacks) == ("partly, evidence weak; strong quotations, but “titanium” is nowhere in the document")
    both = replace(lacks, numbers=(NO_FIGURE,))
    assert measured(both).endswith("but “titanium” is nowhere in the document; no figure for: 6.78 MHz")
    apart = cell("1c", Verdict.PARTLY, 0.45, doubt="apart")
    assert measured(apart).endswith("but its words are there, but no sentence says the one of the other")
    assert measured(cell("1c", Verdict.PARTLY, 0.45)).endswith(
        "but for its words alone, not for the feature as a whole"
    )
    assert measured(cell("1b")) == "disclosed, evidence strong"
    weaker = replace(cell("1b"), quotes=(quote(0.6),))
    assert measured(weaker) == "disclosed, evidence strong: no quotation has all of it, together they have"


GAPS = (
    "nowhere in the document: titanium",
    "no figure for: 6.78 MHz",
    "differs: less than 50 %, the claim says less than 40 %",
)
SUMMARY = "2 of 5 features found, 3 partly; 1 without its key term, 1 without its figure, 1 with another figure"


def flat(text):
    return " ".join(text.split())


def test_every_format_tells_the_summary_and_what_each_cell_lacks(chart):
    console = Console(record=True, width=300)
    console.print(chart_text(chart, quotations=False))
    shown = {"terminal": console.export_text(), "html": chart_page(chart)}
    docx = pytest.importorskip("docx")
    from sparse_coverage.present.office_word import WordPage

    made = docx.Document(io.BytesIO(chart_document(WordPage, chart)))
    matrix = made.tables[0]
    shown["the first table of Word"] = "\n".join(one.text for row in matrix.rows for one in row.cells)
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(chart_workbook(chart)))
    for sheet, texts in (("Claim chart", (*GAPS, SUMMARY)), ("Quotations", GAPS)):
        rows = "\n".join(str(value) for row in book[sheet].iter_rows(values_only=True) for value in row)
        assert all(one in rows for one in texts), sheet
    for name, text in shown.items():
        assert all(one in flat(text) for one in (*GAPS, SUMMARY)), name


def test_the_first_page_of_a_pdf_tells_the_summary_and_what_each_cell_lacks(chart):
    pytest.importorskip("reportlab")
    pypdf = pytest.importorskip("pypdf")
    from sparse_coverage.present.office_pdf import PdfPage

    first = pypdf.PdfReader(io.BytesIO(chart_document(PdfPage, chart))).pages[0].extract_text()
    assert all(one in flat(first) for one in (*GAPS, SUMMARY))


def test_the_page_shows_what_is_lacking_apart_from_other_notes(chart):
    rows = (*chart.cells[:4], (replace(chart.cells[4][0], numbers=(OTHER, AGREES)),))
    view = chart_view(KeptChart(1, "2026-01-01", "demo", {}, record(replace(chart, cells=rows))))
    (column,) = view.columns
    assert column.lacks
    assert [row.cells[0].gaps for row in view.rows] == [(), (), GAPS[:1], GAPS[1:2], GAPS[2:]]
    assert view.rows[4].cells[0].notes == ("agrees: 5 %",)
