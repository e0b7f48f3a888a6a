"""Words as the tagger wants them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.spans.grammar import split_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a rotating drum.", ["a", "rotating", "drum", "."]),
        ("light-emitting input/output", ["light-emitting", "input/output"]),
        ("valve(10) layer(s) Fe(III)", ["valve", "(", "10", ")", "layer(s)", "Fe(III)"]),
        ("N,N-dimethylformamide, 1,2-dichloroethane", ["N,N-dimethylformamide", ",", "1,2-dichloroethane"]),
        ("(meth)acrylate poly(vinyl chloride)", ["(meth)acrylate", "poly(vinyl chloride)"]),
        ("1.5 mm, -20 °C, 20 wt%", ["1.5", "mm", ",", "-20", "°C", ",", "20", "wt%"]),
        ("the user's hand", ["the", "user", "'s", "hand"]),
        ("FIG. 2, e.g. a lid. It", ["FIG.", "2", ",", "e.g.", "a", "lid", ".", "It"]),
        ("3-methyl-butane γ-alumina", ["3-methyl-butane", "γ-alumina"]),
        ("α,β-unsaturated 5'-UTR 12'-14'", ["α,β-unsaturated", "5'-UTR", "12'", "-", "14'"]),
        ("E. coli at 20 C. under pressure", ["E. coli", "at", "20", "C", ".", "under", "pressure"]),
        ("SEQ ID NO: 5 SEQ ID NOs. 7", ["SEQ ID NO:", "5", "SEQ ID NOs.", "7"]),
        ("one\n\ntwo\nthree", ["one", "\n\n", "two", "three"]),
    ],
)
def test_words_of_a_text(text, expected):
    assert split_words(text).strings == expected


@given(st.text(st.characters()))
def test_words_are_pieces_of_the_text_in_order_and_leave_only_blanks(text):
    words = split_words(text)
    here = 0
    for string, start, end in zip(words.strings, words.starts.tolist(), words.ends.tolist(), strict=True):
        assert text[here:start].strip() == ""
        assert text[start:end] == string
        here = end
    assert text[here:].strip() == ""
