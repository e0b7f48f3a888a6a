"""JSON Lines and CSV: the documented schema, BEIR, and what is wrong with a record."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent, raise_problem, read_patents
from sparse_coverage.patents.claims import numbered_claims
from sparse_coverage.patents.passages import Duplicates
from sparse_coverage.patents.patent import Paragraph
from sparse_coverage.patents.readers.records import split_paragraphs, to_record
from sparse_coverage.patents.reading.context import Piece, Settings
from sparse_coverage.patents.reading.read import PieceToRead, carry_out


def texts(parts):
    return {part.xpath.removeprefix("/patent-document/"): part.text for part in parts}


def test_the_documented_schema(read_one):
    patent = read_one(
        json.dumps(
            {
                "id": "EP-1-A1",
                "lang": "EN",
                "title": "Pump",
                "abstract": "A pump.\nIt lifts.",
                "claims": ["A pump.", "The pump of claim 1."],
                "description": ["One.", "", "Three."],
                "ipc": ["F04D29/22", "F04D 13/06"],
                "cpc": "F04D 29/2238; F05D-2250/00",
                "publication_date": "2020-01-02T00:00:00Z",
                "application_date": 20190304,
                "priority_date": "20180506",
                "family": "77",
                "family_members": ["US-1-A"],
                "applicants": ["Pumps Ltd."],
                "citations": ["US-2-A"],
            }
        )
    )
    assert texts(patent.abstract) == {"abstract/p[1]": "A pump.", "abstract/p[2]": "It lifts."}
    assert texts(patent.description) == {"description/p[1]": "One.", "description/p[3]": "Three."}
    assert [claim.depends_on for claim in patent.claims] == [(), (1,)]
    assert (patent.ipc, patent.cpc) == (("F04D 29/22", "F04D 13/06"), ("F04D 29/2238", "F05D 2250/00"))
    assert (patent.publication_date, patent.application_date, patent.priority_date) == (
        "2020-01-02",
        "2019-03-04",
        "2018-05-06",
    )
    assert (patent.country, patent.kind, patent.language, patent.family) == ("EP", "A1", "en", "77")
    assert (patent.family_members, patent.applicants, patent.citations) == (("US-1-A",), ("Pumps Ltd.",), ("US-2-A",))


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ('{"id": "X", "title": }', "1: not JSON: Expecting value (column 22)."),
        ("{}", "1: no publication id. Give each record an `id` (or `_id`) such as EP-0661903-A2."),
        ('{"id": "X", "title": ["a", "b"]}', "1: X: `title` is a list; expected a string."),
        (
            '{"id": "X", "claims": {"x": "a"}}',
            "1: X: `claims` is an object; expected a list of strings, or one string of numbered claims.",
        ),
        (
            '{"id": "X", "claims": false}',
            "1: X: `claims` is true or false; expected a list of strings, or one string of numbered claims.",
        ),
        (
            '{"id": "X", "claims": 0}',
            "1: X: `claims` is a number; expected a list of strings, or one string of numbered claims.",
        ),
        ('{"id": "X", "abstract": 0}', "1: X: `abstract` is a number; expected a string or a list of strings."),
        ('{"id": "X", "description": [1]}', "1: X: entry 1 of `description` is a number; expected a string."),
        ('{"id": "X", "ipc": 5}', "1: X: `ipc` is a number; expected a list of strings."),
        ('{"id": "X", "ipc": ["A01B", null]}', "1: X: entry 2 of `ipc` is null; expected a string."),
        ('{"id": "X", "title": NaN}', "1: NaN is not JSON. Leave the field out, or write null."),
        (
            '{"id": "m n", "title": "t"}',
            "1: the publication id 'm n' holds white space, which would cut it in two in runs and judgements. "
            "Write it without, as in EP-0661903-A2.",
        ),
        ('{"id": "X", "title": "\\ud800"}', "1: it holds half a character (an unpaired surrogate such as \\ud800)."),
        ("{\n}", " record 1: no publication id. Give each record an `id` (or `_id`) such as EP-0661903-A2."),
    ],
)
def test_a_bad_line_is_named_with_its_cause(line, cause, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError) as error:
        list(read_patents(path, on_problem=raise_problem))
    assert str(error.value) == f"{path}:{cause}"


def test_a_bad_line_does_not_stop_the_run(tmp_path, problems):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id": "A", "title": "a"}\n\n[1]\n{"id": "\xff"}\n{"id": "B", "title": "b"}\n')
    assert [p.id for p in read_patents(path, on_problem=problems.append)] == ["A", "B"]
    assert [problem.line for problem in problems] == [3, 4]
    assert "a list instead of an object" in problems[0].cause
    assert "not UTF-8" in problems[1].cause


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table(delimiter, tmp_path, problems):
    rows = [
        ["Publication_Number", "Title", "Abstract", "Claims", "IPC", "date"],
        [
            "EP-1-A1",
            "Pump",
            '"A pump.\nIt lifts."',
            '"1. A pump. 2. The pump of claim 1."',
            "F04D 29/22|F04D 13/06",
            "2020-01-02",
        ],
        ["", "no id", "", "", "", ""],
        ["EP-2-A1", "Valve", "", "", "", ""],
    ]
    path = tmp_path / "table"
    path.write_text("\n".join(delimiter.join(row) for row in rows), encoding="utf-8-sig")
    first, second = read_patents(path, on_problem=problems.append)
    assert (first.id, first.title, first.format) == ("EP-1-A1", "Pump", "CSV")
    assert texts(first.abstract) == {"abstract/p[1]": "A pump.", "abstract/p[2]": "It lifts."}
    assert [(c.text, c.depends_on) for c in first.claims] == [("A pump.", ()), ("The pump of claim 1.", (1,))]
    assert first.ipc == ("F04D 29/22", "F04D 13/06")
    assert second.id == "EP-2-A1"
    assert [(p.line, p.cause.split(".")[0]) for p in problems] == [(4, "no publication id")]


def read_table(tmp_path, content, problems):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    return [(patent.id, patent.title) for patent in read_patents(path, on_problem=problems.append)]


def test_a_row_of_the_wrong_length_is_a_problem_with_its_line(tmp_path, problems):
    content = b'id,title,abstract\n1,"two\nlines",a\n2,b\n3,b,c,d\n\n4,b,c\n'
    assert read_table(tmp_path, content, problems) == [("1", "two lines"), ("4", "b")]
    assert [(p.line, p.cause.split(".")[0]) for p in problems] == [
        (4, "2 values where the header names 3 columns"),
        (5, "4 values where the header names 3 columns"),
    ]


def test_a_quote_that_is_not_closed_is_a_problem_that_names_the_lines_it_swallowed(tmp_path, problems):
    content = b'id,title\n1,a\n2,"never closed\n3,c\n4,"d"\n5,e\n6,"open\n7,f\n'
    assert read_table(tmp_path, content, problems) == [("1", "a"), ("5", "e")]
    assert [problem.line for problem in problems] == [3, 7]
    assert "lines 3 to 5 were not read" in problems[0].cause
    assert "lines 7 to 8 were not read" in problems[1].cause


def test_blank_lines_before_the_header_and_spaces_in_names_are_no_problem(tmp_path, problems):
    content = b"\xef\xbb\xbf\n\nPublication Number,Title,Filing Date\nEP1,Pump,2020-01-02\n,no id,\n"
    assert read_table(tmp_path, content, problems) == [("EP1", "Pump")]
    assert [problem.line for problem in problems] == [5]


def test_of_a_column_that_is_named_twice_the_first_is_read_and_the_other_named(tmp_path, problems):
    path = tmp_path / "table.csv"
    path.write_bytes(b"id,title,title\n1,a,b\n")
    notes = []
    (patent,) = read_patents(path, on_problem=problems.append, on_note=notes.append)
    assert (patent.title, problems) == ("a", [])
    assert [note.cause for note in notes] == ["not used: title (column 3)"]


def test_a_date_that_is_none_is_left_out_with_a_note(read_one):
    for written in ("2021-02-31", "12/06/2002", 20021399):
        notes = []
        patent = read_one(json.dumps({"id": "X", "title": "t", "date": written}), on_note=notes.append)
        assert patent.publication_date == ""
        assert [note.cause.split(",")[0] for note in notes] == [f"left out: the publication_date {str(written)!r}"]


def test_a_record_with_nothing_but_an_id_is_kept_with_a_note(read_one):
    notes = []
    assert read_one('{"id": "X"}', on_note=notes.append).id == "X"
    assert [note.cause for note in notes] == ["it holds no text: none of title, abstract, text, claims, description"]


@pytest.mark.parametrize("language", ["en", "EN", "en-US", "eng", "English"])
def test_a_language_may_be_written_in_full(language, read_one):
    assert read_one(json.dumps({"id": "X", "title": "t", "lang": language})).language == "en"


def test_paragraphs_of_subsections_follow_the_others_which_keep_their_places(read_one):
    patent = read_one(
        '<patent-document ucid="US-1-A" lang="EN"><description><p>one</p><sec><p>inner</p></sec><p/><p>three</p>'
        "</description></patent-document>"
    )
    record = to_record(patent)
    assert record["description"] == ["one", "", "three", "inner"]
    again = read_one(json.dumps(record))
    assert texts(again.description) == {
        "description/p[1]": "one",
        "description/p[3]": "three",
        "description/p[4]": "inner",
    }


def test_a_claim_whose_text_begins_like_a_number_keeps_it(read_one):
    patent = Patent("X-1", title="t", claims=numbered_claims(["1. 5. Alpha", "The pump of claim 1."]))
    assert [claim.text for claim in patent.claims] == ["5. Alpha", "The pump of claim 1."]
    assert read_one(json.dumps(to_record(patent))).claims == patent.claims


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "FIELD [0001] Pumps. They lift. [0002] Valves. [0004] stays",
            [("0001", "FIELD  Pumps. They lift. "), ("0002", " Valves. [0004] stays")],
        ),
        (
            "(1) Pumps (2) Valves (10) and (3) Tips (3) again",
            [("0001", " Pumps "), ("0002", " Valves (10) and "), ("0003", " Tips (3) again")],
        ),
        ("[0002] Starts at two. [0003] Goes on.", [("0002", " Starts at two. "), ("0003", " Goes on.")]),
        ("A pump (1) lifts and a valve (2) closes.", [("", "A pump (1) lifts and a valve (2) closes.")]),
        ("One.\n\n[0002] Two.\nThree.", [("", "One."), ("0002", "Two."), ("", "Three.")]),
        ("  ", []),
    ],
)
def test_a_description_in_one_string_is_cut_at_its_printed_numbers(text, expected):
    assert split_paragraphs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Two ways: (1) Estimates are given. (2) A compiler is used. (3) It ends.",
        "[1] Pumps lift. [2] Valves close.",
        "1. A pump. 2. A valve.",
        "[1] Pumps lift.\n[2] Valves close.",
        "As [0001] and [0002] show.",
    ],
)
def test_a_plain_text_is_kept_as_it_stands(text, read_one):
    patent = read_one(json.dumps({"_id": "7", "text": text}))
    assert "\n".join(paragraph.text for paragraph in patent.abstract) == text
    assert not any(paragraph.number for paragraph in patent.abstract)


def test_a_text_that_begins_with_the_number_of_a_paragraph_is_cut_as_a_description(read_one):
    patent = read_one(json.dumps({"_id": "7", "text": "[0001] Pumps lift. [0002] Valves close."}))
    assert [(paragraph.number, paragraph.text) for paragraph in patent.abstract] == [
        ("0001", "Pumps lift."),
        ("0002", "Valves close."),
    ]


plain = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=20).map(
    lambda t: " ".join(t.split())
)


@given(st.lists(plain, max_size=6), st.lists(plain.map(lambda t: "A " + t), max_size=6), plain)
def test_records_round_trip(tmp_path_factory, description, claims, title):
    patent = Patent(
        "X-1",
        title=title,
        description=tuple(
            Paragraph(t, f"/patent-document/description/p[{n}]") for n, t in enumerate(description, 1) if t
        ),
        claims=numbered_claims(claims),
    )
    path = tmp_path_factory.mktemp("records") / "x.jsonl"
    path.write_text(json.dumps(to_record(patent)), encoding="utf-8")
    (again,) = read_patents(path)
    assert (again.title, again.claims, again.description) == (patent.title, patent.claims, patent.description)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = "id _id lang title abstract text claims description ipc cpc date priority_date family family_members applicants kind".split()


@given(st.dictionaries(st.sampled_from(FIELDS), anything))
def test_whatever_a_record_holds_a_patent_or_a_problem_comes_of_it(record):
    outcome = carry_out(PieceToRead("x", "json", Piece(json.dumps(record).encode(), 7)), Settings("any"))
    assert (outcome.patent is None) != (outcome.problem is None)
    assert outcome.problem is None or outcome.problem.line == 7


def test_a_number_is_one_document_whatever_its_case_and_comes_again(tmp_path):
    path = tmp_path / "x.jsonl"
    ids = ["ep-7654321-a1", "EP-7654321-A1", "Ep7654321a1", "wo-9132959-a1", "WO-9132959-A1"]
    path.write_text("".join(json.dumps({"id": id_, "title": "valve"}) + "\n" for id_ in ids), encoding="utf-8")
    found = list(read_patents(path))
    assert [patent.id for patent in found] == ["EP-7654321-A1"] * 3 + ["WO-9132959-A1"] * 2
    assert {(patent.country, patent.kind) for patent in found} == {("EP", "A1"), ("WO", "A1")}
    seen = Duplicates()
    assert [seen.add(patent.id) for patent in found] == [False, True, True, False, True]


@pytest.mark.parametrize("around", ["{}\n", "[{}]", '{{"total": 1, "data": [{}]}}'])
def test_a_name_that_comes_twice_in_an_object_is_told(tmp_path, around):
    path = tmp_path / "x.json"
    record = '{"id": "A-1", "title": "a valve", "title": "a pump", "translations": {"de": {"abstract": "x", "abstract": "y"}}}'
    path.write_text(around.format(record), encoding="utf-8")
    notes = []
    [patent] = read_patents(path, on_note=notes.append, language="any")
    assert patent.title == "a pump"
    told = "comes twice in an object; the last one counts"
    assert sorted(note.cause for note in notes if "twice" in note.cause) == [
        f"mended: 'abstract' {told}",
        f"mended: 'title' {told}",
    ]
    assert {note.document for note in notes if "twice" in note.cause} == {"A-1"}
