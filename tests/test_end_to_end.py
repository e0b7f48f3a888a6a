"""The thin path as a user walks it, on a tiny random encoder: everything but the quality of the vectors is real."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_bert import write_checkpoint

from sparse_coverage import ActivationConfig, Index, Patent, ScoringConfig, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError, MismatchError, VocabularyError
from sparse_coverage.patents import Paragraph

TEXTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "Method of reducing noise in a headset by means of a microphone and a filter.",
    "A plunger biased by a spring seals the housing of the pump.",
]


def patents() -> list[Patent]:
    return [
        Patent(id=f"XX-{n}-A1", title=f"Title {n}", abstract=(Paragraph(text, "/patent-document/abstract/p[1]"),))
        for n, text in enumerate(TEXTS)
    ]


@pytest.fixture(scope="module")
def model(tiny_encoder: OpenVinoEncoder) -> SparseCoverage:
    return SparseCoverage.fit(patents(), encoder=tiny_encoder, size=40, preset="paper")


@pytest.fixture(scope="module")
def index(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(tmp_path_factory.mktemp("built") / "index", model, patents())


def test_a_text_finds_itself(index: Index) -> None:
    for number, text in enumerate(TEXTS):
        assert index.search(text)[0].document == f"XX-{number}-A1"


def test_the_score_is_the_formula_of_the_paper(index: Index, model: SparseCoverage) -> None:
    """score = sum over shared non-stop centers of w(q,c) * w(d,c) / |S_d|^gamma * idf^alpha, recomputed from raw vectors."""
    query, documents = model.encode_query(TEXTS[4]), model.encode_document(TEXTS)
    frequency = np.zeros(40)
    for document in documents:
        frequency[document.centers] += 1
    stop = set(sorted(range(40), key=lambda c: (-frequency[c], c))[: round(0.01 * 40)])
    idf = np.log((len(documents) + 1) / (frequency + 1)) + 1
    expected = [
        sum(
            query.as_dict()[c] * w / max(document.span_count, 1) ** 0.5 * idf[c] ** 2
            for c, w in document.as_dict().items()
            if c in query.as_dict() and c not in stop
        )
        for document in documents
    ]
    np.testing.assert_allclose(index.scores(query), expected, rtol=1e-3)  # weights are stored in 16 bits


def test_saved_and_loaded_it_answers_the_same(index: Index, tiny_encoder: OpenVinoEncoder) -> None:
    again = Index.open(index.store.folder, encoder=tiny_encoder)
    assert again.search(TEXTS[1]) == index.search(TEXTS[1])


def test_the_same_seed_gives_the_same_vocabulary(model: SparseCoverage, tiny_encoder: OpenVinoEncoder) -> None:
    again = SparseCoverage.fit(patents(), encoder=tiny_encoder, size=40, preset="paper")
    np.testing.assert_array_equal(again.vocabulary.centers, model.vocabulary.centers)
    assert again.vocabulary.anchors == model.vocabulary.anchors


def test_anchors_name_a_span_of_the_collection(model: SparseCoverage) -> None:
    for anchor in model.vocabulary.anchors:
        assert anchor.text
        assert anchor.document in {patent.id for patent in patents()}


def test_an_empty_query_finds_nothing(index: Index) -> None:
    assert index.search("") == []
    assert index.search("... ; !") == []


def test_scoring_is_chosen_when_opening(index: Index, tiny_encoder: OpenVinoEncoder) -> None:
    flat = Index.open(index.store.folder, encoder=tiny_encoder, scoring=ScoringConfig(alpha=0, gamma=0, rho=0))
    hit = flat.search(TEXTS[0])[0]
    explanation = flat.explain(TEXTS[0], hit.passages[0].id)
    assert explanation.matches
    for match in explanation.matches:
        assert match.contribution == pytest.approx(match.query_weight * match.passage_weight)


def test_another_encoder_is_refused_and_both_are_named(index: Index, tmp_path: Path) -> None:
    other = OpenVinoEncoder(write_checkpoint(tmp_path, seed=1), name="another")
    with pytest.raises(MismatchError, match=r"'tiny'.*'another'"):
        Index.open(index.store.folder, encoder=other)


def test_more_centers_than_points_is_an_error_that_counts_them(tiny_encoder: OpenVinoEncoder) -> None:
    with pytest.raises(VocabularyError, match=r"only \d+ distinct points"):
        SparseCoverage.fit(["valve valve valve"], encoder=tiny_encoder, size=1000)


def test_nothing_to_learn_or_index_is_an_error_and_leaves_nothing(
    tiny_encoder: OpenVinoEncoder, model: SparseCoverage, tmp_path: Path
) -> None:
    with pytest.raises(VocabularyError):
        SparseCoverage.fit(["", "..."], encoder=tiny_encoder)
    with pytest.raises(InputError):
        Index.build(tmp_path / "index", model, [])
    assert list(tmp_path.iterdir()) == []


def test_uncovered_spans_are_counted_and_can_be_kept(model: SparseCoverage, tiny_encoder: OpenVinoEncoder) -> None:
    strange = "qzx jjj 987 vvv"
    dropped = model.encode_query(strange)
    keeping = SparseCoverage(tiny_encoder, model.vocabulary, ActivationConfig(assignment="nearest"))
    kept = keeping.encode_query(strange)
    assert dropped.uncovered > 0
    assert kept.uncovered == 0
    assert kept.span_count == dropped.span_count
    assert len(kept) > len(dropped)
