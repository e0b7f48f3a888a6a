"""Tables as people have them: whatever the separator, encoding, header and dates, nothing is lost or ignored in silence."""

import io

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent, Problem, read_patents
from sparse_coverage.patents.readers.fields import chosen_columns, field_of


def read(path, content, **options) -> tuple[list[Patent], list[Problem], list[Problem]]:
    problems: list[Problem] = []
    notes: list[Problem] = []
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    patents = list(read_patents(path, on_problem=problems.append, on_note=notes.append, **options))
    return patents, problems, notes


def test_columns_that_are_not_used_are_named_once_for_all_files(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"id,title,our mark,price\n{name},t,1,2\n", encoding="utf-8")
    notes: list[Problem] = []
    assert len(list(read_patents(tmp_path, on_note=notes.append))) == 2
    assert [note.cause for note in notes] == ["not used: our mark, price"]
    assert notes[0].names == ("our mark", "price")


def test_a_user_says_which_columns_are_meant_by_name_or_by_place(tmp_path):
    content = "Kennung;Stichwort;Kurztext\nEP1234567A1;Ventil;Ein Ventil.\n"
    _, [problem], _ = read(tmp_path / "x.csv", content)
    assert "no row at its beginning names columns that are known" in problem.cause
    chosen = chosen_columns("id=Kennung,title=Stichwort,abstract=Kurztext")
    [patent], _, _ = read(tmp_path / "x.csv", content, columns=chosen)
    assert (patent.id, patent.title, patent.abstract[0].text) == ("EP-1234567-A1", "Ventil", "Ein Ventil.")
    [patent], _, notes = read(tmp_path / "y.csv", content.splitlines()[1], columns={"id": "1", "title": "2"})
    assert (patent.id, patent.title) == ("EP-1234567-A1", "Ventil")
    assert [note.cause for note in notes] == ["not used: column 3"]
    _, [problem], _ = read(tmp_path / "z.csv", content, columns={"id": "Nummer"})
    assert "no row at its beginning names the columns 'Nummer'" in problem.cause


def test_a_choice_of_columns_that_is_none_is_refused():
    for wrong in ("title", "color=Farbe", "title="):
        with pytest.raises(InputError, match="names no column"):
            chosen_columns(wrong)


def test_a_table_without_a_header_says_what_to_do(tmp_path):
    _, [problem], _ = read(tmp_path / "x.csv", "EP1234567A1;Ventil\n", reader="table")
    assert "--columns id=NAME,title=NAME" in problem.cause


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["03/04/2002", "25/04/2002"], ["2002-04-03", "2002-04-25"]),
        (["03/04/2002", "04/25/2002"], ["2002-03-04", "2002-04-25"]),
        (["3 Apr 2002", "April 25, 2002"], ["2002-04-03", "2002-04-25"]),
        (["20020403", "2002-04-25T00:00:00Z"], ["2002-04-03", "2002-04-25"]),
        (["03.04.2002", "25-Apr-02"], ["2002-04-03", "2002-04-25"]),
    ],
)
def test_the_column_settles_which_of_day_and_month_comes_first(dates, expected, tmp_path):
    rows = "".join(f'EP000000{n}A1,t,"{date}"\n' for n, date in enumerate(dates, 1))
    patents, _, _ = read(tmp_path / "x.csv", f"Publication Number,Title,Publication Date\n{rows}")
    assert [patent.publication_date for patent in patents] == expected


def test_a_date_that_its_column_does_not_settle_is_left_out_and_told(tmp_path):
    [patent], _, notes = read(tmp_path / "x.csv", "id,title,date\nA,t,03/04/2002\n")
    assert patent.publication_date == ""
    assert "left out: the publication_date '03/04/2002'" in notes[0].cause


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separator_line_end_and_encoding_are_told_from_the_content(encoding, end, separator, tmp_path):
    rows = [["Search of today"], [], ["Patent No", "Titre", "Inventor(s)"], ["EP1234567A1", "Soupape pressée", "Öz; Ø"]]
    content = end.join(separator.join(row) if separator != ";" else '"' + '";"'.join(row) + '"' for row in rows)
    [patent], problems, _ = read(tmp_path / "x", content.encode(encoding))
    assert (patent.id, patent.title, patent.inventors) == ("EP-1234567-A1", "Soupape pressée", ("Öz", "Ø"))
    assert problems == []


