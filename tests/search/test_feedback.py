"""What marks lend a query; explanations still add up. And the settings of the score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparse_coverage import ActivationConfig, Index, Preset, ScoringConfig, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.index.filters import published
from sparse_coverage.patents import Paragraph, Patent
from sparse_coverage.presets import PRESETS
from sparse_coverage.search.feedback import Marks

TEXTS = [
    "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "A pump housing with a sensor for noise of the pump.",
    "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "Method of reducing noise in a headset by means of a microphone and a filter.",
    "A plunger biased by a spring seals the housing of the pump.",
    "A sensor device for noise and a method of sensing it.",
]
QUERY = "A valve with a plunger and a spring in the housing of a pump"
SCORING = ScoringConfig(smoothing=5.0)
MARKS = Marks(relevant=("XX-0-A1", "XX-4-A1"))


def patent(number: int) -> Patent:
    abstract = (Paragraph(TEXTS[number], "/patent-document/abstract/p[1]"),)
    return Patent(id=f"XX-{number}-A1", title="", abstract=abstract, publication_date=f"200{number}-06-15")


@pytest.fixture(scope="module")
def model(tiny_encoder: OpenVinoEncoder) -> SparseCoverage:
    preset = Preset(1, ActivationConfig(k=4, assignment="nearest", repeats=0.5), SCORING)
    return SparseCoverage.fit(TEXTS, encoder=tiny_encoder, size=50, preset=preset)


@pytest.fixture(scope="module")
def index(model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("feedback") / "index"
    return Index.build(folder, model, [patent(number) for number in range(len(TEXTS))]).ranked_by("centers")


def test_a_unit_s_vector_comes_back_from_the_lists(index: Index, model: SparseCoverage) -> None:
    [segment] = index.store.segments
    for number, vector in enumerate(model.encode_document(TEXTS)):
        centers, weights = segment.passage_vector(number)
        kept = np.isin(vector.centers, centers)  # a weight that rounds to nothing is not kept
        assert (vector.weights[~kept] < 1 / 65_535).all()
        assert centers.tolist() == vector.centers[kept].tolist()
        assert np.abs(weights - vector.weights[kept]).max() < 1 / 65_535


def test_explanations_add_up_to_the_score_and_name_the_lender(index: Index) -> None:
    lent = 0
    for condition in (None, published(before="2004")):
        for hit in index.search(QUERY, 6, filter=condition, marks=MARKS):
            for passage in hit.passages:
                explained = index.explain(QUERY, passage.id, filter=condition, marks=MARKS)
                assert sum(match.contribution for match in explained.matches) == pytest.approx(passage.score, rel=1e-5)
                for match in explained.matches:
                    if match.lender:
                        lent += 1
                        number = int(match.lender.split("-")[1])
                        assert TEXTS[number][match.query.start : match.query.end] == match.query.text
                        assert number in (0, 4)
                    else:
                        assert QUERY[match.query.start : match.query.end] == match.query.text
    assert lent


def test_one_query_and_a_batch_agree(index: Index) -> None:
    alone = [(hit.document, hit.score) for hit in index.search(QUERY, 6)]
    [together] = index.search([QUERY], 6)
    assert [(hit.document, hit.score) for hit in together] == alone
    [[first]] = index.search_passages([QUERY], 1)
    assert first.score == pytest.approx(alone[0][1])


def test_repeated_words_of_a_query_count_more_and_those_of_a_document_do_not(model: SparseCoverage) -> None:
    text = "spring spring spring"
    query, document = model.encode_query(text), model.encode_document(text)
    assert query.centers.tolist() == document.centers.tolist()
    assert (query.weights >= document.weights).all()
    assert (query.weights > document.weights).any()


def test_a_model_keeps_its_preset(model: SparseCoverage, tmp_path: Path, tiny_encoder: OpenVinoEncoder) -> None:
    model.save(tmp_path / "model")
    again = SparseCoverage.load(tmp_path / "model", encoder=tiny_encoder)
    assert (again.scoring, again.activation) == (model.scoring, model.activation)
    assert again.encode_query(QUERY).as_dict() == model.encode_query(QUERY).as_dict()


def test_the_paper_s_preset_is_the_paper_s() -> None:
    assert PRESETS["paper"] == Preset(
        None,
        ActivationConfig(5, "soft", 0.0),
        ScoringConfig(2.0, 0.5, 0.01, 0.0),
        without=("words", "vectors"),
    )


def test_settings_that_mean_nothing_are_refused(tiny_encoder: OpenVinoEncoder) -> None:
    with pytest.raises(InputError, match="smoothing"):
        ScoringConfig(smoothing=-1)
    with pytest.raises(InputError, match=r"no preset 'precision'.*paper, default"):
        SparseCoverage.fit(TEXTS, encoder=tiny_encoder, preset="precision")
