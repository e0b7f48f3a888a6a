"""Texts that an attacker may send: the time to read them grows with their length, not with its square."""

import time

import pytest

from sparse_coverage.charts.quantities import quantities
from sparse_coverage.index import parse_filter
from sparse_coverage.patents.claims import claim_elements, numbered_claims, referenced_claims, split_claims
from sparse_coverage.patents.hyphens import join_broken_words
from sparse_coverage.patents.readers.records import split_paragraphs
from sparse_coverage.text import sentence_ends, stems

FUNCTIONS = {
    "join_broken_words": join_broken_words,
    "split_claims": split_claims,
    "numbered_claims": lambda text: numbered_claims([text]),
    "claim_elements": claim_elements,
    "referenced_claims": lambda text: referenced_claims(text, 5000),
    "split_paragraphs": split_paragraphs,
    "sentence_ends": sentence_ends,
    "stems": stems,
    "quantities": quantities,
}
REPEATED = [
    "\n", " ", "\t", "a", "é", "1", "(", ")", "|", "-", ".", "\u00ad", "a-", "a -", "- ", "a- ", "(1,", "(1) ", "pump (1) ", "claim ",
    "1, ", "; ", "(a);", "preceding ", "comprising the steps ", ", a ", "0. ", "1. (cancelled) ", "&a", ".sub.", "TABLE-US-", "....",
    "\n|", " | ", "\n1. A ", "FIG. 1. A ",
]  # fmt: skip
ONCE_THEN_REPEATED = [("1.", "\n"), ("claim 1", " "), ("pump (", " "), ("a-", "\n"), ("comprising", " "), ("[", "0")]
TEXTS = [("", unit) for unit in REPEATED] + [(opening, unit) for opening, unit in ONCE_THEN_REPEATED]
LENGTH = 12_500
FACTOR = 4


def text_of(opening: str, unit: str, length: int) -> str:
    return opening + (unit * (length // len(unit) + 1))[:length]


def seconds(function, text: str) -> float:
    """The best of a few, because other programs run, too."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        function(text)
        spent.append(time.process_time() - start)
        if spent[-1] < 0.05:
            break
    return min(spent)


def require_linear(function, opening: str, unit: str) -> None:
    long = seconds(function, text_of(opening, unit, FACTOR * LENGTH))
    if long < 0.2:  # for 50,000 characters: there is nothing to grow
        return
    short = seconds(function, text_of(opening, unit, LENGTH))
    # Four times the length costs a quadratic pattern sixteen times the time.
    assert long < 2 * FACTOR * short, f"{opening!r}, then {unit!r} repeated: {short:.2f} s, then {long:.2f} s"


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_the_time_grows_with_the_length_only(name):
    function = FUNCTIONS[name]
    function("warm up. 1. A pump (10) comprising: a; b of claim 1.")
    for opening, unit in TEXTS:
        require_linear(function, opening, unit)


@pytest.mark.parametrize(("opening", "unit"), [("", "a "), ("a", " or a"), ("ti:a", ",a")])
def test_the_time_of_a_long_filter_grows_with_its_length_only(opening, unit):
    require_linear(lambda text: parse_filter(text.strip(", or")), opening, unit)


@pytest.mark.parametrize(
    ("opening", "unit"),
    [
        ("A pump", ", said part comprising a rotor"),
        ("A pump", ", wherein the part comprises a rotor"),
        ("A pump comprising: ", "any of x a) "),
        ("A pump comprising: a; ", "x: (a) y, "),
        ("A pump comprising: a; to (a) x", ", (b) y"),
        ("A pump comprising: parts used in: a", "; b; or c"),
        ("A test comprising: genes selected from A", "; B"),
        ("A method comprising: heating a cup", ", cooling a cup"),
        ("A pump comprising: ", ", move a "),
        ("A pump comprising: a lamp with parts; x", "; or x"),
    ],
)
def test_the_time_of_a_long_claim_grows_with_its_length_only(opening, unit):
    require_linear(claim_elements, opening, unit)
