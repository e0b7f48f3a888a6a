"""The rows of a chart: labels, what dependent claims add, and the user's own split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.charts.elements import chart_elements, given_elements, parents_note, read_claims
from sparse_coverage.errors import InputError
from sparse_coverage.text import content_words

CLAIMS = (
    "1. A pump comprising: a housing; and a rotor in the housing. "
    "2. The pump of claim 1, wherein the rotor has blades and wherein the blades are curved. "
    "3. The pump according to any of the preceding claims, further comprising a motor."
)


def test_claims_are_split_and_labelled_and_a_dependent_claim_gives_what_it_adds():
    elements = chart_elements(read_claims(CLAIMS))
    assert [(element.label, element.text) for element in elements] == [
        ("1a", "A pump comprising:"),
        ("1b", "a housing"),
        ("1c", "a rotor in the housing."),
        ("2a", "the rotor has blades"),
        ("2b", "wherein the blades are curved."),
        ("3a", "a motor."),
    ]


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("2. The pump of claim 1.", []),
        ("2. A device as claimed in claim 1, wherein it is red.", ["it is red."]),
        ("2. The pump of any one of the preceding claims, wherein it is red.", ["it is red."]),
        ("2. A ship driven by the pump of claim 1.", ["A ship driven by the pump"]),
        ("2. A kit comprising the pump of claim 1 and a manual.", ["A kit comprising", "a manual."]),
        (
            "2. A pump according to claim 1, wherein the rotor includes the rotor of claim 1.",
            ["the rotor includes the rotor"],
        ),
        ("2. Pumpe nach Anspruch 1, dadurch gekennzeichnet, dass die Pumpe rot ist.", ["die Pumpe rot ist."]),
    ],
)
def test_what_only_names_or_repeats_the_parent_is_no_feature(text, added):
    elements = chart_elements(read_claims(f"1. A pump comprising a rotor.\n{text}"))
    assert [element.text for element in elements if element.claim == 2] == added


@pytest.mark.parametrize(
    ("text", "parent"),
    [
        ("The pump of claim 1, wherein the rotor is round.", "claim 1 depends on claim 1"),
        ("7. The pump of claim 1 or 3, wherein the rotor is round.", "claim 7 depends on claims 1, 3"),
        ("The pump of any preceding claim, wherein the rotor is round.", "claim 1 depends on a claim before it"),
    ],
)
def test_a_dependent_claim_alone_gives_what_it_adds_and_asks_for_its_parent(text, parent):
    claims = read_claims(text)
    assert [element.text for element in chart_elements(claims)] == ["the rotor is round."]
    assert f"{parent}. " in parents_note(claims)
    assert "give the text of the parent" in parents_note(claims)
    assert parents_note(read_claims(CLAIMS)) == ""


def test_a_user_may_split_a_claim_differently():
    claims = read_claims("A pump comprising a housing and a rotor in the housing.")
    elements = given_elements(claims, ["# mine", "A\tA pump", "a housing", "", "a rotor in the housing"])
    assert [(element.label, element.text) for element in elements] == [
        ("A", "A pump"),
        ("1b", "a housing"),
        ("1c", "a rotor in the housing"),
    ]


def test_an_element_that_is_not_in_the_claim_is_refused_with_its_line():
    with pytest.raises(InputError, match=r"Line 2 .*a valve"):
        given_elements(read_claims("A pump comprising a housing."), ["A pump", "a valve"])


@given(
    st.lists(
        st.sampled_from("a the pump comprising: housing ; , and wherein claim 1 2 (a) . having".split()), max_size=25
    )
)
def test_any_text_gives_elements_in_order_that_do_not_overlap(words):
    text = " ".join(words)
    if not text.strip():
        return
    for claim in read_claims(text):
        place = 0
        for element in chart_elements([claim]):
            assert element.start >= place
            assert element.text == claim.text[element.start : element.end]
            place = element.end


NOUNS = st.sampled_from("housing rotor spring sensor valve layer compound antibody server image".split())
PARTS = st.one_of(
    NOUNS.map(lambda noun: f"a {noun}"),
    st.tuples(NOUNS, NOUNS).map(lambda both: f"a {both[0]} having a {both[1]} (or another {both[0]})"),
    st.tuples(NOUNS, NOUNS).map(lambda both: f"wherein the {both[0]} comprises a {both[1]}"),
    st.tuples(NOUNS, NOUNS).map(
        lambda both: f"a {both[0]} selected from the group consisting of {both[1]}s, and mixtures thereof"
    ),
    NOUNS.map(lambda noun: f"a {noun} configured to: (a) move, and (b) stop"),
    NOUNS.map(lambda noun: f"moving the {noun}"),
)


@given(st.lists(PARTS, min_size=1, max_size=6), st.sampled_from(["; ", "; and ", ", ", " and ", ", wherein "]), NOUNS)
def test_no_element_is_a_fragment_without_a_thing_or_an_act_of_its_own(parts, between, noun):
    text = f"A {noun} comprising: {between.join(parts)}."
    for element in chart_elements(read_claims(text)):
        assert content_words(element.text, "en"), (text, element.text)
