"""Technical terms that a reader of newspapers would cut, and verbs that one would take for things."""

from __future__ import annotations

import pytest

from sparse_coverage.spans.grammar import trimmed_start


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # "one" and "no" count only where no article stands before them
        ("The valve is a one way valve.", ["valve", "one way valve"]),
        ("A one component adhesive is applied.", ["one component adhesive"]),
        ("The no load current is low.", ["no load current"]),
        ("The rod has one end and no thread.", ["rod", "end", "thread"]),
        ("Said one end and the one side surface touch the rod.", ["end", "side surface", "rod"]),
        ("The one or more processors run.", ["processors"]),
        # letters and Roman numerals as names
        ("The beam is an I beam made of steel.", ["beam", "I beam", "steel"]),
        ("The I frame is stored in the buffer.", ["I frame", "buffer"]),
        ("A drug for type II diabetes mellitus.", ["drug", "type II diabetes mellitus"]),
        ("See Example III and FIG. IV for a pump.", ["pump"]),
        ("An IV infusion is given.", ["IV infusion"]),
        # two "-ing" words before one noun, after an article
        ("The vehicle comprises a heating and cooling circuit.", ["vehicle", "heating and cooling circuit"]),
        ("A washing and drying machine with a door.", ["washing and drying machine", "door"]),
        ("A process of washing and drying clothes.", ["process", "clothes"]),
        ("An apparatus for receiving and processing data.", ["apparatus", "data"]),
        # processes named by an "-ing" word
        (
            "The frame is joined by spot welding and friction stir welding.",
            ["frame", "spot welding", "friction stir welding"],
        ),
        ("It is etched using reactive ion etching to expose the film.", ["reactive ion etching", "film"]),
        ("A spring acting to bias the valve is used.", ["spring", "valve"]),
        ("A lamp utilizing laser light.", ["lamp", "laser light"]),
        # verbs that agree with their subject
        ("The charging pad supplies power to the phone.", ["charging pad", "power", "phone"]),
        ("The power supplies are closed.", ["power supplies"]),
        ("The patient suffers from pain.", ["patient", "pain"]),
        ("A classifier determines the class.", ["classifier", "class"]),
        ("The mobile terminal extracts the feature.", ["mobile terminal", "feature"]),
        ("The first electrodes are long.", ["first electrodes"]),
        # chemistry and biology
        ("An α,β-unsaturated ketone was added.", ["α,β-unsaturated ketone"]),
        ("The 5'-UTR and the 3′-end are bound.", ["5'-UTR", "3′-end"]),
        ("An E. coli strain and B. subtilis were grown.", ["E. coli strain", "B. subtilis"]),
        ("The mixture contains t-BuOK and i-PrOH.", ["mixture", "t-BuOK", "i-PrOH"]),
        ("The sequence of SEQ ID NO: 5 or SEQ ID NOs: 1-3 is bound.", ["sequence"]),
        # words that only point back
        ("A pump and an apparatus therefor.", ["pump", "apparatus"]),
    ],
)
def test_phrases_of_a_sentence_with_terms(phrases, text, expected):
    assert phrases(text) == expected


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("a one way valve", 1),
        ("one way valve", 1),
        ("the one way valve", 2),
        ("the no load current", 1),
        ("no load", 1),
    ],
)
def test_lists_take_off_one_and_no_unless_an_article_shows_that_they_belong_to_the_term(words, first):
    split = words.split()
    assert trimmed_start(split, 0, len(split), plural=False) == first


def test_the_word_before_a_text_is_not_the_last_of_it():
    assert trimmed_start(["one", "valve", "of", "a"], 0, 2, plural=False) == 1
