"""Cleaning text: what must go, what must survive, and the way back to the original."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.patents.cleaning import STEPS, clean


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        ("numerals", "The pump (10) lifts.", "The pump lifts."),
        (
            "numerals",
            "The pumps (10a, 12) and valves (3; 4'), tips (5-7), ends (8 and 9).",
            "The pumps and valves, tips, ends.",
        ),
        ("numerals", "A lidar ( 1000 , 2000 ) here", "A lidar here"),
        ("numerals", "the pump (10) and (12) of the motor (12)(13)", "the pump of the motor"),
        ("numerals", "pumps (10), (12) or (14) lift", "pumps lift"),
        ("numerals", 'a pump (110A), a valve (S10), a tip (14")', "a pump, a valve, a tip"),
        (
            "numerals",
            "The pump (1) has a valve (2), a tip (3) and a lead (4).",
            "The pump has a valve, a tip and a lead.",
        ),
        (
            "numerals",
            "comprising (1) heating a pot (2); (2) cooling a pan (10)",
            "comprising (1) heating a pot; (2) cooling a pan",
        ),
        ("entities", "a &lt; b &amp; c &#8242; &#x2033; &Dgr;t", "a < b & c ′ ″ Δt"),
        (
            "scripts",
            "H.sub.2O, x.sub.n, 10.sup.3, m.sup.-1, CO₂, Fe<sup>+</sup>, C<sub>6</sub>",
            "H2O, xn, 10³, m⁻¹, CO2, Fe⁺, C6",
        ),
        ("scripts", "x.sup.2y and x<sup>2</sup>y, .sup.14C, Ca.sup.2+, 10.sup.n", "x²y and x²y, ¹⁴C, Ca²⁺, 10ⁿ"),
        ("scripts", "from 10.sup.3-10.sup.5 to the 2.sup.nd", "from 10³-10⁵ to the 2nd"),
        ("formulas", "Given by ##EQU00001## and [Math. 2] here.", "Given by and here."),
        ("hyphenation", "a semi-\nconductor and a semi\u00adconductor", "a semiconductor and a semiconductor"),
        ("hyphenation", "well-known, so well-\nknown", "well-known, so well-known"),
        ("hyphenation", "for stimulat- ing the stimulating", "for stimulating the stimulating"),
        ("hyphenation", "state-of-\nthe-art, two-\nthree", "state-of-the-art, two-three"),
        ("hyphenation", "a two-\nand three-\ndimensional body", "a two-\nand three-dimensional body"),
        ("tables", "TABLE-US-00001 Name | Size ....... 5\t6 ----- end", " Name Size 5 6 end"),
        ("tables", "| a | b || c |", " a b c "),
    ],
)
def test_a_step_removes_what_it_is_for(step, text, expected):
    assert clean(text, [step]).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "a width (mm) and a temperature (C)",
        "3-methyl-butane and 1.5 mm",
        "iron(3) oxide, (2)-methyl, poly(4)ol",
        "formula (1), Equation (2), step (3), example (4), compound (5), Fig. (6)",
        "comprising: (1) heating; (2) cooling, (3) drying and (4) packing",
        "comprising (1) heating; (2) cooling",
        "a method by the steps (1) heating water, and then (2) cooling it",
        "embodiments (1), (2) and (3)",
        "embodiment (1) and the second aspect (2)",
        "Smith (1998) and Jones (2004)",
        "pH (7.4), (5%), (3D), (20 mm), (I), (a), (10 V)",
        "C (1-4) alkyl, an alkyl (1-4) group, an integer (1 to 5)",
        "copper (2) oxide, iron (3) chloride, Fe (2), H2O (2)",
        "Type (2) diabetes, pH (7), ratio (1/2), a voltage (12)",
        "water (100) parts, salt (5) %, resin (20) or more",
        "The valve closes. (10) A pump",
        "The shaft is (4) long",
        "two- and three-dimensional",
        "AT&T; R&D; a & b; &nothing;",
        "1 - 2, x... and so on",
        "|x| < 3 and ||y|| > 1",
    ],
)
def test_units_chemistry_years_and_enumerations_survive(text):
    cleaned = clean(text)
    assert cleaned.text == text
    starts, ends = cleaned.original([0], [len(text)])
    assert (starts.tolist(), ends.tolist()) == ([0], [len(text)])


def test_steps_can_be_switched_off():
    text = "The pump (10) lifts H.sub.2O."
    assert clean(text, []).text == text
    assert clean(text, ["numerals"]).text == "The pump lifts H.sub.2O."
    assert clean(text, "scripts").text == "The pump (10) lifts H2O."
    with pytest.raises(InputError, match=r"unknown cleaning step spelling\. Known are entities, scripts"):
        clean(text, ["spelling"])


def test_spans_of_the_clean_text_lead_back_to_their_places_all_at_once():
    text = "The pump (10a, 12) lifts H.sub.2O &amp; oil."
    cleaned = clean(text)
    assert cleaned.text == "The pump lifts H2O & oil."
    words = ["pump", "lifts", "H2O", "&", "oil", "pump lifts"]
    starts = np.array([cleaned.text.index(word) for word in words])
    first, last = cleaned.original(starts, starts + np.array([len(word) for word in words]))
    found = [text[a:b] for a, b in zip(first, last, strict=True)]
    assert found == ["pump", "lifts", "H.sub.2O", "&amp;", "oil", "pump (10a, 12) lifts"]


def test_no_spans_and_empty_spans_have_their_places():
    starts, ends = clean("pump (10)").original([], [])
    assert (starts.tolist(), ends.tolist()) == ([], [])
    starts, ends = clean("H.sub.2O").original([0, 1, 3], [0, 1, 3])
    assert starts.tolist() == ends.tolist() == [0, 6, 8]
    starts, ends = clean("").original([0], [0])
    assert (starts.tolist(), ends.tolist()) == ([0], [0])


def test_a_span_outside_the_text_is_an_error():
    with pytest.raises(InputError, match="the span 2 to 9 is not inside the text, which has 4 characters"):
        clean("pump").original([0, 2], [4, 9])


pieces = st.sampled_from(
    [
        "pump ",
        "(10)",
        " (10a, 12)",
        " and (1)",
        "H.sub.2O",
        "10.sup.3",
        "<sup>2+</sup>",
        "&amp;",
        "&#8242;",
        "semi-\nconductor ",
        "\u00ad",
        " | ",
        "....",
        "CO₂",
        "##EQU1##",
    ]
)


@given(
    st.lists(pieces | st.text(max_size=5), max_size=20).map("".join),
    st.lists(st.sampled_from(sorted(STEPS)), unique=True),
)
def test_places_rise_and_stay_inside_the_original(text, steps):
    cleaned = clean(text, steps)
    assert len(cleaned.starts) == len(cleaned.ends) == len(cleaned.text)
    assert all(0 <= s < e <= len(text) for s, e in zip(cleaned.starts, cleaned.ends, strict=True))
    assert all(a <= b for a, b in zip(cleaned.starts, cleaned.starts[1:], strict=False))
    for character, start, end in zip(cleaned.text, cleaned.starts, cleaned.ends, strict=True):
        if end - start == 1 and character not in "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹ ":
            assert text[start] == character or text[start] in "₊₋₍₎"
    places = np.arange(len(cleaned.text) + 1)
    starts, ends = cleaned.original(places, places)
    assert (starts == ends).all()
    starts, ends = cleaned.original(places[:-1], places[1:])
    assert (starts == cleaned.starts).all()
    assert (ends == cleaned.ends).all()
