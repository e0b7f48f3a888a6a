"""Quotations stand in a document word for word, or they are none."""

import pytest

from sparse_coverage.charts.chart import find_quotation, require_quotation
from sparse_coverage.errors import InputError
from sparse_coverage.index import PassageRecord

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
