"""Features planted in documents are found where they are, and nowhere else."""

import numpy as np
import pytest
from drawing import examples
from made_documents_for_charts import claim_of, claims_and_elements, document, features

from sparse_coverage.charts.charting import worth_reading
from sparse_coverage.charts.claims import encode_claims
from sparse_coverage.charts.combining import combine, family_of
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart

OTHERS = 1000
CASES = examples(10)


def chart_of(wanted, documents, encoder, calibration):
    claims, elements = claims_and_elements(claim_of(wanted))
    return make_chart(encode_claims(claims, elements, encoder, calibration), documents, encoder, calibration)


@pytest.mark.parametrize("seed", range(20))
def test_a_feature_that_is_taken_out_of_a_document_is_the_one_that_is_not_disclosed(seed, encoder, calibration):
    chance = np.random.default_rng(seed)
    wanted = features(chance, 5)
    without = int(chance.integers(5))
    left = [feature for number, feature in enumerate(wanted) if number != without]
    chart = chart_of(wanted, [document("whole", wanted), document("less", left)], encoder, calibration)

    assert [row[0].verdict for row in chart.cells] == ["disclosed"] * 5
    words = [row[1].verdict for row in chart.cells]
    assert [number for number, word in enumerate(words) if word != "disclosed"] == [without]


@pytest.fixture(scope="module")
def others():
    """A thousand documents."""
    chance = np.random.default_rng(99)
    return [document(f"other-{number}", features(chance, 5)) for number in range(OTHERS)]


def test_the_features_of_a_claim_split_over_two_documents_are_found_among_a_thousand_others(
    others, encoder, calibration
):
    right = 0
    for seed in range(CASES):
        chance = np.random.default_rng(1000 + seed)
        wanted = features(chance, 5)
        order = chance.permutation(5)
        pair = [document("one", [wanted[n] for n in order[:3]]), document("two", [wanted[n] for n in order[3:]])]
        claims, elements = claims_and_elements(claim_of(wanted))
        encoded = encode_claims(claims, elements, encoder, calibration)
        every = [*others, *pair]
        chosen = worth_reading(encoded, every, KeptTokenVectors(encoder), calibration)
        chart = make_chart(encoded, chosen, encoder, calibration)
        evidence = np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)
        found = combine(evidence, [element.label for element in elements], [one.id for one in chosen], calibration)
        right += {part.document for part in found.found[0].parts} == {"one", "two"} if found.found else False
    assert right == CASES


def test_an_element_that_no_document_has_is_named(encoder, calibration):
    chance = np.random.default_rng(3)
    wanted = features(chance, 4)
    chart = chart_of(wanted, [document("a", wanted[:2]), document("b", wanted[1:3])], encoder, calibration)
    evidence = np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)
    labels = [element.label for element in chart.elements]
    found = combine(evidence, labels, ["a", "b"], calibration, most=3)
    assert found.missing == (labels[3],)
    assert found.found[0].lacks == (labels[3],)
    assert {part.document for part in found.found[0].parts} == {"a", "b"}
    assert [element.label for element in chart.undisclosed] == [labels[3]]


def test_what_a_document_of_a_combination_has_in_part_alone_is_said(calibration):
    from sparse_coverage.present.chart_text import combination_lines

    half = (calibration.partly + calibration.disclosed) / 2
    evidence = np.asarray([[0.99], [half], [0.0]], np.float32)
    found = combine(evidence, ["1a", "1b", "1c"], ["a"], calibration)
    assert found.found[0].parts[0].partly == ("1b",)
    assert "1. a (1a, 1b partly): 1c remains open." in list(combination_lines(found))


def test_a_document_that_another_one_betters_in_every_feature_is_no_combination_of_its_own(calibration):
    partly = (calibration.partly + calibration.disclosed) / 2
    evidence = np.asarray([[0.99, partly, 0.99], [0.99, 0.0, 0.99], [0.0, 0.0, 0.0]], np.float32)
    found = combine(evidence, ["1a", "1b", "1c"], ["a", "worse", "as good"], calibration)
    assert [[part.document for part in one.parts] for one in found.found] == [["a"], ["as good"]]


def test_two_documents_of_one_family_are_not_combined(calibration):
    high, low = 0.99, 0.0
    evidence = np.asarray([[high, low, low], [low, high, high]], np.float32)
    kin = [family_of(name, {"family": family}) for name, family in (("a", "1"), ("b", "1"), ("c", "2"))]
    found = combine(evidence, ["1a", "1b"], ["a", "b", "c"], calibration, families=kin)
    assert [{part.document for part in one.parts} for one in found.found] == [{"a", "c"}]


def test_a_document_that_adds_nothing_is_in_no_combination_and_the_runner_up_does_without_the_main_document(
    calibration,
):
    from sparse_coverage.present.chart_text import combination_lines

    partly = (calibration.partly + calibration.disclosed) / 2
    evidence = np.asarray([[0.99, partly, 0.0], [0.99, 0.0, 0.0], [0.0, 0.0, 0.99], [0.0, 0.0, 0.0]], np.float32)
    found = combine(evidence, ["1a", "1b", "1c", "1d"], ["a", "b", "c"], calibration)
    assert [{part.document: part.discloses for part in one.parts} for one in found.found] == [
        {"a": ("1a", "1b"), "c": ("1c",)}
    ]
    assert list(combination_lines(found))[-1] == "Without a: c (1c) with b (1a partly): 1b, 1d remain open."


def test_one_near_document_with_everything_in_part_swallows_no_document_that_discloses_more(calibration):
    partly = (calibration.partly + calibration.disclosed) / 2
    evidence = np.asarray([[0.99, 0.0], [partly, 0.99], [partly, 0.0]], np.float32)
    found = combine(evidence, ["1a", "1b", "1c"], ["near", "other"], calibration)
    assert [[part.document for part in one.parts] for one in found.found] == [["near", "other"], ["near"]]


@pytest.mark.parametrize("most", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_combinations_agree_with_looking_at_every_set(seed, most, calibration):
    from itertools import combinations

    chance = np.random.default_rng(seed)
    evidence = chance.random((5, 12)).astype(np.float32)
    documents = [str(n) for n in range(12)]

    def best(columns):
        keys = []
        for size in range(1, most + 1):
            for one in combinations(columns, size):
                top = evidence[:, list(one)].max(1)
                open_, partly = (top < calibration.partly).sum(), (top < calibration.disclosed).sum()
                keys.append((open_, partly - open_, size))
        return min(keys)

    found = combine(evidence, list("abcde"), documents, calibration, most=most)
    others = [n for n in range(12) if documents[n] != found.found[0].parts[0].document]
    for one, columns in ((found.found[0], range(12)), (found.runner_up, others)):
        assert (len(one.lacks), sum(len(part.partly) for part in one.parts), len(one.parts)) == best(columns)
    assert found.exact == (most <= 3)
