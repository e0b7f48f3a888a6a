"""Word and PDF files as documents: what is read of them, and what is said of those that cannot be."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawing import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparse_coverage.patents import Limits, Problem, read_patents
from sparse_coverage.patents.readers.pdf_file import Line, _places, paragraphs
from sparse_coverage.patents.readers.text_files import TextBlock, patent_of

docx = pytest.importorskip("docx", reason="the extra [documents] is not installed")
pypdf = pytest.importorskip("pypdf", reason="the extra [documents] is not installed")
sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from mixed_files import PAGES, text_pdf  # noqa: E402


def text_files() -> bytes:
    document = docx.Document()
    document.add_heading("Valve with a plunger", 0)
    document.add_heading("Abstract", 1)
    document.add_paragraph("A valve that is quiet.")
    document.add_heading("Description", 1)
    document.add_paragraph("[0001] The invention relates to valves.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "stroke", "0.4 mm"
    document.add_heading("What is claimed is:", 1)
    document.add_paragraph("1. A valve comprising:")
    document.add_paragraph("a plunger; and a spring.")
    document.add_paragraph("2. The valve of claim 1, wherein the spring is a coil.")
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def problem_of(path: Path) -> str:
    problems: list[Problem] = []
    assert list(read_patents(path, on_problem=problems.append)) == []
    return problems[0].cause


def test_the_parts_of_a_word_file_are_told_by_its_headings(tmp_path: Path) -> None:
    (tmp_path / "EP 1 234 567 A1.docx").write_bytes(text_files())
    [patent] = read_patents(tmp_path / "EP 1 234 567 A1.docx")
    assert (patent.id, patent.title, patent.format) == ("EP-1234567-A1", "Valve with a plunger", "DOCX")
    assert (patent.country, patent.kind) == ("EP", "A1")
    assert [part.text for part in patent.abstract] == ["A valve that is quiet."]
    assert [(p.number, p.text) for p in patent.description] == [
        ("0001", "The invention relates to valves."),
        ("", "stroke 0.4 mm"),
    ]
    assert [(c.number, c.text, c.depends_on) for c in patent.claims] == [
        (1, "A valve comprising: a plunger; and a spring.", ()),
        (2, "The valve of claim 1, wherein the spring is a coil.", (1,)),
    ]


def claims_of(path: Path, fill: Callable[[Any], object]) -> list[tuple[int, str, tuple[int, ...]]]:
    """Return number, text and dependencies of the claims of a Word file that `fill` writes."""
    document = docx.Document()
    fill(document)
    document.save(str(path))
    [patent] = read_patents(path)
    assert patent.description == ()
    return [(claim.number, claim.text, claim.depends_on) for claim in patent.claims]


@pytest.mark.parametrize("style", ["List Number", "Normal"])
def test_a_word_file_of_claims_alone_needs_no_heading(tmp_path: Path, style: str) -> None:
    def fill(document: Any) -> None:
        for number, text in enumerate(["A lamp comprising a dimmer.", "The lamp of claim 1 in red."], 1):
            document.add_paragraph(text if style == "List Number" else f"{number}. {text}", style)

    claims = [(1, "A lamp comprising a dimmer.", ()), (2, "The lamp of claim 1 in red.", (1,))]
    assert claims_of(tmp_path / "x.docx", fill) == claims


def test_a_list_within_a_numbered_claim_is_part_of_it(tmp_path: Path) -> None:
    def fill(document: Any) -> None:
        for text, level in [("A lamp having", 0), ("a dimmer;", 1), ("a bulb.", 1), ("The lamp of claim 1 in red.", 0)]:
            numbering = document.add_paragraph(text)._p.get_or_add_pPr().get_or_add_numPr()
            numbering.get_or_add_numId().val, numbering.get_or_add_ilvl().val = 1, level

    claims = [(1, "A lamp having a dimmer; a bulb.", ()), (2, "The lamp of claim 1 in red.", (1,))]
    assert claims_of(tmp_path / "x.docx", fill) == claims


def test_a_text_with_numbered_headings_is_no_set_of_claims() -> None:
    texts = ["1. Lamps", "Lamps are old.", "2. Dimmers", "Dimmers are new."]
    patent = patent_of([TextBlock(text) for text in texts], "x.docx", "DOCX")
    assert (patent.claims, len(patent.description)) == ((), 4)


@pytest.mark.parametrize("begins", ["1 Introduction", "BACKGROUND OF THE INVENTION", "Technical field:", None])
def test_an_abstract_ends_where_the_text_of_an_article_begins(begins: str | None) -> None:
    abstract = ["Valves are noisy. " * 50, "This one has the background of the invention in mind and is not."]
    body = ["The plunger " + "of the valve " * 60 + "moves.", "It stops."]
    texts = ["Abstract", *abstract, *([begins] if begins else ["Long before, " + "and long ago, " * 90]), *body]
    patent = patent_of([TextBlock(text) for text in texts], "article.docx", "DOCX")
    assert [one.text for one in patent.abstract] == [" ".join(text.split()) for text in abstract]
    assert [one.text for one in patent.description][1:] == body
    [alone] = patent_of([TextBlock("Abstract"), TextBlock("word " * 900)], "a.docx", "DOCX").abstract
    assert len(alone.text.split()) == 900, "one paragraph is never cut"


def test_a_pdf_keeps_its_paragraph_numbers_and_claims(tmp_path: Path) -> None:
    (tmp_path / "my lamp.pdf").write_bytes(text_pdf(PAGES))
    [patent] = read_patents(tmp_path / "my lamp.pdf")
    assert (patent.id, patent.format) == ("my-lamp", "PDF")
    assert [(p.number, p.text) for p in patent.description if p.number] == [
        ("0001", "A lamp with a reflector, a socket and a switch that is built into the handle of the lamp."),
        ("0002", "The switch is closed by a spring."),
    ]
    assert [claim.depends_on for claim in patent.claims] == [(), (1,)]


def test_a_paragraph_of_a_pdf_without_printed_numbers_has_the_page_on_which_it_begins(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter()
    for lines in (
        ("Lamps shine.", "", "The present lamp has a shade that is made", "The present lamp has no switch, and"),
        ("The present lamp goes on over the page,", "here.", "The end is here."),
    ):
        writer.append(io.BytesIO(text_pdf(lines)))
    writer.write(tmp_path / "lamp.pdf")
    [patent] = read_patents(tmp_path / "lamp.pdf")
    assert [(one.number, one.text[:16]) for one in patent.description] == [
        ("page 1", "Lamps shine."),
        ("page 1", "The present lamp"),
        ("page 2", "The end is here."),
    ]


def test_a_paragraph_whose_first_line_was_changed_does_not_move_the_pages_of_those_after_it() -> None:
    pages = [[f"Lamp {page}{row} has a shade that is moved", "by hand."] for page in range(1, 9) for row in range(5)]
    lines = [
        Line(line, f"page {number}") for number, page in enumerate(pages, 1) for line in ("A head", *page, str(number))
    ]
    lines.append(Line("A", "page 99"))  # begins many a text
    texts = [" ".join(page) for page in pages]
    texts[3] = f"A {texts[3]}"
    found = list(_places(texts, lines))
    assert found[3] in ("page 3", "page 4")  # its own first line is not there
    assert found[:3] + found[4:] == [f"page {number}" for number in range(1, len(pages) + 1) if number != 4]


def test_what_stands_above_the_first_heading_of_a_pdf_is_its_title(tmp_path: Path) -> None:
    text = [
        "Lamp with a shade",
        "of two parts",
        "Abstract",
        "A lamp has a shade.",
        "Description",
        "[0001] Lamps shine.",
    ]
    (tmp_path / "EP1000001A1.pdf").write_bytes(text_pdf((*text, "Claims", "1. A lamp with a shade.")))
    [patent] = read_patents(tmp_path)
    assert patent.title == "Lamp with a shade of two parts"
    assert [one.text for one in patent.description] == ["Lamps shine."]
    for first in ("Lamp with a shade", "EP 1 000 001 A1"):
        begin = ["Description"] * first.startswith("EP")
        (tmp_path / "EP1000001A1.pdf").write_bytes(text_pdf((first, *begin, "[0001] Lamps shine for many hours.")))
        [patent] = read_patents(tmp_path)
        assert patent.title == "", "no heading follows, or it is a number"


def test_lines_of_a_pdf_become_paragraphs_without_running_heads() -> None:
    parts = ("valve", "pump", "lamp", "motor")
    pages = [
        f"EP 1 000 005 A1\nThe {part} on this page has a plunger that is moved by a coil against the force of\n"
        f"a spring and closes.\n\nAnother paragraph follows here, so that there are two of them about every\n{part}.\n{number}"
        for number, part in enumerate(parts, 1)
    ]
    found = paragraphs(pages)
    assert len(found) == 8
    first = "The valve on this page has a plunger that is moved by a coil against the force of a spring and closes."
    assert found[0] == first
    assert not [text for text in found if "EP 1 000" in text]


def test_word_and_pdf_files_are_found_in_archives_and_archives_stay_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("EP1234567A1.docx", text_files())
        archive.writestr("lamp.pdf", text_pdf(PAGES))
        archive.writestr("x.jsonl", '{"id": "EP-1-A1", "abstract": "A pump."}\n')
    assert [patent.id for patent in read_patents(tmp_path / "all.zip")] == ["EP-1234567-A1", "lamp", "EP-1-A1"]


def other_office_file(member: str, first: str = "[Content_Types].xml") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(first, "x")
        archive.writestr(member, "x")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (other_office_file("xl/workbook.xml"), "not readable as an Excel file"),
        (other_office_file("content.xml", "mimetype"), "an OpenDocument file. Save a text as .docx"),
        (other_office_file("word/document.xml"), "not readable as a Word file"),
        (text_files()[:2000], "damaged file: it is cut short. Copy or download it again."),
        (b"%PDF-1.4\nnothing of the kind", "not readable as PDF"),
        (text_pdf(()), "a PDF without text, as a scan is: no letters on its one page."),
        (b"{\\rtf1\\ansi A valve.}", "rich text format (.rtf). Save it as .docx"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "x").write_bytes(content)
    assert says in problem_of(tmp_path / "x")


def test_a_pdf_with_a_password_says_so(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(text_pdf(PAGES)))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "x.pdf")
    assert "opens with a password only" in problem_of(tmp_path / "x.pdf")


def test_a_word_file_that_unpacks_to_far_too_much_is_refused(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "x")
        archive.writestr("word/document.xml", b" " * 40_000_000)
    (tmp_path / "x.docx").write_bytes(stream.getvalue())
    assert "a decompression bomb?" in problem_of(tmp_path / "x.docx")
    small = Limits(document_bytes=1000)
    (tmp_path / "y.docx").write_bytes(text_files())
    problems: list[Problem] = []
    assert list(read_patents(tmp_path / "y.docx", on_problem=problems.append, limits=small)) == []
    assert "more than 1000 bytes" in problems[0].cause


def test_without_the_extra_the_file_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.docx").write_bytes(text_files())
    monkeypatch.setitem(sys.modules, "docx", None)
    assert problem_of(tmp_path / "x.docx").startswith("a Word file. Reading it needs the extra [documents].")


WHOLE = {"docx": text_files(), "pdf": text_pdf(PAGES)}


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(WHOLE)), st.data())
def test_damage_is_a_problem_and_never_an_exception(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    content = bytearray(WHOLE[kind])
    for place in data.draw(st.lists(st.integers(8, len(content) - 1), min_size=1, max_size=8)):
        content[place] ^= data.draw(st.integers(1, 255))
    (tmp_path / f"x.{kind}").write_bytes(content)
    problems: list[Problem] = []
    found = list(read_patents(tmp_path / f"x.{kind}", on_problem=problems.append))
    assert found or problems  # one file; taken for an archive, each of its members may be a problem


@given(st.lists(st.builds(TextBlock, st.text(max_size=60), st.booleans(), st.booleans()), max_size=12))
def test_any_text_becomes_a_patent_that_loses_no_word_but_headings_and_numbers(blocks: list[TextBlock]) -> None:
    patent = patent_of(blocks, "x.docx", "DOCX")
    assert patent.id == "x"
    numbers = [claim.number for claim in patent.claims]
    assert numbers == sorted(set(numbers))


def test_a_pdf_in_numbered_columns_keeps_column_and_line_as_places(tmp_path: Path) -> None:
    """As US patents are printed: columns numbered above, every fifth line between them."""
    placed = [(200, 760, "7"), (420, 760, "8")]
    for column in range(2):
        for line in range(16):
            words = "The next part begins" if line == 8 else f"in column {column} is line {line + 1}"
            filled = f"{words}." if line in (7, 15) else words.ljust(44, "x")
            placed.append((100 + 220 * column, 740 - 12 * line, filled))
    placed += [(307, 740 - 12 * (number - 1), str(number)) for number in (5, 10, 15)]
    (tmp_path / "US6543210B2.pdf").write_bytes(text_pdf((), placed))
    [patent] = read_patents(tmp_path / "US6543210B2.pdf")
    assert [paragraph.number for paragraph in patent.description][:2] == [
        "page 1, column 7, line 1",
        "page 1, column 7, line 9",
    ]
    whole = " ".join(paragraph.text for paragraph in patent.description)
    assert whole.index("column 0 is line 16.") < whole.index("column 1 is line 1x")
    assert " 10 " not in whole
