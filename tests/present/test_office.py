"""Word and Excel files: what is put in can be read out again, and nothing that a patent says is obeyed."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.present.office import Stretch, printable
from sparse_coverage.present.office_sheet import Sheet, csv_text, workbook

docx = pytest.importorskip("docx", reason="the extra [office] is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="the extra [office] is not installed")

from sparse_coverage.present.office_word import WordPage  # noqa: E402

HOSTILE = '=HYPERLINK("http://x")\x0b<w:t>&amp;\ud800'


def test_a_word_page_holds_headings_paragraphs_tables_and_links() -> None:
    page = WordPage("Prior art <found>")
    page.heading("Documents")
    page.paragraph([Stretch("A "), Stretch("plunger", bold=True, ground="FFD54A"), Stretch(" closes.", dim=True)])
    page.table(("rank", "document"), [("1", Stretch("EP-1-A1", link="https://example.org/?q=1&x"))], widths=(2, 15))
    read = docx.Document(io.BytesIO(page.content()))
    assert [p.text for p in read.paragraphs if p.text] == ["Prior art <found>", "Documents", "A plunger closes."]
    [table] = read.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["rank", "document"], ["1", "EP-1-A1"]]
    assert table.rows[1].cells[1].paragraphs[0].hyperlinks[0].address == "https://example.org/?q=1&x"
    marked = next(run for p in read.paragraphs for run in p.runs if run.text == "plunger")
    assert "FFD54A" in marked._r.xml
    assert read.core_properties.title == "Prior art <found>"


def test_a_heading_of_a_pdf_is_on_the_page_on_which_its_table_begins() -> None:
    pypdf = pytest.importorskip("pypdf", reason="the extra [documents] is not installed")
    pytest.importorskip("reportlab", reason="the extra [office] is not installed")
    from sparse_coverage.present.office_pdf import PdfPage

    for between in ("The claim is that of chart 1.", ""):
        page = PdfPage("Charts")
        for number in range(28):
            page.paragraph(f"Line {number}")
        page.heading("Chart 2")
        if between:
            page.paragraph(between, with_next=True)
        rows = [(f"feature {number}", "not found") for number in range(20)]
        page.table(("feature", "EP-1-A1"), [("A long feature. " * 50, "partly"), *rows], widths=(10, 7))
        first, second = (one.extract_text() for one in pypdf.PdfReader(io.BytesIO(page.content())).pages)
        assert "Line 27" in first
        assert "Chart 2" not in first
        assert second.index("Chart 2") <= second.index(between or "Chart 2") < second.index("A long feature.")


def test_a_sheet_keeps_numbers_as_numbers_and_texts_as_texts() -> None:
    rows = [[1, 0.123456, "=1+1", Stretch("EP-1-A1", link="https://example.org"), None]]
    sheets = Sheet("found: all", ["rank", "score", "text", "document", "date"], rows, [6, 8, 60, 20, 12])
    page = openpyxl.load_workbook(io.BytesIO(workbook(sheets)))["found  all"]
    assert [cell.value for cell in page[2]] == [1, 0.123456, "=1+1", "EP-1-A1", None]
    assert page["C2"].data_type == "s"  # a formula would be f
    assert page["D2"].hyperlink.target == "https://example.org"
    assert (page.freeze_panes, page.auto_filter.ref) == ("A2", "A1:E2")


def test_hostile_text_reaches_neither_format_as_anything_but_text() -> None:
    page = WordPage(HOSTILE)
    page.paragraph(HOSTILE)
    assert docx.Document(io.BytesIO(page.content())).paragraphs[1].text == printable(HOSTILE)
    book = openpyxl.load_workbook(io.BytesIO(workbook(Sheet(HOSTILE, [HOSTILE], [[HOSTILE]], [9]))))
    assert (book.worksheets[0]["A2"].value, book.worksheets[0]["A2"].data_type) == (printable(HOSTILE), "s")


def test_a_text_with_a_nul_goes_into_csv_without_it() -> None:
    """Python 3.10 refuses to write one, and many programs to read it."""
    assert csv_text(["a"], [["pump\0valve"]]).splitlines()[1] == "pump\ufffdvalve"


@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
            min_size=2,
            max_size=2,
        )
    )
)
def test_a_table_survives_csv_but_for_the_mark_of_texts_that_would_be_computed(rows: list[list[str]]) -> None:
    text = csv_text(["a", "b"], rows)
    _, *read = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    assert [[cell.removeprefix("'") for cell in row] for row in read] == [
        [cell.removeprefix("'") for cell in row] for row in rows
    ]
    assert not [cell for row in read for cell in row if cell.startswith(("=", "+", "-", "@"))]
