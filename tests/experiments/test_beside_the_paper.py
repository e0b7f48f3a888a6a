"""The paper's values stand beside rows of the same system, encoder, unit, V and collection, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_collection import papers_collection, small_collection

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluation import Evaluation
from sparse_coverage.experiments.options import SystemOptions, Variant
from sparse_coverage.experiments.paper import (
    notes_on_the_paper,
    other_collection,
    paper_values,
    papers_ablations,
    reason,
)
from sparse_coverage.experiments.sweep import Definition, load_definition
from sparse_coverage.experiments.tables import ablation_table
from sparse_coverage.present.tables import TableCell

PAPER = SystemOptions(encoder="paecter", unit="np", size=20_000)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (replace(PAPER, encoder="minilm"), "another encoder (MiniLM)"),
        (replace(PAPER, encoder="some/other"), "another encoder (some/other)"),
        (replace(PAPER, size=15_000), "another V (15,000)"),
        (replace(PAPER, size=None), "another V"),
        (replace(PAPER, alpha=3.0), "other settings (alpha)"),
        (replace(PAPER, rank="top-mean:3", k=4), "other settings (k, rank)"),
    ],
)
def test_another_row_has_no_values_and_says_what_differs(options: SystemOptions, cause: str) -> None:
    row = Variant("paper", options)
    assert cause in reason(row)
    assert paper_values(row, papers_collection()) == {}
    [note] = notes_on_the_paper([row, Variant("bm25", SystemOptions())], papers_collection(), learned_here=False)
    assert "1 of 2 rows" in note
    assert cause in note


@pytest.mark.parametrize("encoder", ["paecter", "mpi-inno-comp/paecter"])
@pytest.mark.parametrize("unit", ["np", "np[spacy:en_core_sci_lg]", "np[spacy-raw:en_core_sci_lg]"])
def test_a_hub_id_and_the_papers_own_tagger_keep_the_values(encoder: str, unit: str) -> None:
    row = Variant("paper", replace(PAPER, encoder=encoder, unit=unit))
    assert paper_values(row, papers_collection()) == paper_values(Variant("paper", PAPER), papers_collection()) != {}
    notes = notes_on_the_paper([row], papers_collection(), learned_here=False)
    assert any("our own tagger" in note for note in notes) == (unit == "np")


def test_other_seeds_are_the_same_configuration() -> None:
    assert paper_values(Variant("paper", replace(PAPER, seed=4, max_documents=300_000)), papers_collection())


@pytest.mark.parametrize("system", ["default", "combined"])
def test_other_systems_never_stand_beside_the_papers_method(system: str) -> None:
    assert "not the paper's" in reason(Variant(system, PAPER))
    assert not paper_values(Variant(system, PAPER), papers_collection())


def test_baselines_by_another_rule_have_no_values() -> None:
    assert paper_values(Variant("bm25", SystemOptions()), papers_collection())
    assert paper_values(Variant("colbert-plaid", SystemOptions()), papers_collection())["R@100"] == 71.28
    assert "exact MaxSim" in reason(Variant("colbert", SystemOptions()))
    assert not paper_values(Variant("colbert", SystemOptions()), papers_collection())
    assert not paper_values(Variant("bm25", SystemOptions(rank="top-mean:3")), papers_collection())
    assert not paper_values(Variant("dense", SystemOptions(encoder="minilm")), papers_collection())
    assert paper_values(Variant("dense", SystemOptions(encoder="allenai/specter2_base")), papers_collection())


def test_another_collection_or_pool_has_no_values_at_all() -> None:
    row = Variant("paper", PAPER)
    for collection, cause in (
        (small_collection(), "small, not CLEF-IP 2013"),
        (papers_collection(candidates=100), "100 candidates, not 25,000"),
        (papers_collection(topics=5), "5 topics, not 48"),
    ):
        assert cause in other_collection(collection)
        assert not paper_values(row, collection)
        [note] = notes_on_the_paper([row], collection, learned_here=True)
        assert cause in note


def test_where_the_vocabulary_comes_from_is_told() -> None:
    assert any(
        "300,000" in note
        for note in notes_on_the_paper([Variant("paper", PAPER)], papers_collection(), learned_here=True)
    )
    assert not notes_on_the_paper([Variant("bm25", SystemOptions())], papers_collection(), learned_here=True)


def test_ablations_need_all_twenty_configurations() -> None:
    full = {(r.options.encoder, r.options.unit, r.options.size) for r in load_definition("ablations").rows}
    assert papers_ablations(full) == ""
    assert "1 configurations of MiniLM" in papers_ablations({("minilm", "token", 500)})
    assert "19 configurations" in papers_ablations(full - {("paecter", "np", 10_000)})


def _ablated(bench: Workbench, encoder: str, sizes: tuple[int, ...]) -> dict[tuple[str, str], TableCell]:
    """The table of settings that all have the same values, but for alpha 0, which is worse for every query."""
    measures = ("R@100", "MAP", "PRES@100")
    rows = []
    for row in load_definition("ablations", changes={"size": sizes, "encoder": (encoder, "patentmap")}).rows:
        value = 0.2 if (row.factor, row.setting) == ("alpha", "0") else 0.6
        queries = {query.id: value + 0.001 * place for place, query in enumerate(bench.collection.judged)}
        values = dict.fromkeys(measures, queries)
        rows.append(Evaluation(row, values, 1.0))
    table, tests = ablation_table(Definition("ablations", "Ablations", ()), bench, rows)
    assert len(tests) == 11 * len(measures)
    return {(str(row[0]), str(row[1])): row[2] for row in table.rows if isinstance(row[2], TableCell)}


def test_the_ablation_table_has_intervals_tests_and_the_papers_values_where_they_belong(bench: Workbench) -> None:
    bench.collection = papers_collection()
    sizes = (10_000, 20_000, 30_000, 40_000, 50_000)
    cells = _ablated(bench, "paecter", sizes)
    assert cells["alpha", "2 ★"].paper == 92.39
    assert cells["alpha", "2 ★"].p is None
    assert cells["alpha", "0"].is_significant
    assert not cells["gamma", "0"].is_significant
    low, high = cells["alpha", "0"].interval or (0, 0)
    assert low < (cells["alpha", "0"].ours or 0) < high
    assert all(cell.paper is None for cell in _ablated(bench, "minilm", sizes).values())
    assert all(cell.paper is None for cell in _ablated(bench, "paecter", (10_000,)).values())
