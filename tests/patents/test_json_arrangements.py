"""JSON however it is arranged: the same records, as a stream, with what is cut or damaged told."""

import io
import json
from pathlib import Path

import pytest

from sparse_coverage.patents import Problem, read_patents
from sparse_coverage.patents.readers.json_stream import Record, json_pieces
from sparse_coverage.patents.reading.context import Limits, ReadContext, Settings

RECORDS = [
    {"id": "EP-1-A1", "title": 'A "quiet" valve {with} [brackets]', "abstract": "One\\two\n"},
    {"id": "EP-2-A1", "title": "Pump", "claims": ["A pump.", "The pump of claim 1."]},
    {"id": "EP-3-A1", "title": "Lamp", "description": "é"},
]


def read(path, content) -> tuple[list[str], list[Problem]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    problems: list[Problem] = []
    return [patent.id for patent in read_patents(path, on_problem=problems.append)], problems


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 0, 3])
@pytest.mark.parametrize(
    "arranged",
    [
        lambda dump: "\n".join(map(dump, RECORDS)),
        lambda dump: "".join(map(dump, RECORDS)),
        lambda dump: dump(RECORDS),
        lambda dump: dump({"count": 3, "more": {"a": [1, "]"]}, "data": RECORDS, "next": None}),
        lambda dump: dump({"response": {"status": "ok", "docs": RECORDS}, "facets": [{"name": "x", "count": 2}]}),
        lambda dump: dump({"unheard of": RECORDS, "took": 5}),
        lambda dump: "\n".join(dump({"results": [record]}) for record in RECORDS),
        lambda dump: "\ufeff\n\n" + dump([[RECORDS[0]], RECORDS[1:]]),
        lambda dump: dump([{"_source": record} for record in RECORDS]),
    ],
)
def test_the_same_records_come_of_every_arrangement(arranged, indent, ascii_only, tmp_path):
    text = arranged(lambda value: json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    assert read(tmp_path / "x", text) == (["EP-1-A1", "EP-2-A1", "EP-3-A1"], [])


def test_a_record_with_lists_of_objects_is_one_record(tmp_path):
    record = {
        "inventors": [{"name": "Ada"}],
        "publication_number": "EP-1-A1",
        "title_localized": [{"text": "t", "language": "en"}],
    }
    for text in (json.dumps(record), json.dumps(record, indent=1)):
        assert read(tmp_path / "x", text) == (["EP-1-A1"], [])


@pytest.mark.parametrize("text", [json.dumps(RECORDS), json.dumps({"data": RECORDS}, indent=1)])
def test_what_was_cut_keeps_the_records_before_and_is_told(text, tmp_path):
    ids, [problem] = read(tmp_path / "x", text[: text.index("Lamp")])
    assert ids == ["EP-1-A1", "EP-2-A1"]
    assert "the file ends inside of it" in problem.cause


def test_a_damaged_list_keeps_the_records_before_and_says_what_is_wrong(tmp_path):
    text = '[{"id": "EP-1-A1", "title": "a"},\n{"id": "EP-2-A1", "title": nothing},\n{"id": "EP-3-A1", "title": "c"}]'
    ids, [problem] = read(tmp_path / "x", text)
    assert ids == ["EP-1-A1"]
    assert problem.cause == "not JSON: invalid string in json text. What follows was not read."


def test_a_record_that_is_too_large_is_left_out_and_the_others_are_read(tmp_path):
    path = tmp_path / "x"
    path.write_text(json.dumps({"data": [RECORDS[0], {"id": "EP-9-A1", "description": "w " * 500}, RECORDS[1]]}))
    problems: list[Problem] = []
    patents = read_patents(path, on_problem=problems.append, limits=Limits(document_bytes=500))
    assert [patent.id for patent in patents] == ["EP-1-A1", "EP-2-A1"]
    assert [problem.cause for problem in problems] == ["refused: a record of more than 500 bytes."]


def test_a_value_without_an_end_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "x"
    path.write_text('[{"id": "EP-1-A1", "title": "a"}, {"id": "EP-2-A1",\n"title": "' + "w " * 500_000)
    problems: list[Problem] = []
    patents = read_patents(path, on_problem=problems.append, limits=Limits(document_bytes=500))
    assert [patent.id for patent in patents] == ["EP-1-A1"]
    assert problems[0].cause.startswith("refused: a value of more than ")


def test_a_wrapped_array_is_read_as_a_stream():
    value = {"id": "X", "title": "t", "description": "w " * 50_000}
    record = json.dumps(value).encode()

    class Counted(io.BytesIO):
        taken = 0

        def read(self, size=-1):
            data = super().read(size)
            self.taken += len(data)
            return data

        def readline(self, size=-1):
            data = super().readline(size)
            self.taken += len(data)
            return data

    stream = Counted(b'{"total": 200, "data": [' + b",".join([record] * 200) + b"]}")
    pieces = json_pieces(stream, ReadContext("x", Settings(), print, print))
    for number, piece in enumerate(pieces, 1):
        assert piece.content == Record(number, value)
        assert stream.taken < (number + 1) * len(record) + (2 << 20)
    assert number == 200


def test_text_that_begins_with_a_bracket_is_no_json(tmp_path):
    ids, [problem] = read(tmp_path / "x", "[0001] The invention relates to valves.")
    assert ids == []
    assert "no patent format" in problem.cause


def test_records_under_their_numbers_and_rows_below_names_are_read(tmp_path: Path) -> None:
    keyed = '{"EP1": {"title": "Valve"},\n "EP1000002A1": "A pump.", "EP1000003A1": {}, "EP1000004A1": {"id": "own", "title": "x"}}'
    assert read(tmp_path / "x", keyed)[0] == ["EP1", "EP-1000002-A1", "EP-1000003-A1", "own"]
    rows = '[["id", "title"],\n ["EP1000001A1", "Valve"], ["EP1000002A1", null]]'
    assert read(tmp_path / "x", rows) == (["EP-1000001-A1", "EP-1000002-A1"], [])


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('[["id", "title"],\n ["EP1000001A1"]]', "record 1: not a list of 2 values, as its header names them."),
        ('[["a", "b"]]', "lists, the first of which names no known column"),
        ('{"id": {"0": "EP1000001A1"}, "title": {"0": "Valve"}}', "columns that hold the rows, as pandas writes"),
        ('{"EP1000001A1": {"title": "Val', "not JSON: the file ends inside of it."),
    ],
)
def test_rows_and_records_under_numbers_that_are_not_whole_say_so(tmp_path: Path, text: str, cause: str) -> None:
    ids, [problem] = read(tmp_path / "x", text)
    assert ids == []
    assert problem.cause.startswith(cause)
