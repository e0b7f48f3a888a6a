"""What the grammar promises for the language of patents, one claim a line."""

from __future__ import annotations

import pytest

from sparse_coverage.spans.grammar import phrase_runs, reference_numerals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # determiners, "said" and quantities stay outside
        ("The device comprises at least one sensor.", ["device", "sensor"]),
        ("Said housing holds a plurality of sensors.", ["housing", "sensors"]),
        ("The frame carries one or more cameras.", ["frame", "cameras"]),
        ("The base has two electrodes.", ["base", "electrodes"]),
        ("A three phase motor drives the fan.", ["three phase motor", "fan"]),
        # technical terms stay whole
        ("The LED lamp is fixed to the device housing.", ["LED lamp", "device housing"]),
        ("The fastening means hold the lid.", ["fastening means", "lid"]),
        (
            "The tablet contains vitamin C and the patient has type 2 diabetes.",
            ["tablet", "vitamin C", "patient", "type 2 diabetes"],
        ),
        # reference numerals and claim numbers
        ("The piston 14 moves in the bore 16.", ["piston", "bore"]),
        ("The shaft (26a, 26b) carries the wheel (28).", ["shaft", "wheel"]),
        ("The pump according to claim 7 is shown in FIG. 2.", ["pump"]),
        # participles
        ("A machine with a rotating drum.", ["machine", "rotating drum"]),
        ("A method for activating ANC in a headset.", ["method", "ANC", "headset"]),
        ("Washing machine with a door", ["Washing machine", "door"]),
        ("The heated water leaves the tank.", ["heated water", "tank"]),
        ("The water is heated.", ["water"]),
        ("A signal processing circuit filters the noise.", ["signal processing circuit", "noise"]),
        # "means for"
        ("The apparatus has means for fastening the lid.", ["apparatus", "lid"]),
        # chemistry and hyphens
        ("A solution of 3-methyl-butane in water.", ["solution", "3-methyl-butane", "water"]),
        ("The layer is made of poly(vinyl chloride).", ["layer", "poly(vinyl chloride)"]),
        ("A (meth)acrylate was dissolved.", ["(meth)acrylate"]),
        ("The light-emitting diode is bright.", ["light-emitting diode"]),
        # acronyms in brackets
        ("A light-emitting diode (LED) is used.", ["light-emitting diode", "LED"]),
        # coordination
        ("The upper and lower plates touch.", ["upper and lower plates"]),
        ("The housing and the cover are closed.", ["housing", "cover"]),
        # amounts
        ("The film has a thickness of 1.5 mm.", ["film", "thickness", "1.5 mm"]),
        ("A voltage of 2.7 V is applied.", ["voltage", "2.7 V"]),
        # hedges go, adverbs that say something stay
        ("A substantially cylindrical body.", ["cylindrical body"]),
        ("An electrically conductive layer.", ["electrically conductive layer"]),
        # fixed expressions
        ("In order to cool the engine, for example, a fan is used.", ["engine", "fan"]),
    ],
)
def test_phrases_of_a_sentence(phrases, text, expected):
    assert phrases(text) == expected


def test_letters_decide_the_phrases():
    assert phrase_runs("DJNBPIDNN.") == [(1, 3), (7, 9)]


def test_a_number_after_a_word_is_a_reference_numeral_unless_a_unit_follows():
    assert reference_numerals("DwCw") == [(2, 3)]
    assert reference_numerals("DwCU") == []
    assert reference_numerals("Dw(CKC)") == [(2, 7)]


def test_a_very_long_run_of_adjectives_takes_no_longer_than_it_should():
    # Thousands of possible starts and no noun: a grammar that tries every split would not come back.
    assert phrase_runs("J" * 50_000) == []
    assert phrase_runs("JK" * 50_000) == []
    assert phrase_runs("JA" * 50_000) == []
