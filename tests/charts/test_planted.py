"""Features planted in documents are found where they are, and nowhere else."""

import numpy as np
import pytest
from made_documents_for_charts import claim_of, claims_and_elements, document, features

from sparse_coverage.charts.chart import encode_claims, make_chart
from sparse_coverage.charts.charting import best_evidence
from sparse_coverage.charts.combining import combine, combine_exactly, family_of

OTHERS = 1000
CASES = 100


def chart_of(wanted, documents, encoder, calibration):
    claims, elements = claims_and_elements(claim_of(wanted))
    return make_chart(encode_claims(claims, elements, encoder, calibration), documents, encoder, calibration)


@pytest.mark.parametrize("seed", range(20))
def test_a_feature_that_is_taken_out_of_a_document_is_the_one_that_is_not_found(seed, encoder, calibration):
    chance = np.random.default_rng(seed)
    wanted = features(chance, 5)
    without = int(chance.integers(5))
    left = [feature for number, feature in enumerate(wanted) if number != without]
    chart = chart_of(wanted, [document("whole", wanted), document("less", left)], encoder, calibration)

    assert [row[0].word for row in chart.cells] == ["disclosed"] * 5
    words = [row[1].word for row in chart.cells]
    assert [number for number, word in enumerate(words) if word == "not found"] == [without]
    assert words.count("disclosed") == 4
    assert " ".join(wanted[without]) in [place.text for place in chart.cells[without][1].missing]


@pytest.fixture(scope="module")
def others(encoder):
    """A thousand documents, and what is kept of each."""
    from sparse_coverage.charts.chart import encoded_sentences

    chance = np.random.default_rng(99)
    documents = [document(f"other-{number}", features(chance, 5)) for number in range(OTHERS)]
    return documents, list(encoded_sentences(documents, encoder))


def test_the_features_of_a_claim_split_over_two_documents_are_found_among_a_thousand_others(
    others, encoder, calibration
):
    from sparse_coverage.charts.chart import encoded_sentences

    documents, sentences = others
    right = 0
    for seed in range(CASES):
        chance = np.random.default_rng(1000 + seed)
        wanted = features(chance, 5)
        order = chance.permutation(5)
        pair = [document("one", [wanted[n] for n in order[:3]]), document("two", [wanted[n] for n in order[3:]])]
        claims, elements = claims_and_elements(claim_of(wanted))
        encoded = encode_claims(claims, elements, encoder, calibration)
        every, kept = [*documents, *pair], [*sentences, *encoded_sentences(pair, encoder)]
        bounds = [best_evidence(encoded, one, found, calibration) for one, found in zip(every, kept, strict=True)]

        def closely(places, every=every, kept=kept, encoded=encoded):
            chosen = [every[place] for place in places]
            chart = make_chart(encoded, chosen, encoder, calibration, sentences=[kept[place] for place in places])
            return np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)

        labels, ids = [element.label for element in elements], [one.id for one in every]
        found = combine_exactly(np.stack(bounds, axis=1), closely, labels, ids, calibration)
        right += {part.document for part in found.found[0].parts} == {"one", "two"} if found.found else False
    assert right == CASES


def test_an_element_that_no_document_has_is_named(encoder, calibration):
    chance = np.random.default_rng(3)
    wanted = features(chance, 4)
    chart = chart_of(wanted, [document("a", wanted[:2]), document("b", wanted[1:3])], encoder, calibration)
    evidence = np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32)
    labels = [element.label for element in chart.elements]
    found = combine(evidence, labels, ["a", "b"], calibration, most=3)
    assert found.found == ()
    assert found.missing == (labels[3],)
    assert [element.label for element in chart.undisclosed] == [labels[3]]


def test_two_documents_of_one_family_are_not_combined(calibration):
    high, low = 0.99, 0.0
    evidence = np.asarray([[high, low, low], [low, high, high]], np.float32)
    kin = [family_of(name, {"family": family}) for name, family in (("a", "1"), ("b", "1"), ("c", "2"))]
    found = combine(evidence, ["1a", "1b"], ["a", "b", "c"], calibration, families=kin)
    assert [{part.document for part in one.parts} for one in found.found] == [{"a", "c"}]


@pytest.mark.parametrize("seed", range(10))
def test_combinations_agree_with_looking_at_every_set(seed, calibration):
    from itertools import combinations

    chance = np.random.default_rng(seed)
    evidence = chance.random((5, 12)).astype(np.float32)
    found = combine(evidence, list("abcde"), [str(n) for n in range(12)], calibration, most=3, show=1)
    for level in (calibration.disclosed, calibration.partly):
        sets = [
            (size, -float(evidence[:, list(one)].max(1).min()))
            for size in (1, 2, 3)
            for one in combinations(range(12), size)
            if evidence[:, list(one)].max(1).min() >= level
        ]
        if sets:
            size, weakest = min(sets)
            assert len(found.found[0].parts) == size
            assert found.found[0].weakest == pytest.approx(-weakest, abs=2e-3)
            return
    assert found.found == ()


@pytest.mark.parametrize("seed", range(30))
def test_reading_only_what_may_matter_gives_the_combinations_of_reading_everything(seed, calibration):
    chance = np.random.default_rng(seed)
    bounds = chance.random((4, 30)).astype(np.float32)
    evidence = (bounds * np.where(chance.random((4, 30)) < 0.5, 1, chance.random((4, 30)))).astype(np.float32)
    if seed % 3 == 0:
        evidence[1] *= calibration.partly * 0.99  # an element that no document has, once all were read
    labels, ids = list("abcd"), [str(n) for n in range(30)]
    read: list[int] = []

    def closely(places):
        read.extend(places)
        return evidence[:, places]

    for most in (1, 2, 3):
        read.clear()
        found = combine_exactly(bounds, closely, labels, ids, calibration, most=most)
        whole = combine(evidence, labels, ids, calibration, most=most)
        assert [one.word for one in found.found] == [one.word for one in whole.found]
        assert [round(one.weakest, 3) for one in found.found] == [round(one.weakest, 3) for one in whole.found]
        assert found.missing == whole.missing
        assert len(read) == len(set(read))
