"""One publication, many spellings: `publication_spellings.tsv` says what each means, and these say that nothing else changes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.trec import read_qrels, read_run
from sparse_coverage.patents.numbers import (
    PublicationNumber,
    application_of,
    meant_numbers,
    number_key,
    numbers_in,
    parse_number,
    printed_id,
    read_number_list,
    read_numbers,
    spellings,
)

Run = Callable[..., tuple[int, str, str]]
TABLE = Path(__file__).with_name("publication_spellings.tsv")
SPELLINGS = [tuple(line.split("\t")) for line in TABLE.read_text(encoding="utf-8").splitlines()]
KINDS = st.sampled_from(["", "A", "A1", "A2", "B1", "B2", "C", "U1"])
NUMBERS = st.one_of(
    st.builds(PublicationNumber, st.just("EP"), st.integers(10_000, 9_999_999).map(lambda n: f"{n:07}"), KINDS),
    st.builds(PublicationNumber, st.just("US"), st.integers(1_000, 99_999_999).map(str), KINDS),
    st.builds(
        PublicationNumber,
        st.just("US"),
        st.tuples(st.integers(2001, 2099), st.integers(1, 9_999_999)).map(lambda n: f"{n[0]}{n[1]:07}"),
        KINDS,
    ),
    st.builds(
        PublicationNumber,
        st.just("WO"),
        st.tuples(st.integers(1978, 2077), st.integers(1, 999_999)).map(lambda n: f"{n[0]}{n[1]:06}"),
        KINDS,
    ),
    st.builds(PublicationNumber, st.just("DE"), st.integers(10_000, 10**12 - 1).map(str), KINDS),
    st.builds(PublicationNumber, st.just("US"), st.integers(100, 999_999).map(lambda n: f"RE{n}"), KINDS),
    st.builds(PublicationNumber, st.just("JP"), st.integers(1_000, 999_999).map(lambda n: f"H07{n}"), KINDS),
)


def test_the_table_is_large_enough_and_names_every_office() -> None:
    assert len(SPELLINGS) >= 60
    meant = [meaning for _, meaning in SPELLINGS]
    for start in ("EP", "US-2", "US-RE", "US-D", "US-X", "WO", "DE", "FR", "GB", "JP", "CN", "KR", "-"):
        assert any(meaning.startswith(start) for meaning in meant), start


@pytest.mark.parametrize(("spelling", "meaning"), SPELLINGS)
def test_a_spelling_means(spelling: str, meaning: str) -> None:
    found = parse_number(spelling)
    assert (str(found) if found else "-") == meaning
    assert number_key(spelling) == (meaning if found else spelling)


@given(NUMBERS, st.data())
def test_however_a_number_is_written_it_is_the_same(number: PublicationNumber, data: st.DataObject) -> None:
    between = st.sampled_from(["", " ", "-", "  ", "\u2013"])
    written = "".join([number.country, data.draw(between), number.number, data.draw(between), number.kind])
    if number.country in ("US", "WO") and len(number.number) > 8 and data.draw(st.booleans()):
        year, serial = number.number[:4], number.number[4:]
        written = f"{number.country} {year}{data.draw(st.sampled_from(['/', '-', ' ']))}{serial} {number.kind}"
    if data.draw(st.booleans()):
        written = written.lower()
    assert parse_number(written) == number
    assert str(number) in spellings(written)


@given(NUMBERS)
def test_the_one_form_is_kept_and_read_as_itself(number: PublicationNumber) -> None:
    assert parse_number(str(number)) == number
    assert printed_id(str(number)) == str(number)
    assert printed_id(str(number).replace("-", "")) == str(number)


@given(NUMBERS, NUMBERS)
def test_two_publications_are_never_taken_for_one(one: PublicationNumber, other: PublicationNumber) -> None:
    assert (number_key(str(one)) == number_key(str(other))) == (one == other)


@given(st.text(max_size=40))
def test_what_is_no_number_stays_as_it_is(text: str) -> None:
    if parse_number(text) is None:
        assert printed_id(text) == number_key(text) == text.strip()
        assert spellings(text) == (text.strip(),)
    assert printed_id(printed_id(text)) == printed_id(text)


@pytest.mark.parametrize("id_", ["doc1", "17", "MED-10", "no12345", "IN100234", "d1/2", "a1b2", "0"])
def test_ids_that_may_be_something_else_are_kept(id_: str) -> None:
    assert printed_id(id_) == id_


def test_publications_of_one_application_share_a_name() -> None:
    assert application_of("EP-0049154-A1") == application_of("EP 0 049 154 B2") == "EP-0049154"
    assert application_of("JP-H05123456-A") == ""  # JP-H05123456-B2 is another application
    assert application_of("pump") == ""


def test_a_table_may_spell_numbers_and_dates_as_people_do(tmp_path: Path, run: Run) -> None:
    (tmp_path / "list.csv").write_text(
        "Publication Number;Title;Publication Date;Family Members\n"
        "EP 7654321 A1;Valve;01.02.2003;US 2003/0230122 A1|WO 02/12345\n"
        "my own 17;Pump;soon;\n",
        encoding="utf-8",
    )
    status, out, err = run("convert", tmp_path / "list.csv")
    record = json.loads(out)
    assert (record["id"], record["country"], record["kind"]) == ("EP-7654321-A1", "EP", "A1")
    assert record["publication_date"] == "2003-02-01"
    assert record["family_members"] == ["US-20030230122-A1", "WO-2002012345"]
    assert status == 1
    assert "the publication id 'my own 17' holds white space" in err


def test_judgements_and_runs_name_documents_in_any_spelling(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 EP0049154A1 1\nq 0 WO2002012345 2\nq 0 pump 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("q Q0 WO0212345 1 2.0 x\nq Q0 EP-0049154-A1 2 1.0 x\n", encoding="utf-8")
    assert read_qrels(tmp_path / "qrels")["q"].grades == {"EP-0049154-A1": 1, "WO-2002012345": 2, "pump": 1}
    assert read_run(tmp_path / "run")["q"].documents == ("WO-2002012345", "EP-0049154-A1")


@pytest.mark.parametrize("text", ["US00342 A0", "USD012 S", "US RE0012"])
def test_padding_makes_no_number_of_what_is_too_short_for_one(text):
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "numbers", "others"),
    [
        ("EP1234567A1 EP1234568A1\nUS 2020/0123456 A1", "EP-1234567-A1 EP-1234568-A1 US-20200123456-A1", ""),
        ("1. EP-1234567-A1 (Bosch)\n2) US5,700,647, US5,700,648", "EP-1234567-A1 US-5700647 US-5700648", ""),
        ("see US 6,857,133 B2 and WO 02/12345.", "US-6857133-B2 WO-2002012345", ""),
        ("JP H05-123456 A, 特開2001-123456\tDE-OS 35 45 678", "JP-H05123456-A JP-2001123456-A DE-3545678-A1", ""),
        ("ep1234567a1;ep1234567a1;none\r\nmy-17", "EP-1234567-A1", "none my-17"),
        ("", "", ""),
    ],
)
def test_a_list_as_people_paste_it(text: str, numbers: str, others: str) -> None:
    assert numbers_in(text) == (tuple(numbers.split()), tuple(others.split()))


@pytest.mark.parametrize("kind", ["csv", "utf-16", "latin-1", "xlsx", "one column.xlsx", "no header.xlsx"])
def test_a_list_of_numbers_in_a_file(tmp_path: Path, kind: str) -> None:
    rows = [["Nummer", "Titel"], ["EP1234567A1", "Ventil für EP 7654321 A1"], ["US 5,700,647", "Mühle"]]
    if kind.endswith("xlsx"):
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in rows[1:] if kind.startswith("no") else rows:
            book.active.append(["x", *row] if kind.startswith("no") else row[: 1 if kind.startswith("one") else 2])
        book.save(tmp_path / "list")
    else:
        lines = ([f'"{cell}"' for cell in row] for row in rows)
        text = "\n".join(",".join(row) for row in lines) if kind == "csv" else "\n".join(row[0] for row in rows)
        (tmp_path / "list").write_text(text, encoding="utf-8" if kind == "csv" else kind)
    assert read_numbers(tmp_path / "list").numbers == ("EP-1234567-A1", "US-5700647")


def test_a_file_without_numbers_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    with pytest.raises(InputError, match="no publication numbers in it"):
        read_numbers(tmp_path / "empty.txt")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("EP 0 049 154 A1\nUS6103599\n\n6103598", ("EP 0 049 154 A1", "US6103599", "6103598")),
        ("US 6103599, EP 0049154 A1; WO 02/12345", ("US 6103599", "EP 0049154 A1", "WO 02/12345")),
        ("6103599 US20220372418A1 6103599", ("6103599", "US20220372418A1")),
        ("1. A valve with 2 springs", ()),
        ("EP 0049154 A1 shows a valve", ()),
        ("", ()),
    ],
)
def test_a_text_of_nothing_but_numbers_is_a_list_of_them(text, numbers):
    assert read_number_list(text) == numbers


def test_digits_alone_may_be_a_number_of_several_offices():
    assert {"US-6103599", "DE-6103599"} <= {str(one) for one in meant_numbers("6,103,599")}
    assert meant_numbers("17") == ()
