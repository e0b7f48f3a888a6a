"""Systems behind one registry, and a sweep that survives what one of its rows dies of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_collection import TEXTS, patents

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.corpus import corpus_passages
from sparse_coverage.evaluation.protocol import rank_scores
from sparse_coverage.experiments import systems
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition, Row
from sparse_coverage.experiments.evaluate import default_measures, evaluate_system, label, variants
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.reproduce import run_experiment
from sparse_coverage.experiments.sweep import run_rows
from sparse_coverage.experiments.systems import SYSTEMS, System, get_system
from sparse_coverage.experiments.systems.baselines import bm25_system, dense_system
from sparse_coverage.experiments.systems.sparse import HybridSystem
from sparse_coverage.retrievers import Baseline, Bm25, Dense, Fuse

HERE = [name for name in SYSTEMS if name not in ("splade", "colbert", "colbert-plaid")]  # these fetch their weights


def test_every_system_finds_what_stands_there_word_for_word(bench: Workbench, options: SystemOptions) -> None:
    pytest.importorskip("Stemmer")
    for name in HERE:
        found = evaluate_system(bench, name, options, default_measures(bench.collection))
        assert found.means()["R@100"] == 1.0, name
        # In a handful of documents, those found first lend a query nearly everything; ranks mean little then.
        assert found.means()["MAP"] == 1.0 or get_system(name).preset != "paper", name
        assert found.cost is not None
        assert found.cost > 0


def test_bm25_scores_are_those_of_the_library(bench: Workbench, options: SystemOptions) -> None:
    bm25s = pytest.importorskip("bm25s")
    stemmer = pytest.importorskip("Stemmer").Stemmer("english")
    texts = [unit.text for unit in corpus_passages(patents(), "passage")]
    reference = bm25s.BM25()
    reference.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    query = bm25s.tokenize([TEXTS[0]], stopwords="en", stemmer=stemmer, show_progress=False)
    hits, scores = reference.retrieve(query, k=5, show_progress=False)
    ours = bm25_system(bench, options).scores("q0")
    np.testing.assert_allclose(ours[hits[0][scores[0] > 0]], scores[0][scores[0] > 0], rtol=1e-6)


def test_dense_scores_are_cosines_of_pooled_vectors(bench: Workbench, options: SystemOptions) -> None:
    system = dense_system(bench, options)
    texts = [unit.text for unit in corpus_passages(patents(), "passage")]
    vectors = np.stack(list(Dense(options.encoder).encoder.vectors(texts)))
    query = Dense(options.encoder).encoder.chunk_vectors(TEXTS[0])
    np.testing.assert_allclose(system.scores("q0"), (vectors @ query.T).max(axis=1), atol=1e-5)
    assert system.cost("q0") == len(texts)


def test_what_a_baseline_keeps_is_made_once(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = dense_system(bench, options).scores("q0")

    def forbidden(*_: object) -> None:
        raise AssertionError("the passages were encoded again")

    monkeypatch.setattr(Dense, "rows", forbidden)
    np.testing.assert_array_equal(dense_system(bench, options).scores("q0"), first)


def test_the_evaluated_fusion_ranks_as_the_one_a_user_holds(bench: Workbench, options: SystemOptions) -> None:
    """The same three parts, once over the scores of all units and once as retrievers with hits."""
    pytest.importorskip("Stemmer")
    store = bench.cache / "stores"
    index = bench.index(options)
    for query in bench.collection.judged:
        ranking = rank_scores(HybridSystem(bench, options).scores(query.id), bench.corpus)
        fused = Fuse(
            index,
            Baseline.build(store / f"{query.id}-bm25", Bm25(), patents()),
            Baseline.build(store / f"{query.id}-dense", Dense(options.encoder), patents()),
        )
        hits = fused.search(query.text, len(bench.corpus.documents))
        assert [hit.document for hit in hits] == list(ranking.documents)
        np.testing.assert_allclose([hit.score for hit in hits], ranking.scores)


def test_a_row_that_fails_does_not_lose_the_others(
    bench: Workbench, options: SystemOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        Row("paper", replace(options, size=10_000)),  # more centers than there are spans
        Row("paper", options),
        Row("no such system", options),
        Row("dense", replace(options, encoder="/no/such/encoder")),
        Row("dense", options),
    ]
    outcomes = run_rows(bench, rows, default_measures(bench.collection))
    assert [bool(outcome.evaluation) for outcome in outcomes] == [False, True, False, False, True]
    assert all(outcome.failure for outcome in outcomes if not outcome.evaluation)
    assert capsys.readouterr().err.count("failed:") == 3


def test_a_bug_in_a_system_is_a_failed_row_too(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(systems.SYSTEMS, "broken", System(lambda bench, options: 1 / 0))
    [outcome] = run_rows(bench, [Row("broken", options)], default_measures(bench.collection))
    assert "ZeroDivisionError" in outcome.failure


def test_an_interruption_is_not_a_failed_row(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(systems.SYSTEMS, "slow", System(interrupted))
    with pytest.raises(KeyboardInterrupt):
        run_rows(bench, [Row("dense", options), Row("slow", options)], default_measures(bench.collection))


def test_ablations_average_only_what_all_settings_have(bench: Workbench, options: SystemOptions) -> None:
    rows = tuple(
        Row("paper", replace(options, size=size, k=k), factor="assignment", setting=f"K={k}")
        for k in (3, 5)
        for size in (20, 40, 10_000)
    )
    result = run_experiment(Definition("ablations", "Ablations", rows, "ablations"), bench, "small")
    assert len(result.failures) == 2
    assert "averaged over 2 configurations" in result.table.notes[0]
    means = [
        evaluate_system(bench, "paper", replace(options, size=size, k=3), default_measures(bench.collection)).means()[
            "MAP"
        ]
        for size in (20, 40)
    ]
    cell = result.table.rows[0][result.table.columns.index("MAP")]
    assert cell.ours == pytest.approx(100 * sum(means) / 2)
    assert cell.paper is None  # the paper's averages are over other configurations


def test_variants_are_every_combination_that_concerns_a_system() -> None:
    settings = {"encoder": ("a", "b"), "unit": ("token", "np"), "size": (5, 9)}
    found = variants(["bm25", "dense", "paper"], settings)
    assert [system for system, _ in found].count("bm25") == 1
    assert [options.encoder for system, options in found if system == "dense"] == ["a", "b"]
    assert len([system for system, _ in found if system == "paper"]) == 8
    assert len({label(*one) for one in found}) == len(found)


def test_an_unknown_system_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="paper, default, bm25"):
        get_system("magic")
