"""The commands `inspect` and `convert`: what people see, what programs get, what the exit status tells."""

import json

import pytest
from click.testing import CliRunner

from sparse_coverage.cli.patents import convert_command as convert
from sparse_coverage.cli.patents import inspect_command as inspect
from sparse_coverage.patents import read_patents


@pytest.fixture
def collection(tmp_path, xml_samples):
    folder = tmp_path / "patents"
    folder.mkdir()
    for name, content in xml_samples.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def run(module, *arguments, **options):
    return CliRunner().invoke(module, [str(a) for a in arguments], **options)


def test_inspect_counts_what_is_there(collection):
    result = run(inspect, collection, "--json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    patents = list(read_patents(collection))
    assert record["documents"] == len(patents) == 6
    assert record["claims"] == sum(len(patent.claims) for patent in patents) == 13
    assert record["formats"]["CLEF-IP / MAREC"] == 1
    assert record["languages"] == {"en": 6}
    assert record["years"] == {"2001": 1, "2002": 2, "2010": 1, "2011": 1, "2021": 1}
    assert record["without"] == {"abstract": 1}
    assert (record["problems"], record["left_out"]) == ([], 1)


def test_inspect_shows_tables_to_people_and_notes_on_demand(collection):
    result = run(inspect, collection, "--notes")
    assert result.exit_code == 0
    for word in ("documents", "passages", "EPO ST.36", "2021", "B1"):
        assert word in result.stdout
    assert "left out: abstract (en); wanted: en" in result.stderr


def test_what_is_said_of_a_whole_file_is_told_without_being_asked_for(tmp_path):
    table = tmp_path / "export.csv"
    table.write_bytes("number,title,abstract\nEP1000001A1,Café,A valve.\n".encode("cp1252"))
    (tmp_path / "letter.bin").write_bytes(bytes(range(256)))
    result = run(inspect, tmp_path)
    assert result.exit_code == 0
    assert "line 2 is not UTF-8; it was read as cp1252" in result.stderr
    assert "letter.bin" not in result.stderr
    assert "letter.bin" in run(inspect, tmp_path, "--notes").stderr
    row = next(line for line in result.stdout.splitlines() if "(--notes)" in line)
    assert row.split()[-2] == "2"
    assert "documents with small damage" not in result.stdout


def test_files_without_any_patent_are_no_table_of_zeros_and_every_note_counts(tmp_path):
    (tmp_path / "cut.xml").write_text("<us-patent")
    result = run(inspect, tmp_path / "cut.xml")
    assert (result.exit_code, result.stdout) == (1, "No patent was read. Problems: 1; notes (--notes): 0.\n")
    (tmp_path / "export.csv").write_text("number,title,shelf\nEP1000001A1,A valve,7\n")
    result = run(inspect, tmp_path / "export.csv")
    assert "not used: shelf" in result.stderr
    [row] = (line for line in result.stdout.splitlines() if "(--notes)" in line)
    assert row.split()[-2] == "1"


def test_the_exit_status_tells_that_something_was_not_read(collection):
    (collection / "broken.xml").write_text("<patent-document><a></patent-document>", encoding="utf-8")
    inspected = run(inspect, collection, "--json")
    assert inspected.exit_code == 1
    assert [problem["line"] for problem in json.loads(inspected.stdout)["problems"]] == [1]
    converted = run(convert, collection)
    assert converted.exit_code == 1
    assert len(converted.stdout.splitlines()) == 6
    assert "broken.xml" in converted.stderr


def test_inspect_counts_and_shows_ids_that_occur_again(collection):
    again = collection / "again"
    again.write_text((collection / "ep").read_text(encoding="utf-8") * 2, encoding="utf-8")
    record = json.loads(run(inspect, collection, "--json").stdout)
    assert (record["duplicates"], record["duplicate_ids"]) == (2, ["EP-2000001-B1"])
    assert "ids that occur more than once: EP-2000001-B1" in run(inspect, collection).stdout
    assert "more than once" not in run(inspect, collection / "wipo").stdout


@pytest.mark.parametrize("module", [inspect, convert])
@pytest.mark.parametrize("language", ["english", ""])
def test_a_language_that_is_none_is_wrong_usage(module, language, collection):
    result = run(module, collection, "--lang", language)
    assert result.exit_code == 2
    assert "code of two letters" in result.stderr


def test_convert_is_a_fixed_point(collection, tmp_path):
    once = run(convert, collection).stdout
    (tmp_path / "once.jsonl").write_text(once, encoding="utf-8")
    assert run(convert, tmp_path / "once.jsonl").stdout == once


def test_convert_reads_standard_input(collection):
    content = (collection / "ep").read_bytes()
    assert json.loads(run(convert, "-", input=content).stdout)["id"] == "EP-2000001-B1"
