"""Vectors of whole passages by another encoder than that of the centers: `index --vectors NAME`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import write_checkpoint

from sparse_coverage import Index, SparseCoverage, load_encoder
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.search.building import learn_for
from sparse_coverage.search.own_model import damaged_model_files, require_fit
from sparse_coverage.search.part_scores import VectorScores
from sparse_coverage.spans.span import normalise

TEXTS = {
    "XX-1-A1": "A valve comprising a spring and a plunger. The plunger closes the valve.",
    "XX-2-A1": "A pump housing with a sensor for noise of the pump.",
    "XX-3-B1": "A plunger biased by a spring seals the housing of the pump.",
}
QUERY = "a plunger and a spring in the housing of a pump"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of another encoder, with vectors of another length."""
    return write_checkpoint(tmp_path_factory.mktemp("other"), seed=5, hidden_size=64, intermediate_size=128)


@pytest.fixture(scope="module")
def model(tiny_checkpoint: Path) -> SparseCoverage:
    return SparseCoverage.fit(list(TEXTS.values()), encoder=load_encoder(str(tiny_checkpoint), threads=1), size=20)


@pytest.fixture(scope="module")
def index(model: SparseCoverage, other: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    with_other = model.with_vectors_of(load_encoder(str(other), threads=1))
    return Index.build(tmp_path_factory.mktemp("vectors") / "index", with_other, list(TEXTS.items()))


def test_vectors_are_those_of_the_other_encoder_and_centers_are_as_before(
    index: Index, model: SparseCoverage, other: Path, tmp_path: Path
) -> None:
    encoder = load_encoder(str(other), threads=1)
    texts = np.concatenate([normalise(one.chunk_totals()) for one in encoder.encode(TEXTS.values())])
    [asked] = [normalise(one.chunk_totals()) for one in encoder.encode([QUERY])]
    assert index.store.state.dimension == 64
    np.testing.assert_allclose(VectorScores(index.store).scores(asked), np.maximum(texts @ asked[0], 0), atol=0.01)
    reopened = Index.open(index.store.folder)
    for document, expected in zip(TEXTS, (texts @ asked[0]).tolist(), strict=True):
        found = {hit.document: hit.score for hit in reopened.search(QUERY, ranking="vectors")}
        assert found.get(document, 0.0) == pytest.approx(max(expected, 0), abs=0.01)
    plain = Index.build(tmp_path / "plain", model, list(TEXTS.items()))
    for ranking in ("centers", "words"):
        assert reopened.search(QUERY, ranking=ranking) == plain.search(QUERY, ranking=ranking)


def test_what_was_encoded_to_learn_the_centers_gets_the_vectors_of_the_other_encoder_too(
    index: Index, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    target, other = tmp_path / "index", index.model.vectors
    assert other is not None
    documents, encoder = list(TEXTS.items()), load_encoder(str(tiny_checkpoint), threads=1)
    found = Index.build(
        target,
        lambda: learn_for(target, documents, encoder=encoder, by="passage").with_vectors_of(other),
        documents,
        by="passage",
    )
    expected = [(hit.document, hit.score) for hit in index.search(QUERY, ranking="vectors")]
    assert [(hit.document, hit.score) for hit in found.search(QUERY, ranking="vectors")] == expected


def test_the_command_builds_and_adds_with_it(run: Run, model: SparseCoverage, other: Path, tmp_path: Path) -> None:
    lines = [json.dumps({"id": id_, "abstract": text}) + "\n" for id_, text in TEXTS.items()]
    (tmp_path / "all.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
    (tmp_path / "more.jsonl").write_text(lines[2], encoding="utf-8")
    model.save(tmp_path / "model")
    target, wished = tmp_path / "index", ["--model", tmp_path / "model", "--vectors", other]
    assert run("index", tmp_path / "all.jsonl", "-o", target, *wished)[0] == 0
    assert run("index", "add", target, tmp_path / "more.jsonl")[0] == 0
    assert run("index", "verify", target)[0] == 0
    found = Index.open(target)
    assert found.store.state.dimension == 64
    assert {hit.document for hit in found.search(TEXTS["XX-3-B1"], 1, ranking="vectors")} == {"XX-3-B1"}


def test_vectors_that_are_not_kept_cannot_be_asked_for(run: Run, index: Index, other: Path, tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text(json.dumps({"id": "A", "abstract": "A valve."}), encoding="utf-8")
    status, _, err = run(
        "index", tmp_path / "all.jsonl", "-o", tmp_path / "index", "--vectors", other, "--without", "vectors"
    )
    assert (status, "Give one of the two" in err) == (1, True)
    with pytest.raises(InputError, match="none are to be kept"):
        Index.build(tmp_path / "index", index.model, ["A valve."], without=["vectors"])


def test_the_model_beside_an_index_must_name_the_same_encoder(index: Index, model: SparseCoverage) -> None:
    assert damaged_model_files(index.store.folder) == []
    with pytest.raises(MismatchError, match="the model is"):
        require_fit(index.store.folder, index.store.state, model)


def test_how_close_a_hit_is_was_not_measured_for_other_vectors(index: Index) -> None:
    assert index.closeness(QUERY, ["XX-1-A1"]) == {}
