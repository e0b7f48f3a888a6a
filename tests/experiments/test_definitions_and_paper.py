"""The experiments as their files describe them, and the paper's values as data: consistent with each other."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from small_collection import papers_collection

from sparse_coverage.cli import evaluate
from sparse_coverage.cli.options.research import CollectionOptions, Means
from sparse_coverage.errors import InputError
from sparse_coverage.experiments.options import NAMES as NAMES_OF_OPTIONS
from sparse_coverage.experiments.options import SystemOptions, Variant, variants
from sparse_coverage.experiments.paper import paper_table, paper_values
from sparse_coverage.experiments.provenance import methods
from sparse_coverage.experiments.sweep import NAMES, Definition, Result, load_definition, row_command
from sparse_coverage.present.tables import Table


def test_the_grid_of_the_paper_has_45_rows_and_every_one_has_its_values() -> None:
    rows = load_definition("full").rows
    assert len(rows) == 45
    measures = {"R@100", "MAP", "PRES@100", "MAP(D)", "PassageR@1000"}
    assert all(set(paper_values(row, papers_collection())) == measures for row in rows)


def test_the_main_table_has_the_rows_of_the_paper() -> None:
    rows = load_definition("main").rows
    assert len(rows) == len(paper_table("main")) == 11
    assert all(paper_values(row, papers_collection()) for row in rows)


def test_the_selected_rows_are_rows_of_the_full_table() -> None:
    full = paper_table("full")
    selected = {name: values for name, values in paper_table("main").items() if name in full}
    assert len(selected) == 4
    assert all(full[name] == values for name, values in selected.items())


def test_the_ablation_defaults_are_the_means_of_the_full_table() -> None:
    """The paper averages PaECTER and PatentMap, tokens and noun phrases, over five sizes: the starred rows must follow."""
    rows = [row for row in load_definition("ablations").rows if row.setting == "K=5"]
    assert len(rows) == 20
    full = [paper_table("full")[f"{r.options.encoder} {r.options.unit} {r.options.size}"] for r in rows]
    for name in ("assignment K=5", "alpha 2", "gamma 0.5"):
        for measure, value in paper_table("ablations")[name].items():
            assert sum(row[measure] for row in full) / 20 == pytest.approx(value, abs=0.006)


def test_the_ablations_are_those_of_the_paper() -> None:
    rows = load_definition("ablations").rows
    assert {f"{row.factor} {row.setting}" for row in rows} == set(paper_table("ablations"))
    hard = [row for row in rows if row.setting == "hard"]
    assert all(row.options.assignment == "hard" for row in hard)
    assert {row.options.gamma for row in rows} == {0.0, 0.5, 1.0, 2.0}


def test_the_dataset_table_adds_up() -> None:
    table = paper_table("statistics")
    assert table["passages"]["first"] / table["documents"]["first"] == pytest.approx(81.7, abs=0.05)
    assert table["passage_judgements"]["first"] / 48 == pytest.approx(67.5, abs=0.05)
    for whole, part, rest in (
        ("documents", "relevant_documents", "other_documents"),
        ("passages", "relevant_document_passages", "other_document_passages"),
    ):
        assert table[part]["first"] + table[rest]["first"] == table[whole]["first"]


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_has_a_small_form_that_needs_only_minilm(name: str) -> None:
    rows = load_definition(name, small=True).rows
    assert {row.options.encoder for row in rows} <= {"minilm"}
    assert name == "lengths" or rows


def test_lists_are_written_out_and_can_be_replaced() -> None:
    rows = load_definition("full", changes={"encoder": ("minilm",), "size": (7, 9)}).rows
    assert [(row.options.encoder, row.options.unit, row.options.size) for row in rows][:3] == [
        ("minilm", "token", 7),
        ("minilm", "token", 9),
        ("minilm", "np", 7),
    ]
    assert not any(paper_values(row, papers_collection()) for row in rows)


def test_an_experiment_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "Mine"\n[[rows]]\nsystem = "paper"\nsize = [5]\nrho = [0.0, 0.05]\n', encoding="utf-8")
    definition = load_definition(str(path), seed=3)
    assert [(row.options.rho, row.options.seed) for row in definition.rows] == [(0.0, 3), (0.05, 3)]
    assert definition.name == "mine"
    path.write_text('[[rows]]\nsystem = ["bm25", "dense", "combined"]\ngroup = "All"\n', encoding="utf-8")
    assert [(row.system, row.group) for row in load_definition(str(path)).rows] == [
        ("bm25", "All"),
        ("dense", "All"),
        ("combined", "All"),
    ]


def test_of_several_systems_each_takes_the_settings_that_it_reads(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[rows]]\nsystem = ["bm25", "paper"]\nsize = [5, 6]\nk1 = 0.9\n', encoding="utf-8")
    rows = load_definition(str(path)).rows
    assert [(row.system, row.options.size, row.options.k1) for row in rows] == [
        ("bm25", SystemOptions().size, 0.9),
        ("paper", 5, SystemOptions().k1),
        ("paper", 6, SystemOptions().k1),
    ]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[[rows]]\nsize = 5\n", "no system"),
        ("[[rows]]\nsystem = []\n", "no system"),
        ('[[rows]]\nsystem = "paper"\nsizes = 5\n', "no setting 'sizes'"),
        ("[grid]\n", "means nothing"),
        ('kind = "pie"\n', "kind is one of"),
        ('title = "Empty"\n', "no .*rows"),
        ('[rows]\nsystem = "paper"\n', "rows are tables"),
        ('[[rows]]\nsystem = "paper"\nsize = "big"\n', "whole number"),
        ('[[rows]]\nsystem = "paper"\nk = [5, 0]\n', "k is a whole number of at least 1, not 0"),
        ('[[rows]]\nsystem = "paper"\nassignment = "harsh"\n', "or hard"),
        ('[[rows]]\nsystem = "paper"\nrho = 2\n', "rho"),
        ('[[rows]]\nsystem = "bm25"\nalpha = 2\n', "bm25 does not read alpha"),
        ('[[rows]]\nsystem = ["bm25", "dense"]\nalpha = 2\n', "bm25 does not read alpha"),
        ('[[rows]]\nsystem = "bm25"\nb = [0.5, 1.5]\n', "at most 1, not 1.5"),
        ('[split]\nshare = 0.5\n[[rows]]\nsystem = "bm25"\n', "not share"),
        ('kind = "ablations"\n[[rows]]\nsystem = "paper"\n', "has .*settings"),
        ('kind = "ablations"\n[[rows]]\nsystem = "paper"\n[[settings]]\nk = 3\n', "factor"),
        ('kind = "lengths"\n[[rows]]\nsystem = "paper"\n', "has no rows"),
    ],
)
def test_a_mistake_in_an_experiment_is_named(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"mine\.toml: .*{cause}"):
        load_definition(str(path))


def test_every_setting_can_be_given_to_evaluate() -> None:
    changed = SystemOptions(
        "a b", "np", 7, 3, "hard", 1.5, 0.25, 0.125, 95.5, "kmeans", 9, 10, 11, 2, 0.5, 1.0, 50.0, "top-mean:2",
        "passages",
    )  # fmt: skip
    words, checkpoint = SystemOptions(k1=0.9, b=0.4), SystemOptions(checkpoint="my splade", rank="top-mean:2")
    every = changed.differences() | words.differences() | checkpoint.differences()
    assert every.keys() == set(NAMES_OF_OPTIONS)
    for system, options in (("paper", changed), ("bm25", words), ("splade", checkpoint)):
        assert options_of(row_command("demo", Variant(system, options))) == [(system, options)]


def options_of(command: str) -> list[tuple[str, SystemOptions]]:
    """Read a command as `evaluate` does."""
    words = shlex.split(command)
    assert words[:2] == ["sparse-coverage", "evaluate"]
    with evaluate.command.make_context("evaluate", words[2:]) as context:
        given = dict(context.params)
    settings = {name: given[name] for name in NAMES_OF_OPTIONS if name in given} | given["chosen"]
    max_documents = settings.pop("max_documents")
    means = Means(CollectionOptions(1, 0, Path()), (), max_documents, None)
    return [(one.name, one.options) for one in variants(given["systems"], evaluate._settings(settings, means))]


def test_the_methods_cite_what_chose_the_centers() -> None:
    """Farthest-first traversal is Gonzalez's; other selections are not."""
    about = {
        "collection": "demo", "queries": 12, "documents": 68, "passages": 913, "by": "paragraph", "seeds": [0],
        "learned_from": "the collection itself", "packages": {}, "python": "3.11", "sparse-coverage": "1", "code": "x",
        "machine": {"processor": "a CPU", "cores": 2}, "encoders": {"minilm": {"precision": "bf16", "weights": "x"}},
    }  # fmt: skip
    for selection, cited in (("farthest-first", True), ("kmeans", False)):
        rows = (Variant("paper", SystemOptions(size=500, selection=selection)),)
        result = Result(Definition("mine", "Mine", rows), Table("mine", "Mine", (), ()), (), (), ())
        text, bibliography = methods(result, about)
        assert f"by {selection} selection" in text
        assert ("gonzalez1985" in text) == ("gonzalez1985" in bibliography) == cited
        assert "on a CPU with 2 cores, MiniLM in bf16." in text