def test_a_line_that_is_not_utf_8_among_others_that_are_is_read_and_noted(tmp_path):
    rows = b"".join(b"EP%07dA1,%s\n" % (n, "é".encode()) for n in range(1, 2000))
    patents, problems, notes = read(tmp_path / "x.csv", b"id,title\n" + rows + b"EP1234567A1,caf\xe9\n")
    assert (len(patents), patents[-1].title, problems) == (2000, "café", [])
    assert notes[0].cause.startswith("line 2001 is not UTF-8; it was read as cp1252")


@pytest.mark.parametrize(
    ("encoding", "title"),
    [
        ("cp1252", "A “valve” – open"),
        ("cp1252", "The valve’s seat at 5° – 7°"),
        ("cp1252", "Soupape – pressée à froid"),
        ("mac_roman", "Soupape pressée à froid et réglée près du siège"),
        ("mac_roman", "Válvula de cañería"),
    ],
)
def test_quotes_and_dashes_of_typesetting_do_not_make_a_western_table_that_of_a_mac(tmp_path, encoding, title):
    content = f"id,title,abstract\nEP1234567A1,{title},A valve.\n"
    [patent], problems, notes = read(tmp_path / "x.csv", content.encode(encoding))
    assert (patent.title, problems) == (title, [])
    assert f"it was read as {encoding}" in notes[0].cause


def test_ten_thousand_columns_are_read(tmp_path):
    header = ["id", "title", *(f"column {n}" for n in range(10_000))]
    content = ",".join(header) + "\n" + ",".join(["EP1234567A1", "Valve", *("x" for _ in range(10_000))]) + "\n"
    [patent], _, notes = read(tmp_path / "x.csv", content)
    assert patent.title == "Valve"
    assert notes[0].cause.count(", ") == 9_999


def test_a_file_that_was_cut_keeps_what_is_whole(tmp_path):
    patents, [problem], _ = read(tmp_path / "x.csv", 'id,title,abstract\nA,t,"one"\nB,u,"two is cu')
    assert [patent.id for patent in patents] == ["A"]
    assert "lines 3" in problem.cause or "this row was not read" in problem.cause


def test_formulas_and_signs_for_nothing_are_not_taken_for_text(tmp_path):
    content = 'id,title,abstract,applicant\n"=HYPERLINK(""u"",""EP1234567A1"")","=""Valve""",N/A,NA\n'
    [patent], _, _ = read(tmp_path / "x.csv", content)
    assert (patent.id, patent.title, patent.abstract, patent.applicants) == ("EP-1234567-A1", "Valve", (), ())


def test_the_title_of_the_wanted_language_is_taken(tmp_path):
    content = (
        "Publication Number,Title (German),Title (English),Abstract - DE,Abstract - EN\nEP1,Ventil,Valve,Eins,One\n"
    )
    for language, expected in (("en", ("Valve", "One")), ("de", ("Ventil", "Eins"))):
        [patent], _, _ = read(tmp_path / "x.csv", content, language=language)
        assert (patent.title, patent.abstract[0].text) == expected


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("Publication Number(s)", "id"),
        ("PUBLICATION_NUMBER", "id"),
        ("publicationNumber", "id"),
        ("Assignee - Standardized", "applicants"),
        ("Veröffentlichungs-Nr.", "id"),
        ("English Abstract", "abstract"),
        ("Abstract - DWPI Use", "abstract"),
        ("Price", ""),
        ("No", ""),
    ],
)
def test_names_of_columns_are_known_in_their_usual_forms(name, field):
    assert field_of(name)[0] == field


def test_a_broken_excel_file_is_a_problem(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra [documents] is not installed")
    made = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["id", "title"])
    book.active.append(["EP1234567A1", "Valve"])
    book.save(made)
    [patent], _, _ = read(tmp_path / "x", made.getvalue())
    assert patent.format == "Excel"
    for content in (made.getvalue()[:2000], made.getvalue().replace(b"<row", b"<raw")):
        patents, problems, _ = read(tmp_path / "x", content)
        assert not patents or problems == []
        assert patents or problems


def test_an_old_office_file_that_is_no_table_says_what_to_do(tmp_path):
    _, [problem], _ = read(tmp_path / "x.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert problem.cause == "a file of an old office program (.doc, .ppt). Save it as .docx, or as text."
