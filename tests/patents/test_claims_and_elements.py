"""Claims: splitting, numbering, expanding, and the elements of an independent claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.patents.claims import claim_elements, expand_claim, numbered_claims, split_claims

CHAIN = [
    "A pump.",
    "The pump of claim 1, red.",
    "The pump of claim 1, blue.",
    "The pump of claim 2 or 3, new.",
    "A valve.",
    "The pump of claim 4 with the valve of claim 5.",
]


def test_a_dependent_claim_is_preceded_by_its_ancestors_in_the_order_of_numbers():
    claims = numbered_claims(CHAIN)
    assert [c.number for c in expand_claim(claims, 6)] == [1, 2, 3, 4, 5, 6]
    assert [c.number for c in expand_claim(claims, 3)] == [1, 3]
    assert [c.text for c in expand_claim(claims, 2)] == ["A pump.", "The pump of claim 1, red."]


def test_a_claim_that_is_not_there_is_an_error_that_says_which_are():
    with pytest.raises(InputError, match="no claim 9; the patent has 1 to 6"):
        expand_claim(numbered_claims(CHAIN), 9)


def test_printed_numbers_are_trusted_and_taken_off():
    claims = numbered_claims(
        ["1 - 19 . (canceled) 20 . A pump.", "21 . The pump of claim 20 , red.", "22) The pump of claim 3."]
    )
    assert [(c.number, c.text, c.depends_on) for c in claims] == [
        (20, "A pump.", ()),
        (21, "The pump of claim 20 , red.", (20,)),
        (22, "The pump of claim 3.", ()),  # claim 3 is gone
    ]


def test_cancelled_claims_before_a_claim_are_not_its_text():
    texts = [
        "9 . (canceled) 10 . A pump.",
        "11. (cancelled) 12-14. (cancelled) 15. The pump of claim 10.",
        "16. (canceled)",
    ]
    assert [(c.number, c.text, c.depends_on) for c in numbered_claims(texts)] == [
        (10, "A pump.", ()),
        (15, "The pump of claim 10.", (10,)),
        (16, "(canceled)", ()),
    ]


def test_numbers_that_do_not_rise_are_replaced():
    claims = numbered_claims(["2. A pump.", "2. The pump of claim 2.", "1. The pump of claim 3."])
    assert [(c.number, c.depends_on) for c in claims] == [(2, ()), (3, (2,)), (4, (3,))]


def test_an_empty_entry_counts_in_the_numbering_of_places():
    claims = numbered_claims(["A pump.", " ", "The pump of claim 1."])
    assert [(c.number, c.xpath) for c in claims] == [
        (1, "/patent-document/claims/claim[1]"),
        (3, "/patent-document/claims/claim[3]"),
    ]


def test_a_text_of_numbered_claims_is_split():
    text = "1. A pump with 2. 5 bar. 2. The pump of claim 1.\n3. The pump of claim 2. 4. A valve (5. x)."
    assert split_claims(text) == [
        "1. A pump with 2. 5 bar.",
        "2. The pump of claim 1.",
        "3. The pump of claim 2.",
        "4. A valve (5. x).",
    ]
    assert split_claims("A pump.") == ["A pump."]
    assert split_claims(" ") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1) A pump. 2) The pump of claim 1.", [(1, "A pump.", ()), (2, "The pump of claim 1.", (1,))]),
        ("1. a pump. 2. the pump of claim 1.", [(1, "a pump.", ()), (2, "the pump of claim 1.", (1,))]),
        ("1.A pump. 2.The pump of claim 1.", [(1, "A pump.", ()), (2, "The pump of claim 1.", (1,))]),
        ("20. A pump. 21. The pump of claim 20.", [(20, "A pump.", ()), (21, "The pump of claim 20.", (20,))]),
        (
            "1-19. (cancelled) 20. A pump. 21. The pump of claim 20.",
            [(1, "1-19. (cancelled)", ()), (20, "A pump.", ()), (21, "The pump of claim 20.", (20,))],
        ),
        ("Claim 1: A pump. Claim 2: The pump of claim 1.", [(1, "A pump.", ()), (2, "The pump of claim 1.", (1,))]),
        (
            "1. A pump as in FIG. 2. It lifts. 2. The pump of claim 1, see No. 3. It is red.",
            [(1, "A pump as in FIG. 2. It lifts.", ()), (2, "The pump of claim 1, see No. 3. It is red.", (1,))],
        ),
        (
            "1. A method comprising:\n1) heating;\n2) cooling.\n2. The method of claim 1.",
            [(1, "A method comprising: 1) heating; 2) cooling.", ()), (2, "The method of claim 1.", (1,))],
        ),
        (
            "1. A method of steps: 2. heating; 3. cooling. 2. 3-Methylbutane of claim 1.",
            [(1, "A method of steps: 2. heating; 3. cooling.", ()), (2, "3-Methylbutane of claim 1.", (1,))],
        ),
        ("What is claimed is: 1. A pump. 2. A tap.", [(1, "A pump.", ()), (2, "A tap.", ())]),
        # Nothing but a heading is left out.
        (
            "A method comprising: 1. heating. 2. cooling.",
            [(1, "A method comprising: 1. heating.", ()), (2, "cooling.", ())],
        ),
    ],
)
def test_claims_are_split_however_their_numbers_are_printed(text, expected):
    found = numbered_claims(split_claims(text))
    assert [(claim.number, claim.text, claim.depends_on) for claim in found] == expected


def test_a_locant_of_chemistry_is_no_number_of_a_claim():
    assert [(c.number, c.text) for c in numbered_claims(["A pump.", "17.beta.-Estradiol.", "1.5 mm wire."])] == [
        (1, "A pump."),
        (2, "17.beta.-Estradiol."),
        (3, "1.5 mm wire."),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A pump comprising: a housing; a rotor in the housing, the rotor being round; and a motor.",
            [
                "preamble:A pump comprising:",
                "element:a housing",
                "element:a rotor in the housing, the rotor being round",
                "element:a motor.",
            ],
        ),
        (
            "A pump having a housing, a rotor, and at least one seal.",
            ["preamble:A pump having", "element:a housing", "element:a rotor", "element:at least one seal."],
        ),
        (
            "A method comprising the steps of (a) heating water, and (b) cooling it.",
            ["preamble:A method comprising the steps of", "element:(a) heating water", "element:(b) cooling it."],
        ),
        (
            "Valve (1) comprising a plunger (2) and a spring (3), characterised in that the spring is coiled; and that it is short.",
            [
                "preamble:Valve (1) comprising",
                "element:a plunger (2)",
                "element:a spring (3)",
                "characterising:the spring is coiled",
                "characterising:that it is short.",
            ],
        ),
        (
            "Ventil mit einem Kolben, dadurch gekennzeichnet, dass der Kolben rund ist.",
            ["preamble:Ventil mit", "element:einem Kolben", "characterising:der Kolben rund ist."],
        ),
        (
            "In a pump, the improvement comprising a round rotor.",
            ["preamble:In a pump", "characterising:a round rotor."],
        ),
        (
            "A composition consisting essentially of water.",
            ["preamble:A composition consisting essentially of", "element:water."],
        ),
        (
            "A tap for a sink having a hole, the tap comprising: a seat (1; 2), and a nut; and a ring including: a lip; an edge.",
            [
                "preamble:A tap for a sink having a hole, the tap comprising:",
                "element:a seat (1; 2)",
                "element:a nut",
                "element:a ring including",
                "element:a lip",
                "element:an edge.",
            ],
        ),
        (
            "A pump comprised of a housing; and a rotor.",
            ["preamble:A pump comprised of", "element:a housing", "element:a rotor."],
        ),
        (
            "Pumpe, aufweisend ein Gehäuse, einen Rotor und eine Welle, gekennzeichnet durch einen Motor.",
            [
                "preamble:Pumpe, aufweisend",
                "element:ein Gehäuse",
                "element:einen Rotor",
                "element:eine Welle",
                "characterising:einen Motor.",
            ],
        ),
        (
            "Dispositif comprenant un carter, un rotor et un arbre.",
            ["preamble:Dispositif comprenant", "element:un carter", "element:un rotor", "element:un arbre."],
        ),
        (
            "A pump wherein: the rotor is round; the shaft is long.",
            ["preamble:A pump", "element:wherein: the rotor is round", "element:the shaft is long."],
        ),
        (
            "In a pump having a housing, the improvement wherein the rotor is round.",
            ["preamble:In a pump having", "element:a housing", "characterising:the rotor is round."],
        ),
        ("A pump.", ["preamble:A pump."]),
        ("", []),
        (
            "A method comprising training a model across 1,000 vehicles.",
            ["preamble:A method comprising", "element:training a model across 1,000 vehicles."],
        ),
    ],
)
def test_a_claim_is_split_into_its_elements(text, expected):
    assert [f"{element.role}:{element.text}" for element in claim_elements(text)] == expected


claim_words = st.sampled_from(
    "a the pump comprising: comprising ; , and (a) (b) wherein characterised in that having - : x1 .".split()
)


@given(st.lists(claim_words, max_size=30).map(" ".join))
def test_elements_carry_exact_offsets_in_order_and_lose_no_words(text):
    elements = claim_elements(text)
    assert all(element.text == text[element.start : element.end] for element in elements)
    ends = [0]
    gaps = []
    for element in elements:
        assert element.start >= ends[-1]
        gaps.append(text[ends[-1] : element.start])
        ends.append(element.end)
    gaps.append(text[ends[-1] :])
    left_over = set(" ".join(gaps).replace(";", " ").replace(",", " ").split())
    assert left_over <= {"characterised", "in", "that", "and", ":", "-", "."}


def test_claims_with_cancelled_ones_between_them_in_one_entry_are_all_read():
    claims = numbered_claims(
        ["19 . The system of claim 1. 20 - 22 . (canceled) 23 . A vehicle with it.", "24 . A car."]
    )
    assert [(claim.number, claim.text) for claim in claims] == [
        (19, "The system of claim 1."),
        (23, "A vehicle with it."),
        (24, "A car."),
    ]


def test_a_claim_a_line_may_leave_numbers_out():
    lines = ["9. A pump.", "11. 1: The pump of claim 9.", "49. A method."]
    assert split_claims("\n".join(lines)) == lines
