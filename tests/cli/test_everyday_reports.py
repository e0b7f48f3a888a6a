"""What a searcher reads and sends: each test is a command as it is typed, and what it prints or writes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
CLAIM = "A plunger biased by a spring against a valve seat"
RANKINGS = ("combined", "centers", "words", "vectors")
PARAGRAPH = "EP-1000001-A1/description/p[2]"


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_passage_shows_its_printed_number_and_the_place_of_the_match_in_every_output(
    run: Run, library: Path, tmp_path: Path
) -> None:
    only = ["--filter", "document:EP-1000001-A1 and section:description", "--threads", 1]
    for option in ([], ["--rerank", "passages", "--top", 5], ["--ranking", "centers"]):
        out = flat(run("search", library, CLAIM, *only, *option)[1])
        assert "[0002]" in out, option
        assert "[0002] Many valves are loud" not in out, option  # a snippet begins where the match is
    assert "[0002]" in run("explain", library, CLAIM, PARAGRAPH)[1]
    words = "Rubber and oil have been proposed against the noise, and electronics that lower the current early"
    assert "[0002]" in run("explain", library, words, "EP-1000001-A1", "--whole", "-n", 100)[1]
    report = [tmp_path / f"r.{kind}" for kind in ("html", "csv", "docx", "xlsx")]
    run("search", library, CLAIM, *only, *(word for path in report for word in ("--report", path)))
    assert "paragraph [0002]" in report[0].read_text(encoding="utf-8")
    assert "paragraph [0002]" in report[1].read_text(encoding="utf-8")
    import docx
    import openpyxl

    assert any("paragraph [0002]" in p.text for p in docx.Document(str(report[2])).paragraphs)
    cells = [str(cell.value) for row in openpyxl.load_workbook(report[3])["found"].iter_rows() for cell in row]
    assert "paragraph [0002]" in cells


@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_ranking_has_a_report_that_states_how_it_came_about(
    run: Run, library: Path, tmp_path: Path, ranking: str
) -> None:
    path = tmp_path / "report.html"
    words = [
        "search",
        library,
        CLAIM,
        "--ranking",
        ranking,
        "--report",
        path,
        "--before",
        "2005",
        "--not-family-of",
        "US-1-A",
    ]
    status, out, err = run(*words, "-k", 2)
    assert (status, f"Report: {path}" in flat(out)) == (0, True), err
    page = path.read_text(encoding="utf-8")
    assert ("<mark" in page) == (ranking in ("combined", "centers"))
    for said in (
        f"the index “{library.name}”: 6 documents",
        "published before 2005",
        "exclude families of US-1-A",
        "Sparse Coverage 0.",
        "20",
    ):
        assert said in page
    assert "https://worldwide.espacenet.com/patent/search?q=pn%3DEP1000001A1" in page
    assert "https://patents.google.com/patent/EP1000001A1" in page
    assert "@media print" in page
    assert ("rank there" in page) == (ranking == "combined")


@pytest.mark.parametrize("ranking", RANKINGS)
def test_json_carries_reasons_filters_settings_and_versions(run: Run, library: Path, ranking: str) -> None:
    words = ["search", library, CLAIM, "--ranking", ranking, "--json", "--before", "2005", "-k", 2, "--passages", 2]
    result = json.loads(run(*words)[1])
    about = result["about"]
    assert about["filters"] == {"--before": "2005"}
    assert (about["documents"], about["ranking"], about["settings"]["k"]) == (6, ranking, 2)
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", about["version"])
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d", about["date"])
    assert about["model"]
    shown = [passage for hit in result["hits"] for passage in hit["passages"]]
    assert set(result["reasons"]) == {passage["id"] for passage in shown}
    assert ("parts" in result) == (ranking == "combined")
    for hit in result["hits"] if ranking == "combined" else ():
        adds = [part["adds"] for part in result["parts"][hit["document"]]]
        assert sum(adds) == pytest.approx(hit["score"])
    for passage in shown:
        reasons = result["reasons"][passage["id"]]
        total = sum(reason["contribution"] for reason in (*reasons["phrases"], *reasons["words"]))
        total += reasons["similarity"] + reasons["feedback"] + reasons["whole"]
        assert total == pytest.approx(passage["score"], rel=1e-4)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_what_an_explanation_prints_adds_up(run: Run, library: Path, ranking: str) -> None:
    top = json.loads(run("search", library, CLAIM, "--ranking", ranking, "--json", "-k", 1)[1])["hits"][0]
    out = run("explain", library, CLAIM, top["document"], "--ranking", ranking, "-n", 3)[1]
    rows = [line for line in out.splitlines() if line.startswith("│")]
    table = rows[: next(n for n, line in enumerate(rows) if "together" in line) + 1]
    values = [float(re.findall(r"-?\d+\.\d+", line)[-1]) for line in table]
    assert values[-1] == pytest.approx(top["passages"][0]["score"], abs=1e-3)
    assert sum(values[:-1]) == pytest.approx(values[-1], abs=0.0006 * len(values))


def test_an_explanation_says_what_each_part_adds_and_names_words_with_how_rare_they_are(
    run: Run, library: Path
) -> None:
    found = json.loads(run("explain", library, CLAIM, "EP-1000001-A1", "--json")[1])
    assert [part["part"] for part in found["parts"]] == ["centers", "words", "vectors"]
    words = found["reasons"]["words"]
    assert {"plunger", "spring"} <= {word["query"]["text"] for word in words}
    for word in words:
        place = word["passage"]
        assert found["passage"]["text"][place["start"] : place["end"]] == place["text"]
        assert word["passages"] >= 1
    out = flat(run("explain", library, CLAIM, "EP-1000001-A1")[1])
    assert all(
        name in out for name in ("concepts", "words", "overall meaning", "the same word, in", "the passage as a whole")
    )


def test_a_table_of_what_was_found(run: Run, library: Path, tmp_path: Path) -> None:
    path = tmp_path / "found.csv"
    result = json.loads(run("search", library, CLAIM, "--report", path, "--json", "-k", 3)[1])
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"))))
    assert [(row["rank"], row["document"]) for row in rows] == [
        (str(rank), hit["document"]) for rank, hit in enumerate(result["hits"], 1) for _ in hit["passages"]
    ]
    assert [row["passage"] for row in rows] == [p["text"] for hit in result["hits"] for p in hit["passages"]]
    assert rows[0]["reasons"]
    import openpyxl

    run("search", library, CLAIM, "--report", tmp_path / "found.xlsx", "-k", 3)
    book = openpyxl.load_workbook(tmp_path / "found.xlsx")
    assert [row[1].value for row in list(book["found"].iter_rows())[1:]] == [row["document"] for row in rows]
    assert ("query", CLAIM) in [tuple(cell.value for cell in row) for row in book["how it was found"].iter_rows()]


def test_reports_name_the_members_of_a_family() -> None:
    import docx

    from sparse_coverage.present.export_kinds import SEARCH_EXPORTS
    from sparse_coverage.present.search_report import search_csv
    from sparse_coverage.search import Hit
    from sparse_coverage.workspace import SearchResult

    findings = SearchResult(CLAIM, [Hit("EP-1-A1", "Valve", 1.0, {}, (), ("EP-1-B1", "US-2-A"))])
    assert "EP-1-B1, US-2-A" in search_csv(findings)
    read = docx.Document(io.BytesIO(SEARCH_EXPORTS["docx"].make(findings)))
    assert any("family: EP-1-B1, US-2-A" in paragraph.text for paragraph in read.paragraphs)


def test_a_report_says_how_close_documents_are_and_what_the_searcher_was_told() -> None:
    import docx

    from sparse_coverage.present.export_kinds import SEARCH_EXPORTS
    from sparse_coverage.present.search_report import search_page
    from sparse_coverage.search import Hit
    from sparse_coverage.workspace import SearchResult
    from sparse_coverage.workspace.results import About

    note = "Nothing close was found: the nearest is only weak."
    about = About("2026-11-18", "0.1.0", "valves", 2, 9, "minilm", "combined")
    hit = Hit("EP-1-A1", "Valve", 1.0, {}, (), closeness="weak")
    findings = SearchResult(CLAIM, [hit], about=about, notes=[note])
    read = docx.Document(io.BytesIO(SEARCH_EXPORTS["docx"].make(findings)))
    cells = {cell.text for table in read.tables for row in table.rows for cell in row.cells}
    page = search_page(findings)
    for said in (note, "1.000, weak"):
        assert said in cells
        assert said in page


def test_a_report_says_in_plain_words_what_was_searched_and_how() -> None:
    import docx

    from sparse_coverage.present.export_kinds import SEARCH_EXPORTS
    from sparse_coverage.search import Hit
    from sparse_coverage.workspace import SearchResult
    from sparse_coverage.workspace.results import About

    settings = {"k": 10, "rerank": "cross-encoder:small", "top": 50, "relevant": ["EP-1-A1"], "b": 0.7, "k1": 1.2}
    request = {"filters": {"before": "2001-05-17"}}
    about = About("2026-11-18", "0.1.0", "/home/me/valves", 20, 9, "np, V=60", "combined", settings, request=request)
    findings = SearchResult(CLAIM, [Hit("EP-1-A1", "Valve", 1.0, {}, ())], about=about, searched=12)
    read = docx.Document(io.BytesIO(SEARCH_EXPORTS["docx"].make(findings)))
    assert {row.cells[0].text: row.cells[1].text for row in read.tables[0].rows} == {
        "date": "2026-11-18",
        "searched": "the index “valves”: 20 documents, 12 of them within the filters",
        "filters": "published before 2001-05-17",
        "ranking": "combined: by concepts, by words, by overall meaning, added up; the first 50 then by cross-encoder:small; "
        "with 1 marked relevant",
        "found": "1 shown of 12",
        "made with": "Sparse Coverage 0.1.0",
    }


def test_a_word_report_to_send(run: Run, library: Path, tmp_path: Path) -> None:
    import docx

    run("search", library, "--like", "EP-1000001-A1", "--claims", 1, "--report", tmp_path / "r.docx", "-k", 2)
    read = docx.Document(str(tmp_path / "r.docx"))
    text = "\n".join(p.text for p in read.paragraphs)
    assert text.startswith("Prior art found")
    assert "claim 1 of EP-1000001-A1" in text
    places = [p for p in read.paragraphs if re.match(r"(claim|paragraph|abstract).* · \d\.\d{3}$", p.text)]
    assert places
    assert all(p.paragraph_format.keep_with_next for p in places), "a place stands on the page of its passage"
    assert ["ranking", "rank there", "its score", "adds"] in [[c.text for c in t.rows[0].cells] for t in read.tables]
    assert any(link.address.startswith("https://worldwide.espacenet") for p in read.paragraphs for link in p.hyperlinks)


def test_show_prints_a_document_in_full_with_the_matches_marked(run: Run, library: Path) -> None:
    out = flat(run("show", library, "EP 1000001 A1")[1])
    for said in (
        "EP-1000001-A1 Valve with a plunger", "published: 1999-03-17", "IPC: F16K 31/06",
        "Espacenet: https://worldwide.espacenet.com", "[0001] The invention relates to valves", "[0002] Many valves are loud",
        "4. The valve of claim 2, wherein the chamber is filled with oil.",
    ):  # fmt: skip
        assert said in out
    assert "match 1" not in out
    marked = flat(run("show", library, "EP-1000001-A1", "--claim", CLAIM, "-n", 2)[1])
    assert ("▶ match 1," in marked, "▶ match 2," in marked, "▶ match 3," in marked) == (True, True, False)
    found = json.loads(run("show", library, "EP-1000001-A1", "--claim", CLAIM, "--json")[1])
    assert len(found["passages"]) == 7
    assert set(found["matched"]) <= {passage["id"] for passage in found["passages"]}
    assert run("show", library, "EP-7-A1")[0] == 1


def test_info_says_what_an_index_holds(run: Run, library: Path) -> None:
    facts = json.loads(run("info", library, "--json")[1])
    assert facts["documents"] == 6
    assert facts["fields"]["country"] == {"EP": 4, "US": 1, "WO": 1}
    assert (facts["first_date"], facts["last_date"], facts["undated"]) == ("1999-03-17", "2004-02-01", 3)
    assert sum(facts["sections"].values()) == facts["passages"]
    assert set(facts["sizes"]) == {"segments", "model"}
    assert facts["model"]["vocabulary"]["size"] == 40
    out = flat(run("info", library)[1])
    for said in (
        "documents",
        "1999-03-17 to 2004-02-01; 3 without a date",
        "EP 4, US 1, WO 1",
        "en 3, unknown 3",
        "claims",
    ):
        assert said in out.replace("│ │ ", "")
