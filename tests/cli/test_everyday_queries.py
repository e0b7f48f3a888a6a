"""What a searcher searches with: each test is a command as it is typed, and what it prints."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mixed_files import PAGES, text_pdf

from sparse_coverage.evaluation.trec import read_run

Run = Callable[..., tuple[int, str, str]]
CLAIM = "A plunger biased by a spring against a valve seat"


def found(run: Run, *words: object) -> tuple[dict[str, Any], str]:
    status, out, err = run("search", *words, "--json", "--threads", 1)
    assert status == 0, err
    return json.loads(out), err


def ids(result: dict[str, Any]) -> list[str]:
    return [hit["document"] for hit in result["hits"]]


def test_a_folder_of_mixed_files_is_read_and_the_scan_says_what_it_is(run: Run, mixed: Path) -> None:
    status, out, err = run("inspect", mixed, "--json")
    facts = json.loads(out)
    assert (status, facts["documents"]) == (1, 6)
    assert {"DOCX": 1, "PDF": 1}.items() <= facts["formats"].items()
    assert f"left out {mixed / 'scan.pdf'}:1: a PDF without text, as a scan is: no letters on its one page" in err


def test_a_document_of_the_index_is_a_query_without_its_own_family(run: Run, library: Path) -> None:
    result, err = found(run, library, "--like", "EP-1000001-A1")
    assert "The query is claims 1-4 of EP-1000001-A1." in err
    assert "Left out: EP-1000001-A1 itself and its family (--keep-family keeps them)." in err
    assert result["query"].startswith("A valve comprising a plunger, a spring")
    assert "EP-1000001-A1" not in ids(result)
    assert result["about"]["filters"] == {"--like": "without EP-1000001-A1 and its family"}
    kept, _ = found(run, library, "--like", "EP 1 000 001 A1", "--keep-family")
    assert kept["query"] == result["query"]
    assert "EP-1000001-A1" in ids(kept)


def test_chosen_claims_bring_what_they_depend_on(run: Run, library: Path) -> None:
    result, err = found(run, library, "--like", "EP-1000001-A1", "--claims", "4")
    assert "The query is claim 4 of EP-1000001-A1, with claims 1, 2, on which it depends." in err
    assert result["query"].splitlines()[-1] == "The valve of claim 2, wherein the chamber is filled with oil."
    assert "pump" not in result["query"]
    assert result["source"].startswith("claim 4 of EP-1000001-A1")
    some, _ = found(run, library, "--like", "EP-1000001-A1", "--claims", "1-3")
    assert len(some["query"].splitlines()) == 3
    status, _, err = run("search", library, "--like", "EP-1000001-A1", "--claims", "9")
    assert (status, "EP-1000001-A1 has no claim 9; it has claims 1-4." in err) == (1, True)
    status, _, err = run("search", library, "--like", "EP-1000001-A1", "--claims", "first")
    assert (status, "as 1,3-5, not 'first'" in err) == (1, True)


def test_a_number_that_is_not_there_says_so(run: Run, library: Path) -> None:
    status, _, err = run("search", library, "--like", "EP-9999999-A1")
    assert (status, "holds no document with the id 'EP-9999999-A1'" in err) == (1, True)
    assert "(near it: EP-1000001-A1)" in run("search", library, "--like", "EP 1000001 B2")[2]
    err = run("search", library, "EP-1000001-A1")[2]
    assert "searching for the words 'EP-1000001-A1'. For the document: --like 'EP-1000001-A1'" in err


def test_a_patent_file_is_a_query_by_its_claims(run: Run, library: Path, mixed: Path) -> None:
    from_index, _ = found(run, library, "--like", "EP-1000001-A1", "--keep-family")
    from_file, err = found(run, library, f"@{mixed / 'a.xml'}")
    assert f"The query is claims 1-4 of EP-1000001-A1 ({mixed / 'a.xml'})." in err
    assert from_file["query"] == from_index["query"]
    status, _, err = run("search", library, f"@{mixed / 'b.jsonl'}")
    assert (status, "holds several patents. Search with all of them by --queries" in err) == (1, True)


def test_word_and_pdf_files_are_queries_by_their_claims(run: Run, library: Path, mixed: Path) -> None:
    result, err = found(run, library, mixed / "WO 2001 012345 A1.docx", "--claims", 2)
    assert result["query"].splitlines() == [
        "A headset comprising a microphone and a filter.",
        "The headset of claim 1, wherein the filter is adaptive.",
    ]
    assert "with claim 1, on which it depends" in err
    result, _ = found(run, library, f"@{mixed / 'EP1000005A1.pdf'}", "--claims", 1)
    assert result["query"] == "A lamp comprising a reflector and a socket."
    status, _, err = run("search", library, f"@{mixed / 'scan.pdf'}")
    assert (status, "a PDF without text, as a scan is: no letters on its one page" in err) == (1, True)


def test_a_pdf_says_what_it_is_where_it_cannot_be_read(
    run: Run, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    (tmp_path / "claim.pdf").write_bytes(text_pdf(PAGES))
    monkeypatch.setitem(sys.modules, "pypdf", None)
    status, _, err = run("search", library, f"@{tmp_path / 'claim.pdf'}")
    assert status == 1
    assert (
        "a PDF. Reading it needs the extra [documents]. Install it in the folder of the source with: pip install '.[documents]'"
        in err
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\xff", "an image, whose text cannot be read here"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
            "a file of an old office program (.doc, .ppt). Save it as .docx",
        ),
        (b"caf\xe9", "is not UTF-8: byte 3 is 0xe9. Save it as UTF-8."),
    ],
)
def test_a_file_that_is_no_text_says_what_it_is(
    run: Run, library: Path, tmp_path: Path, content: bytes, says: str
) -> None:
    (tmp_path / "claim").write_bytes(content)
    status, _, err = run("search", library, f"@{tmp_path / 'claim'}")
    assert (status, says in err) == (1, True)


def test_the_name_of_a_file_is_never_searched_as_words(
    run: Run, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("claim").write_text(CLAIM, encoding="utf-8")
    result, err = found(run, library, "claim")
    assert result["query"] == CLAIM
    assert "The query is read from the file claim." in err
    status, _, err = run("search", library, "my claim.txt")
    assert (status, "There is no file my claim.txt." in err) == (1, True)


def test_claims_are_chosen_in_a_text_by_their_printed_numbers(run: Run, library: Path) -> None:
    text = "1. A valve with a spring. 2. The valve of claim 1 with a plunger. 3. A lamp."
    assert found(run, library, text, "--claims", 2)[0]["query"].splitlines() == [
        "A valve with a spring.",
        "The valve of claim 1 with a plunger.",
    ]
    status, _, err = run("search", library, "A valve.", "--claims", 2)
    assert (status, "without numbered claims" in err) == (1, True)


def test_one_query_at_a_time(run: Run, library: Path) -> None:
    assert run("search", library)[0] == 2
    status, _, err = run("search", library, CLAIM, "--like", "EP-1000001-A1")
    assert (status, "not QUERY and --like together" in err) == (2, True)
    assert "--run writes the rankings of --queries" in run("search", library, CLAIM, "--run", "x.run")[2]


def test_a_batch_of_queries_becomes_a_run(run: Run, library: Path, tmp_path: Path) -> None:
    queries = {"q1": CLAIM, "q2": "a lamp with a reflector"}
    lines = "".join(json.dumps({"id": id_, "text": text}) + "\n" for id_, text in queries.items())
    (tmp_path / "claims.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "claims.tsv").write_text("".join(f"{id_}\t{text}\n" for id_, text in queries.items()), encoding="utf-8")
    for name in ("claims.jsonl", "claims.tsv"):
        status, out, _ = run("search", library, "--queries", tmp_path / name, "--run", tmp_path / "out.run", "-k", 3)
        assert (status, f"2 queries, 6 documents found. Written to {tmp_path / 'out.run'}." in out) == (0, True)
        ranking = read_run(tmp_path / "out.run")
        single = {id_: ids(found(run, library, text, "-k", 3)[0]) for id_, text in queries.items()}
        assert {id_: list(one.documents) for id_, one in ranking.items()} == single
    result = json.loads(run("search", library, "--queries", tmp_path / "claims.tsv", "-k", 2, "--json")[1])
    assert {id_: len(hits) for id_, hits in result["rankings"].items()} == {"q1": 2, "q2": 2}
    assert "EP-1000" in run("search", library, "--queries", tmp_path / "claims.tsv", "-k", 2)[1]


def test_a_folder_is_a_batch_and_what_cannot_be_read_is_told(
    run: Run, library: Path, mixed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "queries"
    folder.mkdir()
    shutil.copy(mixed / "a.xml", folder / "own claims.xml")
    shutil.copy(mixed / "scan.pdf", folder)
    (folder / "lamp.txt").write_text("a lamp with a reflector", encoding="utf-8")
    status, _, err = run(
        "search", library, "--queries", folder, "--run", tmp_path / "out.run", "--report", tmp_path / "out.csv"
    )
    assert (status, "left out" in err, "as a scan is" in err) == (1, True, True)
    assert list(read_run(tmp_path / "out.run")) == ["lamp", "own-claims"]
    assert "lamp,1," in (tmp_path / "out.csv").read_text(encoding="utf-8")
    by_patents, _, _ = run("search", library, "--queries", mixed / "b.jsonl", "--run", tmp_path / "p.run")
    assert (by_patents, list(read_run(tmp_path / "p.run"))) == (0, ["EP-1000002-A1", "US-20030012345-A1"])
