"""Systems behind one registry, and a sweep that survives what one of its rows dies of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_collection import patents

from sparse_coverage import systems
from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.protocol import rank_scores
from sparse_coverage.experiments import indexes
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.comparison import evaluate, evaluate_rows
from sparse_coverage.experiments.evaluation import default_measures, evaluate_variant
from sparse_coverage.experiments.options import SystemOptions, Variant, concerning, row_names, variants
from sparse_coverage.experiments.reproduce import run_experiment
from sparse_coverage.experiments.sweep import Definition
from sparse_coverage.experiments.systems import CombinedSystem, vector_system, word_system
from sparse_coverage.model import SparseCoverage
from sparse_coverage.retrievers import open_retriever
from sparse_coverage.search import Hit, Index
from sparse_coverage.systems import STUDIED, System, get_system

HERE = [name for name in STUDIED if name not in ("splade", "colbert", "colbert-plaid")]  # these fetch their weights


def test_every_system_finds_what_stands_there_word_for_word(bench: Workbench, options: SystemOptions) -> None:
    for name in HERE:
        found = evaluate_variant(bench, Variant(name, options), default_measures(bench.collection))
        assert found.means()["R@100"] == 1.0, name
        # In a handful of documents, those found first lend a query nearly everything; ranks mean little then.
        assert found.means()["MAP"] == 1.0 or get_system(name, "study").preset != "paper", name
        assert found.cost is not None
        assert found.cost > 0


def test_what_is_kept_of_passages_is_made_once(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [make(bench, options).scores(bench.collection.judged[0]) for make in (word_system, vector_system)]

    def forbidden(*_: object) -> None:
        raise AssertionError("the passages were indexed again")

    monkeypatch.setattr(indexes.IndexWriter, "create", forbidden)
    with Workbench(bench.collection, bench.cache, threads=1) as again:
        second = [make(again, options).scores(bench.collection.judged[0]) for make in (word_system, vector_system)]
    np.testing.assert_array_equal(first, second)


def test_the_evaluated_combination_ranks_as_the_one_a_user_holds(
    bench: Workbench, options: SystemOptions, tmp_path: Path
) -> None:
    """The same three parts, once over the scores of all passages and once as an index with hits."""
    chosen = concerning("combined", options)
    model = bench.model(chosen)
    own = SparseCoverage(model.encoder, model.vocabulary, chosen.activation, chosen.scoring)
    Index.build(tmp_path / "index", own, patents(), by="passage")
    retriever = open_retriever(tmp_path / "index", "combined", encoder=model.encoder)
    for query in bench.collection.judged:
        ranking = rank_scores(CombinedSystem(bench, chosen).scores(query), bench.corpus)
        hits = [hit for hit in retriever.search(query.text, len(bench.corpus.documents)) if hit.score > 0]
        assert [hit.document for hit in hits] == list(ranking.documents)
        np.testing.assert_allclose([hit.score for hit in hits], ranking.scores, rtol=1e-5)


def test_what_is_no_candidate_counts_in_no_scale(bench: Workbench, options: SystemOptions) -> None:
    chosen = concerning("combined", options)
    without = replace(bench.collection, excluded={"q0": frozenset({"XX-0-A1"})})
    with Workbench(without, bench.cache, threads=1) as other:
        scores = CombinedSystem(other, chosen).scores(bench.collection.judged[0])
        ranking = rank_scores(scores, other.corpus, without.excluded["q0"])
    assert "XX-0-A1" not in ranking.documents
    assert ranking.scores[0] > 1  # the best of what is left is the best of at least one part


def test_a_row_that_fails_does_not_lose_the_others(
    bench: Workbench, options: SystemOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        Variant("paper", replace(options, size=10_000)),  # more centers than there are spans
        Variant("paper", options),
        Variant("no such system", options),
        Variant("dense", replace(options, encoder="/no/such/encoder")),
        Variant("dense", options),
    ]
    named = dict(zip(row_names(rows), rows, strict=True))
    found = evaluate_rows(bench, named, default_measures(bench.collection), keep_going=True).rows
    assert [bool(one.values) for one in found.values()] == [False, True, False, False, True]
    assert [bool(one.failure) for one in found.values()] == [True, False, True, True, False]
    assert capsys.readouterr().err.count("failed:") == 3


def test_an_interruption_is_not_a_failed_row(
    bench: Workbench, options: SystemOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(systems._BY_NAME, "slow", System("slow", "Slow", study=interrupted))
    rows = {"one": Variant("dense", options), "two": Variant("slow", options)}
    with pytest.raises(KeyboardInterrupt):
        evaluate_rows(bench, rows, default_measures(bench.collection), keep_going=True)


def test_ablations_average_only_what_all_settings_have(bench: Workbench, options: SystemOptions) -> None:
    rows = tuple(
        Variant("paper", replace(options, size=size, k=k), factor="assignment", setting=f"K={k}")
        for k in (3, 5)
        for size in (20, 40, 10_000)
    )
    result = run_experiment(Definition("ablations", "Ablations", rows, "ablations"), bench, "small")
    assert len(result.failures) == 2
    assert "averaged over 2 configurations" in result.table.notes[0]
    means = [
        evaluate_variant(
            bench, Variant("paper", replace(options, size=size, k=3)), default_measures(bench.collection)
        ).means()["MAP"]
        for size in (20, 40)
    ]
    cell = result.table.rows[0][result.table.columns.index("MAP")]
    assert cell.ours == pytest.approx(100 * sum(means) / 2)
    assert cell.paper is None  # the paper's averages are over other configurations


def test_variants_are_every_combination_that_concerns_a_system() -> None:
    settings = {"encoder": ("a", "b"), "unit": ("token", "np"), "size": (5, 9)}
    found = variants(["bm25", "dense", "paper"], settings)
    assert [one.system for one in found].count("bm25") == 1
    assert [one.options.encoder for one in found if one.system == "dense"] == ["a", "b"]
    assert len([one for one in found if one.system == "paper"]) == 8
    assert len({one.named() for one in found}) == len(found)


class Answering:
    """A system of one's own that answers every query with the same documents."""

    def __init__(self, *found: object) -> None:
        self.found = found

    def search(self, queries: str, k: int, *, passages: int = 3) -> list[object]:
        return [Hit(one, "", 1.0, {}, ()) if isinstance(one, str) else one for one in self.found]


def test_a_system_of_ones_own_that_answers_wrongly_is_told_and_not_measured(bench: Workbench) -> None:
    """A document counted twice would make MAP larger than 100; a list of lists is the answer to several texts."""
    with pytest.raises(InputError, match="mine: its answer to query q0 names the document XX-1-A1 twice"):
        evaluate(bench.collection, {"mine": Answering("XX-1-A1", "XX-2-A1", "XX-1-A1")}, "MAP", bench=bench)
    with pytest.raises(InputError, match="returned a list of list for one text"):
        evaluate(bench.collection, {"mine": Answering([])}, "MAP", bench=bench)
    found = evaluate(bench.collection, {"none": Answering(), "one": Answering("XX-1-A1")}, "MAP", bench=bench)
    assert [note for note in found.table().notes if "not answered" in note] == [
        "none: 4 of 4 queries are not answered and counted as 0."
    ]


def test_runs_are_files_by_name_and_no_folder_to_write_into(bench: Workbench) -> None:
    with pytest.raises(InputError, match=r"is no str. Give output=Output\(runs=folder\)"):
        evaluate(bench.collection, "bm25", "MAP", bench=bench, runs="runs")  # type: ignore[arg-type]
