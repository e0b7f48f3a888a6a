"""Quotations stand in a document word for word, or they are none."""

import pytest

from sparse_coverage.charts.chart import Cell, Quote, Verdict, find_quotation, require_quotation
from sparse_coverage.charts.phrases import Pair
from sparse_coverage.errors import InputError
from sparse_coverage.index import PassageRecord
from sparse_coverage.present.chart_text import QUOTED, notes_of, to_be_quoted
from sparse_coverage.search.results import Place

PASSAGES = [
    PassageRecord("X/1", "X", "description", "The plunger is held\n by a spring (3).", "0001"),
    PassageRecord("X/2", "X", "description", "It moves. It moves again.", "0002"),
]


@pytest.mark.parametrize(
    ("typed", "passage", "verbatim"),
    [
        ("is held by a spring (3)", "X/1", "is held\n by a spring (3)"),
        ("“It moves again.”", "X/2", "It moves again."),
        ("  It   moves. ", "X/2", "It moves."),
    ],
)
def test_spaces_and_quotation_marks_around_do_not_count_and_what_is_returned_is_verbatim(typed, passage, verbatim):
    found = find_quotation(PASSAGES, typed)
    assert found is not None
    assert (found.passage, found.text) == (passage, verbatim)
    source = next(one.text for one in PASSAGES if one.id == passage)
    assert source[found.start : found.end] == verbatim


@pytest.mark.parametrize(
    "typed",
    [
        "is held by a spri",
        "lunger is held",
        "is held by a magnet",
        "Spring (3)",
        "moves",
        "",
        "The plunger moves",
        "again. The plunger",
    ],
)
def test_another_word_another_case_one_word_alone_and_two_passages_are_none(typed):
    assert find_quotation(PASSAGES, typed) is None
    with pytest.raises(InputError, match="word for word"):
        require_quotation(PASSAGES, typed, "X")


def test_of_a_long_claim_a_user_is_offered_to_quote_what_is_around_the_phrase_verbatim():
    text = "A pump with a rotor, " + "and a lid, " * 90 + "the rotor being held by a spring."
    quote = Quote("X/claims/claim[1]", "claims", "1", text, 0, len(text), 0.9)
    spring = Place("spring", text.index("spring"), text.index("spring") + 6)
    cell = Cell("1a", "X", Verdict.DISCLOSED, 0.9, (quote,), (Pair(Place("spring", 2, 8), spring, 0),))
    offered = to_be_quoted(cell, quote)
    assert "held by a spring." in offered
    assert len(offered) <= QUOTED
    assert find_quotation([PassageRecord("X/1", "X", "claims", text, "1")], offered).text == offered
    assert to_be_quoted(cell, Quote("X/2", "claims", "2", "A short claim.", 0, 14, 0.9)) == "A short claim."


def test_a_cell_that_nothing_was_found_for_says_why():
    assert notes_of(Cell("1a", "X", Verdict.NOT_FOUND, 0.1)) == ["no passage comes near enough"]
    lacks = Cell("1a", "X", Verdict.NOT_FOUND, 0.1, missing=(Place("spring", 2, 8),))
    assert notes_of(lacks) == ["nowhere in the document: spring"]
    assert notes_of(Cell("1a", "X", Verdict.PARTLY, 0.4)) == []
