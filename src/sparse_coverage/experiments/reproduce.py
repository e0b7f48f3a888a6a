"""From an experiment to its table and figures, measured on a collection, beside the paper's values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition, row_command
from sparse_coverage.experiments.evaluate import label
from sparse_coverage.experiments.figures import Curves, Point, draw_curves, draw_scatter
from sparse_coverage.experiments.paper import encoder_name, model_name, unit_name
from sparse_coverage.experiments.studies import study_centers, study_collection
from sparse_coverage.experiments.sweep import Draw, Outcome, Result, paper_measures, run_rows
from sparse_coverage.experiments.systems import is_sparse
from sparse_coverage.experiments.tables import (
    ablation_table,
    averaged,
    baseline_row,
    comparisons,
    place_of,
    results_table,
    value_cell,
)

_PANELS = {"R@100": "document R@100", "MAP": "document MAP", "MAP(D)": "passage MAP(D)"}


def run_experiment(
    definition: Definition,
    bench: Workbench,
    collection: str,
    *,
    fresh: bool = False,
    seeds: int = 1,
    against: str | None = None,
) -> Result:
    """Run an experiment; `collection` is what the user calls it, for the commands.

    Every row is measured with so many `seeds`. `against` names the row, or the baseline, that all rows are tested against.
    """
    if definition.kind == "lengths":
        return study_collection(definition, bench)
    if definition.kind == "centers":
        return study_centers(definition, bench, fresh=fresh)
    measures = paper_measures(bench)
    base = baseline_row(against, definition.rows) if against and definition.kind != "ablations" else None
    outcomes = tuple(run_rows(bench, definition.rows, measures, fresh=fresh, seeds=seeds))
    failures = tuple(f"{label(o.row.system, o.row.options)}: {o.failure}" for o in outcomes if o.failure)
    commands = tuple(dict.fromkeys(row_command(collection, outcome.row, seeds) for outcome in outcomes))
    if definition.kind == "ablations":
        table, tests = ablation_table(definition, bench, outcomes)
        return Result(definition, table, (), commands, failures, outcomes, tests)
    baseline = None
    if base is not None:
        baseline = (
            next((o for o in outcomes if o.row == base), None) or run_rows(bench, [base], measures, fresh=fresh)[0]
        )
        if baseline.failure:
            failures = (*failures, f"no tests: the baseline {against} failed: {baseline.failure}")
    tests = comparisons(bench, outcomes, baseline)
    done = [outcome for outcome in outcomes if outcome.evaluation]
    figures: list[Draw] = []
    if definition.kind == "cost" and any(o.evaluation and o.evaluation.cost for o in done):
        figures.append(lambda folder: _draw_cost(folder, done))
    if definition.kind == "sizes" and any(o.row.options.size for o in done if is_sparse(o.row.system)):
        figures.append(lambda folder: _draw_sizes(folder, done))
    table = results_table(definition, bench, outcomes, tests, against=base)
    return Result(definition, table, tuple(figures), commands, failures, outcomes, tests)


def _draw_sizes(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    """Draw the effect of V and unit: each curve averages over the encoders that finished all sizes of that unit."""
    found = {
        place_of(o.row): o.evaluation
        for o in outcomes
        if o.evaluation and is_sparse(o.row.system) and o.row.options.size
    }
    panels: dict[str, Curves] = {}
    for measure, title in _PANELS.items():
        curves: dict[tuple[str, str], list[Point]] = {}
        for unit in dict.fromkeys(unit for _, unit, _ in found):
            sizes = sorted({size for _, of, size in found if of == unit and size})
            encoders = {encoder for encoder, of, _ in found if of == unit}
            whole = sorted({e for e in encoders if all((e, unit, size) in found for size in sizes)} or encoders)
            points = []
            for size in sizes:
                mine = [found[e, unit, size] for e in whole if (e, unit, size) in found]
                cell = value_cell(averaged(mine) if mine else None, measure)
                if cell.ours is not None:
                    points.append(Point(float(size), cell.ours, cell.interval))
            if points:
                name = encoder_name(whole[0]) if len(whole) == 1 else f"mean of {len(whole)} encoders"
                curves[name, unit_name(unit)] = points
        if curves:
            panels[title] = curves
    all_sizes = [size for _, _, size in found if size]
    return draw_curves(
        folder / "vocabulary-size", panels, "vocabulary size V", log_x=max(all_sizes) > 10 * min(all_sizes)
    )


def _draw_cost(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    points: dict[tuple[str, str], list[Point]] = {}
    for outcome in outcomes:
        row, found = outcome.row, outcome.evaluation
        if found is None or not found.cost:
            continue
        kind = unit_name(row.options.unit) if is_sparse(row.system) else "dense" if row.system == "dense" else ""
        cell = value_cell(found, "R@100")
        if cell.ours is not None:
            points.setdefault((model_name(row), kind), []).append(Point(found.cost, cell.ours, cell.interval))
    x_label = "postings scanned per query (dense: similarities)"
    return draw_scatter(folder / "cost-and-recall", points, x_label, "document R@100")
