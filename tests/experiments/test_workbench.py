"""One encoding, one traversal, one pass over the documents; and the results are those of the plain way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_collection import TEXTS, patents, small_collection

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding import TokenVectors
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import ModelError
from sparse_coverage.experiments import indexing
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluate import default_measures, evaluate_system, rank_queries
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems.sparse import SparseCoverageSystem
from sparse_coverage.experiments.token_cache import RememberingEncoder
from sparse_coverage.patents import Patent


class Counting:
    """An encoder that counts the texts it is given."""

    def __init__(self, inner: OpenVinoEncoder) -> None:
        self.inner, self.texts = inner, 0
        self.name, self.fingerprint = inner.name, inner.fingerprint
        self.precision, self.dimension, self.tokenize = inner.precision, inner.dimension, inner.tokenize

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        given = list(texts)
        self.texts += len(given)
        return self.inner.encode(given)


def test_a_text_is_encoded_once(tiny_encoder: OpenVinoEncoder, tmp_path: Path) -> None:
    counting = Counting(tiny_encoder)
    texts = [*TEXTS, TEXTS[0], ""]
    first = RememberingEncoder(counting, tmp_path)
    computed = list(first.encode(texts))
    assert counting.texts == len(set(texts))
    again = RememberingEncoder(counting, tmp_path)
    remembered = list(again.encode(texts))
    assert counting.texts == len(set(texts))
    for one, other in zip(computed, remembered, strict=True):
        np.testing.assert_array_equal(one.vectors, other.vectors)
        np.testing.assert_array_equal(one.starts, other.starts)
        np.testing.assert_array_equal(one.ends, other.ends)
        np.testing.assert_array_equal(one.chunks, other.chunks)
    first.close()
    again.close()


def test_beyond_its_budget_the_cache_computes(tiny_encoder: OpenVinoEncoder, tmp_path: Path) -> None:
    counting = Counting(tiny_encoder)
    full = RememberingEncoder(counting, tmp_path, budget=0)
    first, second = list(full.encode(TEXTS)), list(full.encode(TEXTS))
    assert counting.texts == 2 * len(TEXTS)
    np.testing.assert_allclose(first[0].vectors, second[0].vectors, atol=1e-6)
    full.close()


@pytest.mark.parametrize("unit", ["token", "np", "np+token"])
def test_indexes_made_in_one_pass_are_those_made_one_by_one(
    bench: Workbench, options: SystemOptions, tmp_path: Path, unit: str
) -> None:
    base = replace(options, unit=unit, size=12)
    planned = [
        base,
        replace(base, size=6),
        replace(base, k=2),
        replace(base, assignment="hard"),
        replace(base, uncovered="nearest"),
    ]
    bench.plan(planned)
    for number, one in enumerate(planned):
        together = bench.index(one)
        alone = Index.build(tmp_path / f"{number}", bench.model(one), patents())
        assert len(together) == len(alone) == 3 * len(TEXTS)
        np.testing.assert_array_equal(together.store.frequencies, alone.store.frequencies)
        for text in TEXTS:
            vector = bench.model(one).encode_query(text)
            np.testing.assert_allclose(together.scores(vector), alone.scores(vector), rtol=1e-4)
        alone.store.close()


def test_one_traversal_serves_all_sizes(bench: Workbench, options: SystemOptions) -> None:
    sizes = (10, 20, 40)
    bench.plan(replace(options, size=size) for size in sizes)
    vocabularies = [bench.model(replace(options, size=size)).vocabulary for size in sizes]
    np.testing.assert_array_equal(vocabularies[0].centers, vocabularies[2].centers[:10])
    assert len(list((bench.cache / "vocabularies").glob("*/farthest-first-*"))) == 1
    alone = SparseCoverage.fit(patents(), encoder=bench.encoder(options.encoder), size=20)
    np.testing.assert_array_equal(vocabularies[1].centers, alone.vocabulary.centers)
    np.testing.assert_allclose(vocabularies[1].radii, alone.vocabulary.radii, rtol=1e-6)


def test_scoring_settings_share_one_index(bench: Workbench, options: SystemOptions) -> None:
    for alpha in (0.0, 1.0, 3.0):
        bench.index(replace(options, alpha=alpha))
    assert len(list((bench.cache / "indexes").iterdir())) == 1


def test_a_pass_that_was_interrupted_goes_on_and_ends_the_same(
    bench: Workbench, options: SystemOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "SECONDS_BETWEEN_COMMITS", 0.0)
    monkeypatch.setattr(indexing, "_GROUP", 10)
    models = {tmp_path / f"{size}": bench.model(replace(options, size=size)) for size in (10, 40)}
    encoder = bench.encoder(options.encoder)

    def failing() -> Iterator[Patent]:
        for number, patent in enumerate(patents()):
            if number == 4:
                raise KeyboardInterrupt
            yield patent

    with pytest.raises(KeyboardInterrupt):
        indexing.build_indexes(models, encoder, failing(), "passage")
    assert not any(indexing.is_complete(folder) for folder in models)
    indexing.build_indexes(models, encoder, patents(), "passage")
    for folder, model in models.items():
        index = Index.open(folder, encoder=encoder)
        assert [index.store.document(n).id for n in range(len(TEXTS))] == [patent.id for patent in patents()]
        whole = Index.build(tmp_path / f"whole-{folder.name}", model, patents())
        vector = model.encode_query(TEXTS[0])
        np.testing.assert_allclose(index.scores(vector), whole.scores(vector), rtol=1e-4)
        index.store.close()
        whole.store.close()


def test_scores_and_hits_of_one_index_rank_alike(bench: Workbench, options: SystemOptions) -> None:
    system = SparseCoverageSystem(bench, options)
    by_scores, costs = rank_queries(bench, system)
    by_hits, _ = rank_queries(bench, system.index)
    assert len(costs) == len(by_scores) == 4
    for query, ranking in by_scores.items():
        assert ranking.documents == by_hits[query].documents
        assert ranking.passages == by_hits[query].passages


def test_the_cost_is_what_the_index_counts(bench: Workbench, options: SystemOptions) -> None:
    system = SparseCoverageSystem(bench, options)
    for query in bench.collection.judged:
        assert system.cost(query.id) == system.index.profile(query.text)[1].postings


def test_an_evaluation_is_found_again(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = default_measures(bench.collection)
    first = evaluate_system(bench, "paper", options, measures)
    assert first.means()["R@100"] == 1.0
    monkeypatch.setattr(Workbench, "index", lambda *_: pytest.fail("the index was asked for again"))
    again = evaluate_system(bench, "paper", options, measures)
    assert again.values == first.values
    assert again.cost == first.cost


def test_other_judgements_are_another_evaluation(bench: Workbench, tmp_path: Path) -> None:
    collection = small_collection()
    fewer = replace(collection, judgements={"q0": collection.judgements["q0"]})
    assert Workbench(fewer, tmp_path).fingerprint != bench.fingerprint
    assert Workbench(small_collection(), tmp_path).fingerprint == bench.fingerprint


def test_an_encoder_that_is_not_there_is_looked_for_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def missing(name: str, **_: object) -> None:
        calls.append(name)
        raise ModelError("not here")

    monkeypatch.setattr("sparse_coverage.experiments.bench.load_encoder", missing)
    for _ in range(3):
        with pytest.raises(ModelError):
            bench.encoder("absent")
    assert calls == ["absent"]


def test_a_vocabulary_can_be_learned_from_other_patents(
    bench: Workbench, options: SystemOptions, tmp_path: Path
) -> None:
    """As in the paper: centers come from another corpus, and what was learned from the collection is not mixed up with it."""
    path = tmp_path / "others.jsonl"
    records = [{"id": f"YY-{n}-A1", "abstract": f"A kettle number {n} with a lid and a whistle."} for n in range(9)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    own = evaluate_system(bench, "paper", options, default_measures(bench.collection))
    with Workbench(small_collection(), bench.cache, threads=1, learn_from=[str(path)]) as other:
        vocabulary = other.model(options).vocabulary
        assert {anchor.document for anchor in vocabulary.anchors} <= {record["id"] for record in records}
        found = evaluate_system(other, "paper", options, default_measures(bench.collection))
        assert found.cost != own.cost
    assert {anchor.document for anchor in bench.model(options).vocabulary.anchors} <= {p.id for p in patents()}
