"""Marks: what is relevant lends the query its centers, what is not takes some away; explanations still add up."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from sparse_coverage import ActivationConfig, Index, Preset, ScoringConfig, SparseCoverage
from sparse_coverage.cli import cli
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import InputError
from sparse_coverage.retrievers import Fuse
from sparse_coverage.search import Marks
from sparse_coverage.search.feedback import LENT, TAKEN, with_marks
from sparse_coverage.workspace import Marked, SearchRequest

TEXTS = {
    "XX-0-A1": "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "XX-1-A1": "A pump housing with a sensor for noise of the pump.",
    "XX-2-A1": "Rubber device wherein the rubber is vulcanised at 150 degrees.",
    "XX-3-A1": "Method of reducing noise in a headset by means of a microphone and a filter.",
    "XX-4-A1": "A plunger biased by a spring seals the housing of the pump.",
    "XX-5-A1": "A sensor device for noise and a method of sensing it.",
}
QUERY = "A valve with a plunger and a spring in the housing of a pump"


@pytest.fixture(scope="module")
def index(tiny_encoder: OpenVinoEncoder, tmp_path_factory: pytest.TempPathFactory) -> Index:
    preset = Preset(1, ActivationConfig(k=4, assignment="nearest"), ScoringConfig(smoothing=5.0))
    model = SparseCoverage.fit(list(TEXTS.values()), encoder=tiny_encoder, size=50, preset=preset)
    return Index.build(tmp_path_factory.mktemp("marks") / "index", model, TEXTS.items()).ranked_by("centers")


def scores(index: Index, marks: Marks | None = None) -> dict[str, float]:
    return {hit.document: hit.score for hit in index.search(QUERY, 10, marks=marks)}


def test_what_is_marked_as_relevant_rises_and_what_is_not_falls(index: Index) -> None:
    def share(marks: Marks | None, document: str) -> float:
        found = scores(index, marks)
        return found.get(document, 0.0) / sum(found.values())

    for document in ("XX-2-A1", "XX-3-A1", "XX-5-A1"):
        assert share(Marks(relevant=(document,)), document) > share(None, document)
    for document in ("XX-0-A1", "XX-1-A1", "XX-4-A1"):
        assert share(Marks(not_relevant=(document,)), document) < share(None, document)


def test_no_marks_change_nothing(index: Index) -> None:
    assert scores(index, Marks()) == scores(index)


def test_what_is_lent_is_worth_what_was_agreed_and_no_weight_goes_below_nothing(index: Index) -> None:
    ranker, vector = index.explanations.ranker, index.model.encode_query([QUERY])[0]
    worth = ranker.statistics.worth
    own = (vector.weights * worth[vector.centers]).sum()
    more = with_marks(ranker, vector, Marks(relevant=("XX-3-A1", "XX-5-A1"))).vector
    assert (more.weights * worth[more.centers]).sum() == pytest.approx((1 + LENT) * own, rel=1e-5)

    less = with_marks(ranker, vector, Marks(not_relevant=("XX-1-A1",))).vector
    assert (less.weights > 0).all()
    before = dict(zip(vector.centers.tolist(), vector.weights.tolist(), strict=True))
    assert all(
        weight <= before[center] for center, weight in zip(less.centers.tolist(), less.weights.tolist(), strict=True)
    )
    lost = own - (less.weights * worth[less.centers]).sum()
    assert 0 < lost <= TAKEN * own * (1 + 1e-5)


def test_a_single_passage_can_be_marked(index: Index) -> None:
    whole = index.search(QUERY, 1)[0].passages[0]
    assert scores(index, Marks(relevant=(whole.id,))) == scores(index, Marks(relevant=(whole.document,)))


def test_wrong_marks_are_refused(index: Index) -> None:
    with pytest.raises(InputError, match="XX-9-A1"):
        index.search(QUERY, marks=Marks(relevant=("XX-9-A1",)))
    with pytest.raises(InputError, match="XX-1-A1: marked as relevant and as not relevant"):
        Marks(("XX-1-A1",), ("XX-1-A1",))


def test_the_command_takes_marks_and_says_so(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(index.store.folder)
    monkeypatch.setattr(SparseCoverage, "load", lambda *_, **__: index.model)
    done = CliRunner().invoke(
        cli,
        ["search", folder, QUERY, "--ranking", "centers", "--relevant", "XX-3-A1", "--json"],
        catch_exceptions=False,
    )
    found = json.loads(done.stdout)
    assert {hit["document"]: hit["score"] for hit in found["hits"]} == pytest.approx(
        scores(index, Marks(relevant=("XX-3-A1",))), rel=1e-6
    )
    assert found["about"]["settings"]["relevant"] == ["XX-3-A1"]
    assert "not-relevant" not in found["about"]["settings"]
    assert np.all([one["score"] > 0 for one in found["hits"]])


def test_marks_are_refused_where_no_centers_rank(index: Index) -> None:
    other = Fuse(index, index)
    with pytest.raises(InputError, match="Fuse does not rank by them"):
        other.search_explained(QUERY, 3, passages=1, marks=Marks(relevant=("XX-3-A1",)))
    with pytest.raises(InputError, match="words does not rank by them"):
        SearchRequest(query=QUERY, ranking="words", marks=Marked(relevant=("XX-3-A1",)))
