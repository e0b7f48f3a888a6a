"""Numbers are compared as numbers, and what a text denies is no evidence for it."""

import math

import pytest

from sparse_coverage.charts.phrases import denied, noun_phrases
from sparse_coverage.charts.quantities import DocumentQuantities, compare, quantities
from sparse_coverage.text import stems


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("1.9 to 2.1 mm", 0.0019, 0.0021, "m"),
        ("between 40 and 65 °C", 40, 65, "°c"),
        ("at least 30 %", 30, math.inf, "%"),
        ("does not exceed 70 kPa", -math.inf, 70_000, "pa"),
        ("5 ms or more", 0.005, math.inf, "s"),
        ("up to 0.5 bar", -math.inf, 50_000, "pa"),
        ("1,500 rpm", 1500, 1500, "rpm"),
        ("50 to 120 parts of silica", 50, 120, "parts"),
        ("10 µm", 1e-5, 1e-5, "m"),
        ("350° C. to 450° C.", 350, 450, "°c"),
        ("at 6.78 MHz.", 6.78e6, 6.78e6, "hz"),
        ("a ratio of 3:1 to 10:2", 3, 5, ":"),
    ],
)
def test_quantities_are_read_with_their_units(text, low, high, unit):
    [found] = quantities(text)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    assert found.unit == unit


@pytest.mark.parametrize(
    ("text", "low", "high", "counted"),
    [
        ("exactly three blood samples", 3, 3, {"blood", "sampl"}),
        ("at least 400 spectral bands of light", 400, math.inf, {"spectral", "band"}),
        ("across 1,000 vehicles", 1000, 1000, {"vehicl"}),
        ("a pH of 7.4", 7.4, 7.4, set()),
        ("an index from about 0.5 to about 5", 0.5, 5, set()),
    ],
)
def test_counts_and_bare_values_are_read_with_what_they_count(text, low, high, counted):
    [found] = quantities(text)
    assert (found.low, found.high, set(found.counted)) == (low, high, counted)


def test_references_and_numerals_are_no_quantities():
    assert (
        quantities(
            "the housing (12) of FIG. 3, see claim 1 and example 4, BMP-6, a C1-C6 alkyl, a 35S enhancer, 1:2:3, three hundred eighty-four"
        )
        == []
    )


@pytest.mark.parametrize(
    ("claimed", "passage", "agrees"),
    [
        ("a layer of 10 to 100 µm", "a layer of 0.05 mm", True),
        ("a layer of 10 to 100 µm", "a layer 0.3 mm thick", False),
        ("a layer of 10 to 100 µm", "a layer of 50 to 500 µm", False),
        ("at least 30 % filler", "some 45 % by weight of filler", True),
        ("at least 30 % filler", "less than 20 % filler", False),
        ("less than 40 % free saccharide", "free saccharide of less than 50 %", False),
        ("less than 40 % free saccharide", "free saccharide of less than 30 %", True),
        ("a width of 50 mm", "a width of 5 cm", True),
        ("heated to 80 °C", "heated to 60 °C", False),
        ("exactly three samples are taken", "four samples are taken", False),
        ("at least 400 spectral bands", "a camera of 512 spectral bands", True),
        ("50 neurons per hidden layer", "the number of neurons per hidden layer is 50", True),
        ("a pressure of 6 to 14 atm", "a pressure of 4-15 atm, for example 6-14 atm", True),
        (
            "oxygen saturation of less than 70 %",
            "an oxygen saturation of 93 % in those who were admitted to the hospital in the first half of a year, of whom 20 % were ill",
            False,
        ),
        ("a dose of 5 mg/kg", "a dose of 0.005 g/kg", True),
        ("mixed in a ratio of 1:2 to 1:1", "mixed in a ratio of 2:3", True),
        ("mixed in a ratio of 1:2 to 1:1", "mixed in a ratio of 1:20", False),
        ("a 5 mM buffer", "a buffer of 5 mm depth", False),
        ("the sequence of SEQ ID NO: 24", "the sequences of SEQ ID NOs: 1-30", True),
        ("the sequence of SEQ ID NO: 24", "the sequence of SEQ ID NO: 2", False),
    ],
)
def test_a_number_agrees_where_the_document_says_one_within_it_of_the_same_thing(claimed, passage, agrees):
    [found] = compared(claimed, passage)
    assert found.agrees is agrees


@pytest.mark.parametrize(
    ("claimed", "passage"),
    [
        ("a housing 10 mm wide", "a bath at 10 °C"),
        ("a housing 10 mm wide", "a cable with a length of 10 mm"),
        ("at least 400 spectral bands", "at least 400 patients"),
        ("at least 400 spectral bands", "many spectral bands"),
    ],
)
def test_a_number_of_another_thing_is_none(claimed, passage):
    [found] = compared(claimed, passage)
    assert (found.found, found.agrees) == ("", False)


def test_a_small_count_in_passing_is_not_asked_for():
    assert compared("two electrodes on a plate", "an electrode and another electrode") == []


def compared(claimed, *texts):
    return compare(claimed, quantities(claimed), DocumentQuantities(texts), lambda stem: 1.0)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The valve works without a spring.", "spring"),
        ("No check valve is provided.", "valve"),
        ("A damping chamber in the usual sense is not needed.", "chamber"),
        ("The tape dispenses with any foaming constituent.", "constituent"),
    ],
)
def test_what_a_text_says_is_not_there_is_denied(text, word):
    assert stems(word) <= denied(text)


def test_what_a_text_says_is_there_is_not_denied():
    assert denied("The plunger is biased by a spring and closes a valve.") == set()


def test_phrases_are_whole_and_hold_no_function_words():
    [found] = noun_phrases(["a plunger biased by a helical compression spring"])
    assert [place.text for place in found] == ["plunger", "helical compression spring"]
