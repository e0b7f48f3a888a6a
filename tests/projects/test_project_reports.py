"""Reports of a project: each kind holds the marks, the notes, the searches and a user's own words in charts."""

from __future__ import annotations

import csv
import io
import json

import pytest
from made_project import CLAIM, filled, made_chart

from sparse_coverage.charts.overruling import overrule
from sparse_coverage.present.project_report import REPORTS
from sparse_coverage.present.project_view import project_view
from sparse_coverage.projects import Mark, ProjectFolder


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    with ProjectFolder(tmp_path_factory.mktemp("projects")).create("Valves <1>", "for the opposition") as project:
        filled(project)
        return project_view(project.content(whole=True))


def text_of(kind, content):
    if kind == "docx":
        docx = pytest.importorskip("docx")
        document = docx.Document(io.BytesIO(content))
        cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
        return "\n".join([*(one.text for one in document.paragraphs), *cells])
    if kind == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.load_workbook(io.BytesIO(content))
        return "\n".join(
            str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell is not None
        )
    return content


@pytest.mark.parametrize("kind", ["docx", "xlsx", "csv", "html", "json"])
def test_marks_notes_passages_and_overruled_cells_are_in_every_report(view, kind):
    text = text_of(kind, REPORTS[kind].make(view))
    for said in (
        "closest: the spring",
        "only a mention",
        "implicit in figure 2",
        "The plunger is held by a",
        "EP-2-A1",
    ):
        assert said in text


@pytest.mark.parametrize("kind", ["docx", "xlsx", "html", "json"])
def test_the_history_of_searches_is_reported(view, kind):
    text = text_of(kind, REPORTS[kind].make(view))
    assert CLAIM in text
    assert "published before 2001-05-17" in text
    assert "Sparse Coverage" in text


def test_references_are_those_marked_relevant(view):
    assert REPORTS["ris"].make(view).count("TY  - PAT") == 1
    assert "SN  - EP-1-A1" in REPORTS["ris"].make(view)
    assert "note = {closest: the spring}" in REPORTS["bib"].make(view)


def test_no_cell_of_the_table_is_a_formula(view):
    rows = list(csv.DictReader(io.StringIO(REPORTS["csv"].make(view).lstrip("\ufeff"))))
    assert rows[0]["note on the passage"] == "'=only a mention"
    assert [row["mark"] for row in rows] == ["relevant", "", "", "chart"]


def test_the_page_escapes_every_text(view):
    assert "<title>Valves &lt;1&gt;</title>" in REPORTS["html"].make(view)


def test_the_json_report_has_the_users_word_and_what_was_found(view):
    record = json.loads(REPORTS["json"].make(view))
    cell = record["charts"][0]["chart"]["cells"][1][1]
    assert cell["word"] == "disclosed"
    assert cell["overruled"] == {"found": "partly", "note": "implicit in figure 2"}


def test_overruling_changes_the_share_of_the_document_and_nothing_else():
    chart = made_chart()
    changed = overrule(chart, {("a plunger", "EP-2-A1"): ("disclosed", "")})
    assert [round(column.share, 3) for column in changed.documents] == [1.0, round((0.5 + 1 + 0.5) / 3, 3)]
    assert changed.cells[0] == chart.cells[0]
    assert overrule(chart, {("a plunger", "EP-2-A1"): (None, "")}) == chart
    noted = overrule(chart, {("a plunger", "EP-2-A1"): (None, "see figure 2")})
    assert noted.cell("1b", "EP-2-A1").word == "partly"
    assert noted.documents == chart.documents


def test_a_document_that_was_marked_and_never_found_is_reported(tmp_path):
    with ProjectFolder(tmp_path).create("Valves") as project:
        project.set_mark(Mark("demo", "EP-7-A1", "EP-7-A1", "relevant", "known from the examiner"))
        view = project_view(project.content(whole=True))
    for kind in ("docx", "xlsx", "csv", "html", "json"):
        assert "known from the examiner" in text_of(kind, REPORTS[kind].make(view))
