"""Plain texts and saved pages, where they are damaged or say too little. Whole ones are in `exports`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparse_coverage.patents import Patent, Problem, read_patents


def read(path: Path, content: str | bytes, **settings: object) -> tuple[list[Patent], list[str], list[str]]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    problems: list[Problem] = []
    notes: list[Problem] = []
    patents = list(read_patents(path, on_problem=problems.append, on_note=notes.append, **settings))  # type: ignore[arg-type]
    return patents, [problem.cause for problem in problems], [note.cause for note in notes]


@pytest.mark.parametrize("text", ["Just some notes.\n", "The claims of others are many.\n", "[1] one reference\n"])
def test_another_text_is_no_patent_unless_it_is_read_as_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    patents, problems, _ = read(path, text)
    assert (patents, len(problems)) == ([], 1)
    (patent,) = read_patents(path, reader="text")
    assert patent.id == "notes"


def test_a_text_in_a_western_encoding_is_read(tmp_path: Path) -> None:
    patents, _, _ = read(
        tmp_path / "EP1000001A1.txt", "Düse\n\nClaims\n1. Eine Düse.\n2. Düse nach Anspruch 1.\n".encode("cp1252")
    )
    assert [(p.id, p.title, len(p.claims)) for p in patents] == [("EP-1000001-A1", "Düse", 2)]


def test_a_page_of_google_patents_without_its_number_says_what_to_save(tmp_path: Path) -> None:
    page = '<html><body><dd itemprop="publicationNumber"></dd><p>\x01</p></body></html>'
    patents, problems, _ = read(tmp_path / "page.html", page)
    assert patents == []
    assert problems == [
        "a page of Google Patents that names no publication number. Save the page of one patent, whole."
    ]


def test_a_web_page_without_a_table_says_what_to_save(tmp_path: Path) -> None:
    _, problems, _ = read(tmp_path / "page.html", "<html><head><title>Results</title></head><body>none</body></html>")
    assert problems[0].startswith("a web page")
