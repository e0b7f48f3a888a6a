"""Numbers are compared as numbers, and what a text denies is no evidence for it."""

import math

import pytest

from sparse_coverage.charts.phrases import denied, noun_phrases
from sparse_coverage.charts.quantities import compare, quantities
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
    ],
)
def test_quantities_are_read_with_their_units(text, low, high, unit):
    [found] = quantities(text)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    assert found.unit == unit


def test_numbers_without_a_unit_are_no_quantities():
    assert quantities("the housing (12) of FIG. 3 has 4 walls, see claim 1") == []


@pytest.mark.parametrize(
    ("claimed", "passage", "agrees"),
    [
        ("10 to 100 µm", "a layer of 0.05 mm", True),
        ("10 to 100 µm", "a layer 0.3 mm thick", False),
        ("at least 30 %", "some 45 % by weight", True),
        ("at least 30 %", "less than 20 %", False),
        ("50 mm", "a width of 5 cm", True),
    ],
)
def test_a_number_agrees_or_contradicts_whatever_its_unit(claimed, passage, agrees):
    [found] = compare(quantities(claimed), quantities(passage))
    assert found.agrees is agrees


def test_numbers_of_different_dimensions_are_not_compared():
    assert compare(quantities("10 mm"), quantities("10 °C")) == []


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
