"""Key terms: what a feature names that a document nowhere has, in whatever form; and what need not be there."""

import pytest

from sparse_coverage.charts.chart import ChartDocument
from sparse_coverage.charts.claims import Sentences
from sparse_coverage.charts.terms import DocumentWords, KeyTerms
from sparse_coverage.text import stems


def missing(feature, *texts, likeness=None):
    words = set().union(*(stems(text, "en") for text in texts))
    places = Sentences.of(ChartDocument.of_texts("X", texts), stems(feature, "en")).places
    found = KeyTerms(feature, lambda stem: 1.0).missing(DocumentWords(texts, words, places), likeness or {})
    return [place.text for place in found]


# Ten amendments as searchers tried them: claims of real fields with a thing that the document does not have.
AMENDED = [
    ("the housing of the probe is made of titanium", "The probe has a housing of plastic.", ["titanium"]),
    ("the optimisation is run on a quantum annealer", "The optimisation is run on a computer.", ["quantum"]),
    ("the textile is washed in acetone", "The textile is washed in water.", ["acetone"]),
    ("the layer comprises graphene oxide", "The layer comprises silicon oxide.", ["graphene"]),
    (
        "the signal is sent by ultrasound to a hearing aid",
        "The signal is sent by radio to a phone.",
        ["ultrasound", "hearing"],
    ),
    ("the catalyst is palladium on a zeolite", "The catalyst is a metal on a support.", ["palladium", "zeolite"]),
    ("the model is trained by federated learning across vehicles", "A model is trained by learning.", ["federated"]),
    ("the drug is enclosed in liposomes", "The drug is enclosed in a capsule.", ["liposomes"]),
    ("the sample is moved by a robot arm", "The sample is moved by hand.", ["robot"]),
    ("a diamond film is deposited by sputtering", "A film is deposited from vapour.", ["diamond", "sputtering"]),
]


@pytest.mark.parametrize(("feature", "text", "lacking"), AMENDED)
def test_a_thing_that_is_nowhere_in_the_document_is_named(feature, text, lacking):
    found = missing(feature, text)
    assert [any(word in place for place in found) for word in lacking] == [True] * len(lacking)
    assert missing(feature, text, f"And {feature}.") == []


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("titanium", "It is made of titan."),
        ("polymerisation", "The monomers are polymerised."),
        ("polymer", "A copolymer is used."),
        ("micro-needles", "An array of microneedles."),
        ("interferon alpha", "Interferon α is given."),
        ("light emitting diode (LED)", "An LED shines."),
        ("an anemometer", "It is done with an anemometer (12)."),
    ],
)
def test_another_form_of_a_term_is_the_term(term, text):
    assert missing(f"comprising {term}", text) == []


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("hydrophilic", "A hydrophobic layer."),
        ("planar", "A nonplanar layer."),
        ("picosecond", "After a second, a layer."),
    ],
)
def test_the_opposite_or_a_part_of_a_term_is_not_the_term(term, text):
    assert missing(f"a {term} layer", text) == [term]


def test_one_fairly_common_word_may_be_missing_but_not_two():
    assert missing("the film is deposited by a pulsed laser", "A film is deposited by pulses of heat.") == []
    assert missing("the film is deposited by a pulsed laser", "A film is deposited by heat.") == ["pulsed laser"]


def test_what_is_near_to_a_term_by_likeness_stands_for_it():
    feature = "a plosk on the frame"
    assert missing(feature, "A frame.") == ["plosk"]
    assert missing(feature, "A frame.", likeness={feature.index("plosk"): 0.9}) == []


@pytest.mark.parametrize(
    "feature",
    [
        "the frame is made of titanium, brass or bronze",
        "the frame is made of a metal selected from the group consisting of titanium, brass and bronze",
        "the frame is made of titanium and/or brass",
    ],
)
def test_of_alternatives_one_is_enough_where_it_stands_with_the_rest(feature):
    assert missing(feature, "The frame is made of a metal, of brass.") == []
    assert "titanium" in missing(feature, "The frame is made of wood.", "It rains. A door has a brass lock.")


@pytest.mark.parametrize("word", ["such as titanium", "preferably titanium", "(titanium)"])
def test_examples_and_what_stands_in_brackets_need_not_be_there(word):
    assert missing(f"the frame is made of a metal {word}", "The frame is made of a metal.") == []


def test_symbols_units_and_numbers_are_no_terms():
    assert missing("R27, n and Ra are 30 mm or 5 kHz", "Nothing of it.") == []


def test_terms_side_by_side_are_one_and_say_how_much_of_the_feature_they_are():
    feature = "a wireless plosk krell of the frame"
    terms = KeyTerms(feature, lambda stem: 1.0)
    found = terms.missing(DocumentWords(["A wireless frame."], stems("A wireless frame."), {}), {})
    assert [place.text for place in found] == ["plosk krell"]
    assert terms.share(found) == pytest.approx(2 / 4)
