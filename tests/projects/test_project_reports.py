"""Reports of a project: each kind holds the marks, the notes, the searches and a user's own words in charts."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from made_project import CLAIM, PASSAGE, TEXT, chart_record, filled, made_chart, search_record

from sparse_coverage.charts.chart import Opinion, Quote, Verdict, overrule
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.phrases import Pair
from sparse_coverage.dataclass_json import to_json
from sparse_coverage.present.chart_text import finding_of, notes_of, quotation
from sparse_coverage.present.export_kinds import CHART_EXPORTS, PROJECT_EXPORTS
from sparse_coverage.present.page_view import search_view
from sparse_coverage.present.project_view import ReportParts, project_view
from sparse_coverage.present.terms import NOTICE
from sparse_coverage.projects import Mark, ProjectFolder, Ruling, SearchMade
from sparse_coverage.search.results import Place


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
    if kind == "pdf":
        pypdf = pytest.importorskip("pypdf")
        return " ".join(" ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages).split())
    return content.decode()


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "csv", "html", "json"])
def test_marks_notes_passages_and_overruled_cells_are_in_every_report(view, kind):
    text = text_of(kind, PROJECT_EXPORTS[kind].make(view))
    for said in (
        "closest: the spring",
        "only a mention",
        "implicit in figure 2",
        "The plunger is held by a",
        "EP-2-A1",
    ):
        assert said in text


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "csv", "html", "json"])
def test_a_document_with_a_category_alone_is_in_every_report(tmp_path, kind):
    with ProjectFolder(tmp_path).create("Valves") as project:
        project.set_mark(Mark("demo", "EP-3-A1", "EP-3-A1", None, category="Y"))
        text = text_of(kind, PROJECT_EXPORTS[kind].make(project_view(project.content(whole=True))))
    assert "EP-3-A1" in text
    assert re.search(r"\bY\b", text)


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "html"])
def test_what_combinations_lack_is_in_every_report_with_a_chart(view, kind):
    assert "In none of the 2 documents: 1c." in text_of(kind, PROJECT_EXPORTS[kind].make(view))


@pytest.mark.parametrize("kind", ["docx", "pdf", "html"])
def test_a_file_of_combinations_says_so_and_names_the_claims_first(kind):
    found = Combinations((), ("1c",), 2)
    text = text_of(kind, CHART_EXPORTS[kind].make(made_chart(), found))
    assert (
        text.index("Claim chart: documents combined")
        < text.index("A valve comprising")
        < text.index("In none of the 2")
    )
    assert "documents combined" not in text_of(kind, CHART_EXPORTS[kind].make(made_chart()))


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "html", "json"])
def test_a_long_quotation_is_cut_around_its_marked_phrases_and_whole_for_programs(kind):
    chart = made_chart()
    filler = "and a lid that is made of tin or brass, " * 20
    text = f"A pump comprising a rotor, {filler}a coil spring, {filler}and a float, {filler}and an end."
    quote = Quote(PASSAGE.id, "claims", "1", text, 0, len(text), 0.9)
    pairs = tuple(
        Pair(Place(word, 0, 1), Place(word, at := text.index(word), at + len(word)), 0) for word in ("spring", "float")
    )
    cell = replace(chart.cells[0][0], quotes=(quote,), pairs=pairs)
    made = replace(chart, cells=((cell, chart.cells[0][1]), *chart.cells[1:]))
    if kind == "json":
        assert text in to_json(made)
        return
    shown = text_of(kind, CHART_EXPORTS[kind].make(made)).replace("<mark>", "").replace("</mark>", "")
    quoted = re.search("“(…\\sand a.*?)”" if kind != "xlsx" else "(?m)^(…\\sand a.*)$", shown)
    assert quoted is not None
    assert quoted[1].endswith("…")
    assert len(quoted[1]) < 440
    for part in re.split("\\s… |…\\s|\\s…", quoted[1]):
        assert part in text
    assert "a coil spring, and a lid" in quoted[1]
    assert "and a float, and a lid" in quoted[1]


def test_a_quotation_that_the_searcher_chose_is_never_cut():
    chart = made_chart()
    text = "A rotor turns. " * 60
    own = Quote(PASSAGE.id, "description", "0034", text, 0, len(text), 1.0)
    ruled = overrule(chart, {(chart.elements[0].text, "EP-1-A1"): Opinion(Verdict.DISCLOSED, "", own)})
    assert "".join(one.text for one in quotation(ruled.cells[0][0], own)) == text


@pytest.mark.parametrize("report", ["project", "chart"])
def test_what_stands_above_a_matrix_is_on_its_page(view, report):
    docx = pytest.importorskip("docx")
    content = PROJECT_EXPORTS["docx"].make(view) if report == "project" else CHART_EXPORTS["docx"].make(made_chart())
    body = docx.Document(io.BytesIO(content))
    first = body.tables[0]._tbl.getprevious()
    [above] = [one for one in body.paragraphs if one._p is first]
    assert above.paragraph_format.keep_with_next
    assert above.text.endswith({"project": "No combination found.", "chart": CLAIM}[report])


def test_what_a_chart_says_of_itself_stays_on_one_page():
    docx = pytest.importorskip("docx")
    about = ("Looked at: 2 documents.", "Right in 9 of 10 cells.", "No legal opinion.")
    made = docx.Document(io.BytesIO(CHART_EXPORTS["docx"].make(replace(made_chart(), about=about))))
    texts = [one.text for one in made.paragraphs]
    first = texts.index(about[0])
    assert texts[first : first + 3] == list(about)
    kept = [bool(one.paragraph_format.keep_with_next) for one in made.paragraphs[first : first + 3]]
    assert kept == [True, True, False]
    assert any(text.startswith("1a") for text in texts[first + 3 :]), "quotations follow: no page has these lines alone"


def test_a_word_file_has_the_second_quotation_where_it_names_what_the_first_does_not():
    chart = made_chart()
    first, second = (
        Quote(PASSAGE.id, "description", "0034", text, 0, len(text), 0.9) for text in (TEXT, "A lid shuts it.")
    )
    place = Place("plunger", 2, 9)
    for quote, there in ((1, True), (0, False)):
        cell = replace(chart.cells[1][0], quotes=(first, second), pairs=(Pair(place, place, quote),))
        made = replace(chart, cells=(chart.cells[0], (cell, chart.cells[1][1]), chart.cells[2]))
        text = text_of("docx", CHART_EXPORTS["docx"].make(made))
        assert TEXT in text
        assert ("A lid shuts it." in text) is there


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "html", "json"])
def test_the_history_of_searches_is_reported(view, kind):
    text = text_of(kind, PROJECT_EXPORTS[kind].make(view))
    assert CLAIM in text
    assert "published before 2001-05-17" in text
    assert "by concepts" in text


def test_references_are_those_marked_relevant(view):
    assert PROJECT_EXPORTS["ris"].make(view).decode().count("TY  - PAT") == 1
    assert "SN  - EP-1-A1" in PROJECT_EXPORTS["ris"].make(view).decode()
    assert "note = {closest: the spring}" in PROJECT_EXPORTS["bib"].make(view).decode()


def test_no_cell_of_the_table_is_a_formula(view):
    rows = list(csv.DictReader(io.StringIO(PROJECT_EXPORTS["csv"].make(view).decode().lstrip("\ufeff"))))
    assert rows[0]["note on the passage"] == "'=only a mention"
    assert [row["mark"] for row in rows] == ["relevant", "", "", "chart"]


def test_the_page_escapes_every_text(view):
    assert "<title>Valves &lt;1&gt;</title>" in PROJECT_EXPORTS["html"].make(view).decode()


def test_the_json_report_has_the_users_word_and_what_was_found(view):
    record = json.loads(PROJECT_EXPORTS["json"].make(view).decode())
    cell = record["charts"][0]["chart"]["cells"][1][1]
    assert cell["verdict"] == "disclosed"
    assert cell["overruled"] == {"found": "partly", "note": "implicit in figure 2", "quote": None, "judged": True}


def test_overruling_changes_the_share_of_the_document_and_nothing_else():
    chart = made_chart()
    changed = overrule(chart, {("a plunger", "EP-2-A1"): Opinion(Verdict.DISCLOSED)})
    assert [round(column.share, 3) for column in changed.documents] == [1.0, round((0.5 + 1 + 0.5) / 3, 3)]
    assert changed.cells[0] == chart.cells[0]
    assert overrule(chart, {("a plunger", "EP-2-A1"): Opinion()}) == chart
    noted = overrule(chart, {("a plunger", "EP-2-A1"): Opinion(note="see figure 2")})
    assert noted.cells[1][1].verdict == "partly"
    assert noted.documents == chart.documents


@pytest.mark.parametrize(
    ("said", "finding", "words"),
    [
        (Opinion(Verdict.PARTLY, "so it is"), "partly", "assessed by the searcher (found: partly): so it is"),
        (Opinion(note="see figure 2"), "partly (weak)", "noted by the searcher: see figure 2"),
    ],
)
def test_a_verdict_that_confirms_is_the_searchers_and_a_note_alone_is_not(said, finding, words):
    cell = overrule(made_chart(), {("a plunger", "EP-2-A1"): said}).cells[1][1]
    assert cell.is_own == (said.verdict is not None)
    assert finding_of(cell) == finding
    assert words in notes_of(cell)


def test_a_document_that_was_marked_and_never_found_is_reported(tmp_path):
    with ProjectFolder(tmp_path).create("Valves") as project:
        project.set_mark(Mark("demo", "EP-7-A1", "EP-7-A1", "relevant", "known from the examiner", claim=1))
        view = project_view(project.content(whole=True))
    for kind in ("docx", "xlsx", "csv", "html", "json"):
        assert "known from the examiner" in text_of(kind, PROJECT_EXPORTS[kind].make(view))


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "csv", "html"])
def test_places_are_cited_as_a_reader_does_and_every_report_says_what_it_is(view, kind):
    text = text_of(kind, PROJECT_EXPORTS[kind].make(view))
    assert "paragraph [0034]" in text
    assert "description/p[3]" not in text
    assert kind == "csv" or NOTICE[0] in text


@pytest.mark.parametrize("kind", ["docx", "pdf", "xlsx", "html"])
def test_a_verdict_of_the_searcher_has_no_evidence_that_is_not_its_own(view, kind):
    text = text_of(kind, PROJECT_EXPORTS[kind].make(view))
    assert "ssessed by the searcher (found: partly): implicit in figure 2" in text
    assert "disclosed (weak)" not in text


def test_the_matrix_of_features_and_documents_comes_first(view):
    docx = pytest.importorskip("docx")
    first, *others = docx.Document(io.BytesIO(PROJECT_EXPORTS["docx"].make(view))).tables
    rows = [[cell.text for cell in row.cells] for row in first.rows]
    assert rows[0] == ["feature", "EP-1-A1", "EP-2-A1"]
    assert rows[2] == ["1b a plunger", "disclosed", "disclosed\nassessed by the searcher"]
    assert rows[-1] == ["features", "3 of 3 features found", "1 of 3 features found, 2 partly"]
    assert [cell.text for cell in others[0].rows[0].cells] == [
        "document",
        "title",
        "published",
        "applicant",
    ]  # and no column of categories or priorities where nothing would stand in it
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(PROJECT_EXPORTS["xlsx"].make(view)))
    assert book.sheetnames == [
        "Claim chart 1",
        "Quotations 1",
        "combinations 1",
        "documents",
        "passages",
        "searches",
        "notice",
    ]
    assert {page.page_setup.paperSize for page in book} == {9}  # A4


@pytest.mark.parametrize("kind", ["docx", "pdf"])
def test_what_two_charts_of_one_claim_share_is_told_once(tmp_path, kind):
    about = ["Looked at: 2 of 9.", "Verdicts are measurements."]
    with ProjectFolder(tmp_path).create("Valves", "") as project:
        project.add_chart("demo", {}, chart_record() | {"about": about}, None)
        combined = {"found": [], "missing": [], "documents": 2, "own": 1}
        project.add_chart("demo", {}, chart_record() | {"about": ["Looked at: 5 of 9.", about[1]]}, combined)
        project.overrule(
            Ruling("demo", made_chart().elements[1].text, "EP-2-A1", "disclosed", "See figure 2.", claim=1)
        )
        text = text_of(kind, PROJECT_EXPORTS[kind].make(project_view(project.content(whole=True))))
    assert text.count(f"Claim 1. {CLAIM}") == 1
    assert "The claim is that of claim chart 1." in text
    assert "Claim chart 2: documents combined" in text
    assert "EP-1-A1, EP-2-A1: the same as in claim chart 1." in text
    assert text.count(TEXT) == 6  # each cell once
    assert text.count("measurements") == 1
    assert "Looked at: 2 of 9." in text
    assert "Looked at: 5 of 9." in text
    assert "Starting from 1 assessment by the searcher." in text
    assert "See figure 2." in text
    assert "figure 2.." not in text


def test_a_search_names_the_claims_that_it_was_made_with(tmp_path):
    with ProjectFolder(tmp_path).create("Valves", "") as project:
        source = "claims 1-20 of EP-9-A1, A valve"
        asked = {"query": "1. …", "claims": "1", "source": source}
        project.add_search("demo", asked, search_record() | {"source": source})
        (search,) = project_view(project.content(whole=True)).searches
    assert search.query == f"claim 1 of EP-9-A1, A valve: {CLAIM}"


def test_one_chooses_what_goes_into_a_report(tmp_path):
    with ProjectFolder(tmp_path).create("Valves", "secret note") as project:
        filled(project)
        content = project.content(whole=True)
    bare = project_view(content, ReportParts(searches=False, marks=False, notes=False, charts=()))
    text = text_of("docx", PROJECT_EXPORTS["docx"].make(bare))
    for left_out in ("secret note", "closest: the spring", "published before", "Claim chart", "implicit in figure 2"):
        assert left_out not in text
    assert "No document is marked relevant." in text
    assert len(project_view(content, ReportParts(charts=(1,))).charts) == 1


def test_a_feature_with_too_few_words_has_at_least_the_phrase_that_is_shown_in_its_colour():
    request = {"query": CLAIM, "elements": [{"label": "1b", "text": "a plunger"}, {"label": "1c", "text": "a spring."}]}
    found = {**search_record(), "touched": {"EP-1-A1": [{"share": 0.1}, {"share": 0.1}]}}
    hit = search_view(SearchMade(1, "", "demo", request, 3, found)).hits[0]
    assert [(one.label, one.has, one.told) for one in hit.features] == [
        ("1b", "", "few of its words in any passage"),
        ("1c", "some", "“coil spring” in paragraph [0034]"),
    ]
