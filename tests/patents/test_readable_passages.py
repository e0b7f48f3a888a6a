"""Passages a person can read: nothing is lost, nothing is too long, and every piece knows its place."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.patents import Claim, Paragraph, Patent, passages, read_patents
from sparse_coverage.patents.passages import LONGEST, section_text
from sparse_coverage.patents.readers.records import split_paragraphs
from sparse_coverage.present.places import cited_place
from sparse_coverage.text.sentences import cut_text

SENTENCE = "The pump 10 turns at 3.5 rpm, e.g. in Fig. 2, and the valve; closes."


def patent(*texts: str, numbers: bool = False) -> Patent:
    paragraphs = [
        Paragraph(text, f"/patent-document/description/p[{n}]", f"{n:04d}" if numbers else "")
        for n, text in enumerate(texts, 1)
    ]
    return Patent("XX-1-A1", description=tuple(paragraphs))


WORDS = st.sampled_from(["pump", "valve.", "Turns", "the;", "a,", "10", "closes.", "x" * 30])
PARAGRAPHS = st.lists(WORDS, min_size=1, max_size=900).map(" ".join)


@given(PARAGRAPHS, st.integers(1, 60))
def test_a_cut_text_loses_no_word_and_no_piece_is_too_long(text: str, longest: int) -> None:
    pieces = cut_text(text, longest)
    assert [word for begin, end in pieces for word in text[begin:end].split()] == text.split()
    assert all(1 <= len(text[begin:end].split()) <= longest for begin, end in pieces)
    assert all(before[1] <= after[0] for before, after in pairwise(pieces))


def test_a_text_is_cut_at_sentence_ends_into_about_equal_pieces() -> None:
    text = " ".join([SENTENCE] * 40)  # 15 words each
    sizes = [len(text[begin:end].split()) for begin, end in cut_text(text, 200)]
    assert sizes == [195, 135, 135, 135]


@given(st.lists(PARAGRAPHS, min_size=1, max_size=6))
def test_passages_are_the_text_of_their_section_at_their_offsets(texts: list[str]) -> None:
    whole = patent(*texts)
    found = list(passages(whole))
    text = section_text(whole, "description")
    assert all(text[one.start : one.end] == one.text for one in found)
    assert [word for one in found for word in one.text.split()] == text.split()
    assert len({one.id for one in found}) == len(found)
    assert all(len(one.text.split()) <= LONGEST for one in found)


def test_headings_join_what_follows_take_its_place_and_keep_the_numbers_of_all() -> None:
    long = " ".join([SENTENCE] * 3)
    found = list(passages(patent("BACKGROUND", long, "SUMMARY", "Short.", long, "The end.", numbers=True)))
    assert [(one.id, one.number) for one in found] == [
        ("XX-1-A1/description/p[2]", "0001–0002"),
        ("XX-1-A1/description/p[5]", "0003–0005"),
        ("XX-1-A1/description/p[6]", "0006"),
    ]
    assert found[0].text == f"BACKGROUND\n{long}"


def test_joined_paragraphs_without_numbers_say_which_they_are_in_the_order() -> None:
    found = list(passages(patent("BACKGROUND", " ".join([SENTENCE] * 3), "The end.")))
    assert [one.number for one in found] == ["paragraphs 1–2", ""]
    assert [cited_place(one.section, one.number, one.id) for one in found] == [
        "description, paragraphs 1–2",
        "description, paragraph 3",
    ]


def test_joined_paragraphs_with_one_number_among_them_have_that_and_on_a_page_the_place_where_they_begin() -> None:
    def joined(*numbers: str) -> str:
        paragraphs = [
            Paragraph("Short.", f"/patent-document/description/p[{n}]", number) for n, number in enumerate(numbers, 1)
        ]
        [passage] = passages(Patent("XX-1-A1", description=tuple(paragraphs)))
        return passage.number

    assert joined("", "0007") == joined("0007", "") == joined("", "0007", "") == "0007"
    assert joined("page 3, column 7, line 12", "page 3, column 7, line 15") == "page 3, column 7, line 12"


def test_an_abstract_is_cited_as_one_whatever_number_it_is_printed_with() -> None:
    abstract = (Paragraph("A pump.", "/patent-document/abstract/p[1]", "0001"),)
    [passage] = passages(Patent("XX-1-A1", abstract=abstract))
    assert cited_place(passage.section, passage.number, passage.id) == "abstract"


def test_a_description_that_counts_again_with_each_part_gives_each_passage_a_place_of_its_own(tmp_path: Path) -> None:
    parts = [f"({n}) {SENTENCE} {SENTENCE}" for n in (*range(1, 19), *range(1, 12))]
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"id": "EP-1-A1", "description": " ".join(parts)}), encoding="utf-8")
    [found] = read_patents(file)
    places = [cited_place(one.section, one.number, one.id) for one in passages(found)]
    assert places == [f"description, paragraph {n}" for n in range(1, 30)]


def test_pieces_of_a_long_paragraph_keep_its_number_and_xpath() -> None:
    found = list(passages(patent(" ".join([SENTENCE] * 40), numbers=True)))
    assert [one.id for one in found] == [f"XX-1-A1/description/p[1]:{n}" for n in range(1, len(found) + 1)]
    assert {(one.xpath, one.number) for one in found} == {("/patent-document/description/p[1]", "0001")}


def test_a_claim_is_one_passage_or_pieces_of_it_and_has_its_number() -> None:
    short = Claim(1, "A pump.", "/patent-document/claims/claim[1]")
    long = Claim(2, "A pump comprising " + "a valve and a rotor; " * 60, "/patent-document/claims/claim[2]")
    found = list(passages(Patent("XX-1-A1", claims=(short, long))))
    assert [one.id.rpartition("/")[2] for one in found] == ["claim[1]", "claim[2]:1", "claim[2]:2"]
    assert [one.number for one in found] == ["1", "2", "2"]
    assert found[1].text.endswith(";")


def test_by_paragraph_everything_stays_as_the_file_has_it() -> None:
    texts = ["BACKGROUND", " ".join([SENTENCE] * 40)]
    assert [one.text for one in passages(patent(*texts), by="paragraph")] == texts


def test_a_numeral_in_a_sentence_does_not_swallow_the_paragraph_of_that_number() -> None:
    text = (
        "(1) A pump. (2) It depends upon the (3) application. (3) The valve closes. (4) another seal is there. (5) It ends. "
        "(1) Counted again. (2) The rotor."
    )
    assert [number for number, _ in split_paragraphs(text)] == ["0001", "0002", "0003", "0004", "0005", "0001", "0002"]
    assert split_paragraphs(text)[1][1].strip() == "It depends upon the (3) application."
