"""Cancelled claims, and what else amendments print, are no part of what is searched with."""

from dataclasses import replace

import pytest

from sparse_coverage.charts.elements import chart_elements, read_claims
from sparse_coverage.errors import InputError
from sparse_coverage.patents.claims import numbered_claims
from sparse_coverage.patents.patent import Paragraph, Patent
from sparse_coverage.patents.queries import patent_query, text_query


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("1 - 48. (canceled) 49. A lamp comprising a dimmer.", "49. A lamp comprising a dimmer."),
        ("1-48. Canceled.\n49. A lamp comprising a dimmer.", "49. A lamp comprising a dimmer."),
        ("1. A lamp. 2-4. (cancelled) 5. The lamp of claim 1 in red.", "1. A lamp.\n5. The lamp of claim 1 in red."),
        ("1. A stamp that says (cancelled).", "1. A stamp that says (cancelled)."),
        ("cancelled", "cancelled"),
        (
            "1. (Currently amended) A [[red]] lamp.\n2. (New) The lamp of claim 1.",
            "1. A lamp.\n2. The lamp of claim 1.",
        ),
        ("1. (Withdrawn) 2. (Original) A lamp.", "2. A lamp."),
        (
            "A lamp (new) with 4-[[4-[2-cyanoethenyl]amino]phenyl]amino.",
            "A lamp (new) with 4-[[4-[2-cyanoethenyl]amino]phenyl]amino.",
        ),
    ],
)
def test_a_text_is_searched_without_its_cancelled_claims(text, left):
    assert text_query(text).text == left


def test_the_claim_that_is_left_keeps_its_number_in_a_chart():
    text = text_query("1 - 48. (canceled) 49. A lamp comprising a dimmer.").text
    assert [element.label for element in chart_elements(read_claims(text))] == ["49a", "49b"]


def test_the_status_of_a_claim_and_words_taken_out_are_no_part_of_its_features():
    [claim] = read_claims("7. (Previously presented) A lamp comprising: a [[switch]] dimmer.")
    assert (claim.number, claim.text) == (7, "A lamp comprising: a dimmer.")


def test_a_text_of_cancelled_claims_alone_is_refused():
    with pytest.raises(InputError, match="Every claim of the query is cancelled"):
        text_query("1-3. (cancelled)")


def test_a_patent_is_searched_without_its_cancelled_claims():
    patent = Patent("US1", claims=numbered_claims(["1-2. (canceled)", "3. A lamp comprising a dimmer."]))
    assert patent_query(patent).text == "A lamp comprising a dimmer."
    with pytest.raises(InputError, match="has no claim 1; it has claims 3"):
        patent_query(patent, "1")


def test_where_all_claims_are_cancelled_the_abstract_is_searched():
    patent = Patent(
        "US1", claims=numbered_claims(["1-2. (canceled)"]), abstract=(Paragraph("A lamp.", "/abstract/p[1]"),)
    )
    assert patent_query(patent).text == "A lamp."
    assert patent_query(replace(patent, abstract=(), title="Lamp")).text == "Lamp"


def test_claims_of_a_patent_keep_their_numbers_where_they_are_charted():
    texts = [
        "1-48. (canceled)",
        "49. A lamp comprising a dimmer.",
        "50. (canceled)",
        "51. The lamp of claim 49 in red.",
    ]
    query = patent_query(Patent("US1", claims=numbered_claims(texts)))
    assert query.text == "A lamp comprising a dimmer.\nThe lamp of claim 49 in red."
    claims = read_claims(query.numbered)
    assert [(claim.number, claim.depends_on) for claim in claims] == [(49, ()), (51, (49,))]
    assert read_claims(patent_query(Patent("US1", claims=claims[:1])).numbered)[0].number == 49


def test_a_single_claim_number_1_is_charted_as_it_is_written():
    assert patent_query(Patent("US1", claims=numbered_claims(["1. A lamp."]))).numbered == "A lamp."
