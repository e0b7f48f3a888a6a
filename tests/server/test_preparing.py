"""What is typed becomes a query: claims with gaps, the date that prior art must precede, numbers in any spelling, lists of them."""

from __future__ import annotations

import pytest
from served_devices import CLAIM

from sparse_coverage.patents import Claim, Patent
from sparse_coverage.workspace.preparing import PrepareRequest, prepare_patent, prepare_text

PREPARE = "/v1/indexes/devices/prepare"


def patent(*numbers, **known):
    texts = {number: f"A pump of claim kind {number} with a rotor, and a seal." for number in numbers}
    claims = tuple(Claim(number, text, f"/patent-document/claims/claim[{number}]") for number, text in texts.items())
    return Patent("US-20230009869-A1", "Pump", claims=claims, **known)


@pytest.mark.parametrize("numbers", [(1, 2, 3), (1, 9, 11), (49, 50), (1, 2, 25)])
def test_every_claim_counts_whatever_is_missing_between_them(numbers):
    made = prepare_patent(patent(*numbers))
    assert [claim.number for claim in made.claims] == list(numbers)
    assert [element.claim for element in made.elements if element.label.endswith("a")] == list(numbers)
    assert made.charted == made.text


def test_cancelled_claims_are_neither_searched_with_nor_charted():
    claims = (Claim(1, "(canceled)", "/1"), Claim(2, "A pump.", "/2"), Claim(3, "4-5. (canceled)", "/3"))
    made = prepare_patent(Patent("EP-1000000-A1", claims=claims))
    assert [claim.number for claim in made.claims] == [2]
    assert "cancel" not in made.text


def test_a_dependent_claim_without_its_parent_asks_for_it():
    made = prepare_text(PrepareRequest(text="4. The pump of claim 2, wherein the rotor is round."))
    assert [element.text for element in made.elements] == ["the rotor is round."]
    assert "claim 4 depends on claim 2" in made.warnings[0]


@pytest.mark.parametrize(
    ("known", "before", "date"),
    [
        ({"priority_date": "2001-02-03", "application_date": "2002-02-03"}, "2001-02-03", "priority date"),
        ({"application_date": "2002-02-03", "publication_date": "2003-01-01"}, "2002-02-03", "filing date"),
        ({"publication_date": "2003-01-01"}, "", ""),
    ],
)
def test_the_date_is_the_priority_date_else_the_filing_date_else_a_warning(known, before, date):
    made = prepare_patent(patent(1, **known))
    assert (made.before, made.date) == (before, date)
    if before:
        assert made.warnings == ()
    else:
        assert "neither the priority date nor the filing date is known" in made.warnings[0]
        assert "published on 2003-01-01" in made.warnings[0]


def test_own_features_are_read_in_the_words_of_the_claim_and_a_wrong_line_is_named():
    text = "1. A pump with a rotor, and a seal.\n2. The pump of claim 1, with a lid."
    mine = prepare_text(PrepareRequest(text=text, claims="1", elements="A pump with\n a  rotor,\nand a seal."))
    assert [(one.label, one.text) for one in mine.elements] == [
        ("1a", "A pump with"),
        ("1b", "a rotor,"),
        ("1c", "and a seal."),
    ]
    assert "Line 2" in prepare_text(PrepareRequest(text=text, elements="A pump\na spring")).wrong
    assert prepare_text(PrepareRequest(text=text, claims="7")).wrong == "There is no claim 7; there are 1 to 2."


@pytest.mark.parametrize("typed", ["EP 1 000 001 A1", "EP1000001", "1000001", "EP-1000001-B1 "])
def test_a_number_in_any_spelling_is_the_claims_of_the_document(client, typed):
    made = client.post(PREPARE, json={"text": typed}).json()
    if typed.strip().endswith("B1"):
        assert made["publication"] == ""
        assert "near it: EP-1000001-A1" in made["warnings"][0]
    else:
        assert (made["publication"], made["text"]) == ("EP-1000001-A1", CLAIM)
        assert (made["before"], made["date"]) == ("1993-06-15", "priority date")


def test_a_list_of_numbers_is_a_selection_that_can_be_searched_among(client):
    made = client.post(PREPARE, json={"text": "EP1000001 EP1000003\nEP7777777"}).json()
    assert made["ids"] == ["EP-1000001-A1", "EP-1000003-A1"]
    assert made["unknown"] == ["EP7777777"]
    found = client.post("/v1/indexes/devices/search", json={"query": CLAIM, "filters": {"only": made["ids"]}}).json()
    assert {hit["document"] for hit in found["hits"]} == set(made["ids"])
    assert found["searched"] == 2


def test_the_whole_claim_set_is_searched_without_its_numbers(client):
    body = {"query": f"1. {CLAIM}\n2. The device of claim 1, made of steel.", "claims": "all", "k": 1}
    found = client.post("/v1/indexes/devices/search", json=body).json()
    assert found["query"] == f"{CLAIM}\nThe device of claim 1, made of steel."


@pytest.mark.parametrize(
    ("form", "filters"),
    [
        ({"year": "2000; 2001", "filter": "a or b"}, "(published:2000 or published:2001) and (a or b)"),
        ({"year": "1999..2001"}, "published:1999..2001"),
        ({"class": "H04N, G06F 3", "country": "EP WO"}, 'class:H04N,"G06F 3" and country:EP,WO'),
        ({"applicant": 'Bosch GmbH, Robert; Toto "Ltd."'}, 'applicant:"Bosch GmbH, Robert","Toto Ltd."'),
        ({"filter": "a or b"}, "a or b"),
    ],
)
def test_the_fields_of_a_form_are_one_expression_that_can_be_read(client, form, filters):
    made = client.post(PREPARE, json={"form": form})
    assert made.status_code == 200, made.text
    assert made.json()["filters"]["filter"] == filters
    found = client.post("/v1/indexes/devices/search", json={"filters": made.json()["filters"], "k": 3})
    assert found.status_code == 200, found.text


def test_words_are_the_same_with_commas_and_with_semicolons(client):
    made = [
        client.post(PREPARE, json={"form": {"must": typed, "not": typed}}).json()["filters"]
        for typed in ("cancer; 1,2-dichloroethane", "cancer, 1,2-dichloroethane")
    ]
    assert made[0] == made[1]
    assert made[0]["must"] == made[0]["not"] == ["cancer", "1,2-dichloroethane"]


def test_filters_of_a_patent_come_with_its_number_and_a_typed_date_goes_before(client):
    taken = client.post(PREPARE, json={"text": "EP-1000001-A1", "form": {}}).json()
    assert taken["filters"].get("not_family_of") == [taken["publication"]]
    patent = {"publication": "EP-5-A1", "before": "1999-11-02", "date": "filing date", "use_before": True}
    own = client.post(PREPARE, json={"text": "A pump", "form": {"patent": patent}}).json()
    assert (own["filters"]["before"], own["automatic"]) == ("1999-11-02", "the filing date of EP-5-A1")
    typed = {"patent": patent, "before": "2001"}
    other = client.post(PREPARE, json={"text": "A pump", "form": typed}).json()
    assert (other["filters"]["before"], other["automatic"]) == ("2001", "")


def test_an_expression_in_a_form_points_at_the_place_in_what_was_typed(client):
    wrong = client.post(PREPARE, json={"form": {"class": "H04N", "filter": "coil near valve"}})
    assert wrong.status_code == 400
    assert "\n  coil near valve\n       ^" in wrong.json()["error"]["message"]
