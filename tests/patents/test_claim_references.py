"""The dependency table: every phrasing of CLEF-IP.md and its traps. Each row is for claim 20, unless it says otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.patents.claims import referenced_claims

ALL = tuple(range(1, 20))
TABLE = [
    # one claim
    ("The device of claim 1, wherein the tip is round.", (1,)),
    ("The device according to claim 12 wherein the tip is round.", (12,)),
    ("A device as claimed in Claim 3 characterised in that it is red.", (3,)),
    ("THE DEVICE OF CLAIM 4.", (4,)),
    ("The method as recited in claim 7", (7,)),
    ("Use of the compound defined in claim 2 as a pesticide.", (2,)),
    ("A kit comprising the device of claim 1 and a manual.", (1,)),
    ("The device of claim No. 5, being blue.", (5,)),
    ("The device of claim number 6.", (6,)),
    ("The device of claim #8.", (8,)),
    ("The device according to claim1, wherein it is red", (1,)),
    ("The device of claim (9).", (9,)),
    ("The device (see claim 9) with a tip.", (9,)),
    ("The method ofclaim 1further characterized by an alarm.", (1,)),
    ("Apparatus according toclaim 3and further including means.", (3,)),
    # two claims
    ("The device of claim 1 or 2, wherein it is red.", (1, 2)),
    ("The device of claim 1 and 2, wherein it is red.", (1, 2)),
    ("The device of claims 1 and 2 wherein it is red.", (1, 2)),
    ("The device of claim 1 or claim 5, wherein it is red.", (1, 5)),
    ("The device of either claim 3 or claim 4.", (3, 4)),
    ("The device of claims 1 and/or 2.", (1, 2)),
    ("The device of claims 1 & 2.", (1, 2)),
    ("The device of claims 1/2.", (1, 2)),
    ("The device of claims 3 as well as 5.", (3, 5)),
    ("one or more of the claims 1 and 2", (1, 2)),
    ("A device comprising the tip of claim 3 and the stem of claim 7.", (3, 7)),
    ("The device of claim 1 or 2 or 3.", (1, 2, 3)),
    # lists
    ("The device of claims 1, 2, and 4, wherein it is red.", (1, 2, 4)),
    ("The device of claims 1, 2 or 4 wherein it is red.", (1, 2, 4)),
    ("The device of claims 1,2,3.", (1, 2, 3)),
    ("The device of claim 1, 2 or 3, wherein it is red.", (1, 2, 3)),
    ("The device of claims (1), (2) and (4).", (1, 2, 4)),
    ("The device of claim(s) 1, 3.", (1, 3)),
    # ranges
    ("The device of claims 1 to 3 and 5", (1, 2, 3, 5)),
    ("The device of claims 1 to 3 or 5 to 7", (1, 2, 3, 5, 6, 7)),
    ("The device of any one of claims 1-4", (1, 2, 3, 4)),
    ("The device of any one of claims 1 – 4, wherein", (1, 2, 3, 4)),
    ("The device of any one of claims 1 through 4", (1, 2, 3, 4)),
    ("The device of claims 2 up to 4", (2, 3, 4)),
    ("The device of claims 1 through to 4", (1, 2, 3, 4)),
    ("The device of claims 1 to and including 5", (1, 2, 3, 4, 5)),
    ("The device of claims 1~5", (1, 2, 3, 4, 5)),
    ("The device of any of the claims from 1 to 5", (1, 2, 3, 4, 5)),
    ("The device of any claim from 1 to 5", (1, 2, 3, 4, 5)),
    ("The device of one of claims 1...4", (1, 2, 3, 4)),
    ("The device of claim 1 to claim 3", (1, 2, 3)),
    ("The device of any of claims 1 to 3, 5, 7 to 9 and 11, wherein it is red.", (1, 2, 3, 5, 7, 8, 9, 11)),
    ("The device of at least one of claims 1 to 3 or any one of 5 to 6.", (1, 2, 3, 5, 6)),
    ("The device according to one of the claims 10-12, in which it is red", (10, 11, 12)),
    # all that came before
    ("The device of any of the preceding claims", ALL),
    ("The device of any of the foregoing claims, being red", ALL),
    ("The device of any of the previous claims", ALL),
    ("The device according to any preceding claim.", ALL),
    ("The device as claimed in any one of the preceding claims, wherein it is red.", ALL),
    ("The device according to one or more of the preceding claims", ALL),
    ("The device of any of the above claims.", ALL),
    ("The device of any of the claims above.", ALL),
    ("The device of any of the preceding method claims.", ALL),
    ("The device of any one of the aforementioned claims", ALL),
    ("The device of one of the preceding claim.", ALL),
    ("The device according to the preceding claim, being red.", (19,)),
    ("The device of the preceding claims 1 to 3", (1, 2, 3)),
    ("The device of the previous claim 4", (4,)),
    ("The device according to the last preceding claim", (19,)),
    ("The device of any of the claims mentioned above", ALL),
    ("A device as claimed in any of the aforegoing claims", ALL),
    # all but some
    ("The device of any preceding claim other than claim 4", tuple(n for n in ALL if n != 4)),
    ("The device of any of claims 1 to 5 except claim 3", (1, 2, 4, 5)),
    ("Vorrichtung nach einem der Ansprüche 1 bis 4 mit Ausnahme von Anspruch 2", (1, 3, 4)),
    # other languages of the EPO
    ("Vorrichtung nach Anspruch 1, dadurch gekennzeichnet, dass sie rot ist.", (1,)),
    ("Vorrichtung nach einem der Ansprüche 1 bis 3 oder 5, wobei sie rot ist.", (1, 2, 3, 5)),
    ("Vorrichtung nach Patentanspruch 2 und 3, wobei sie rot ist.", (2, 3)),
    ("Vorrichtung nach einem der vorhergehenden Ansprüche.", ALL),
    ("Dispositif selon la revendication 1 ou 2, caractérisé en ce que", (1, 2)),
    ("Dispositif selon l'une quelconque des revendications 1 à 3 et 5.", (1, 2, 3, 5)),
    ("Dispositif selon l'une quelconque des revendications précédentes.", ALL),
    ("Dispositif selon la revendication précédente.", (19,)),
    ("Dispositif selon l'une des précédentes revendications", ALL),
    ("Dispositif selon l'une des revendications qui précèdent", ALL),
    ("Dispositif selon l'une quelconque des revendications antérieures", ALL),
    ("Dispositif selon les revendications 1 jusqu’à 4", (1, 2, 3, 4)),
    ("Vorrichtung nach einem der voranstehenden Ansprüche", ALL),
    ("Vorrichtung nach einem der vorausgehenden Ansprüche", ALL),
    ("Vorrichtung nach einem oder mehreren der vorigen Ansprüche", ALL),
    ("Vorrichtung nach einem der Anspruche 1 bis 3", (1, 2, 3)),
    # traps: quantities, later claims, other uses of the words
    ("The device of claim 1 and 20 mm of wire.", (1,)),
    ("The device of claim 1 and 12 mm of wire.", (1,)),
    ("The device of claim 1, 2 mm thick.", (1,)),
    ("The device of claim 1, 10 % of which is iron.", (1,)),
    ("The device of claim 1 or 10% iron.", (1,)),
    ("The device of claim 1 and 2.5 parts of iron.", (1,)),
    ("The device of claims 1 to 3 and 10 to 12 volts.", (1, 2, 3)),
    ("The device of claim 1 and 3 electrodes.", (1,)),
    ("The device of claims 1 and 2, 4 electrodes of which are red.", (1, 2)),
    ("The device of claim 1 wherein the ratio is 2 to 3.", (1,)),
    ("The device of claim 1 to form 3 layers.", (1,)),
    ("The device of claim 1-based design 4.", (1,)),
    ("The device of claim 20.", ()),
    ("The device of claims 18 to 25.", (18, 19)),
    ("The device of claim 25 or claim 3.", (3,)),
    ("The device of claim 1a.", ()),
    ("A device as set out in the claims.", ()),
    ("A device that proclaims 3 messages.", ()),
    ("A device to reclaim 3 metals and disclaim 4 of them.", ()),
    ("The device of claim 1 and 12mm of wire or 3volts.", (1,)),
    ("A device with the preceding element and 3 tips.", ()),
    ("A device having 1 to 3 tips.", ()),
    ("A kit of the device of claim 1 and 5 or more vials", (1,)),
    ("The device of claim 1, or 2 or more thereof", (1,)),
    ("The device of claim 1 or 2 or more preferably claim 3", (1, 2, 3)),
    ("A method of processing an insurance claim 5", ()),
    ("A system storing all preceding insurance claims of a customer", ()),
]


def test_the_table_has_at_least_sixty_phrasings():
    assert len({text for text, _ in TABLE}) == len(TABLE) >= 60


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_a_claim_refers_to_exactly_these_claims(text, expected):
    assert referenced_claims(text, 20) == expected


def test_the_first_claim_refers_to_none():
    assert all(referenced_claims(text, 1) == () for text, _ in TABLE)


def test_claim_one_and_twenty_millimetres_also_where_a_claim_twenty_exists():
    assert referenced_claims("The device of claim 1 and 20 mm of wire.", 30) == (1,)


words = st.sampled_from(
    "claim claims any of the preceding 1 2 30 9999 to - , and or mm % . (3) Anspruch précédentes above".split()
)


@given(st.lists(words, max_size=25).map(" ".join), st.integers(1, 60))
def test_whatever_a_claim_says_it_refers_to_earlier_claims_only(text, number):
    found = referenced_claims(text, number)
    assert all(0 < n < number for n in found)
    assert list(found) == sorted(set(found))
