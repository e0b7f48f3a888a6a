"""From an experiment to its table and figures, measured on a collection, beside the paper's values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparse_coverage.evaluation.significance import Comparison, compare
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition, Row, row_command
from sparse_coverage.experiments.evaluate import label
from sparse_coverage.experiments.figures import Curves, Points, draw_curves, draw_scatter
from sparse_coverage.experiments.paper import model_name, paper_table, paper_values, unit_name
from sparse_coverage.experiments.studies import study_centers, study_collection
from sparse_coverage.experiments.sweep import Draw, Outcome, Result, notes_beside_the_paper, paper_measures, run_rows
from sparse_coverage.experiments.systems import is_sparse
from sparse_coverage.present.tables import Cell, Content, Table

COMPARED_UP_TO = 20
"""Tables of at most so many rows have their rows compared two by two; beyond that Holm's correction leaves nothing."""
_PANELS = {"R@100": "document R@100", "MAP": "document mAP", "MAP(D)": "passage MAP(D)"}


def run_experiment(definition: Definition, bench: Workbench, collection: str, *, fresh: bool = False) -> Result:
    """Run an experiment; `collection` is what the user calls it, for the commands."""
    if definition.kind == "lengths":
        return study_collection(definition, bench)
    if definition.kind == "centers":
        return study_centers(definition, bench, fresh=fresh)
    outcomes = tuple(run_rows(bench, definition.rows, paper_measures(bench), fresh=fresh))
    failures = tuple(f"{label(o.row.system, o.row.options)}: {o.failure}" for o in outcomes if o.failure)
    commands = tuple(dict.fromkeys(row_command(collection, outcome.row) for outcome in outcomes))
    if definition.kind == "ablations":
        return Result(definition, _ablation_table(definition, bench, outcomes), (), commands, failures, outcomes)
    done = [outcome for outcome in outcomes if outcome.evaluation]
    figures: list[Draw] = []
    if definition.kind == "cost" and any(o.evaluation and o.evaluation.cost for o in done):
        figures.append(lambda folder: _draw_cost(folder, done))
    if definition.kind == "sizes" and any(o.row.options.size for o in done if is_sparse(o.row.system)):
        figures.append(lambda folder: _draw_sizes(folder, done))
    table = _table(definition, bench, outcomes, cost=definition.kind == "cost")
    return Result(definition, table, tuple(figures), commands, failures, outcomes, _comparisons(bench, done))


def _table(definition: Definition, bench: Workbench, outcomes: Sequence[Outcome], *, cost: bool) -> Table:
    measures = [str(measure) for measure in paper_measures(bench)]
    rows: list[tuple[Content, ...]] = []
    for outcome in outcomes:
        row, found, paper = outcome.row, outcome.evaluation, paper_values(outcome.row)
        sparse = is_sparse(row.system)
        size = f"{row.options.size:,}" if row.options.size else "default"
        shape = (unit_name(row.options.unit), size) if sparse else ("–", "–")
        cells: list[Content] = []
        for measure in measures:
            interval = found.interval(measure) if found else None
            ours = 100 * interval.mean if interval else None
            bounds = (100 * interval.low, 100 * interval.high) if interval else None
            cells.append(Cell(ours, paper.get(measure), bounds))
        if cost:
            cells.append(Cell(found.cost if found else None, digits=0))
        group = row.group or ("Sparse Coverage" if sparse else "Baseline")
        rows.append((group, model_name(row), *shape, *cells))
    columns = ("Group", "Model", "Unit", "V", *measures, *(("Scanned a query",) if cost else ()))
    return Table(definition.name, definition.title, columns, tuple(rows), notes_beside_the_paper(bench))


def _ablation_table(definition: Definition, bench: Workbench, outcomes: Sequence[Outcome]) -> Table:
    """Average each setting over the configurations that all settings finished, so that the averages compare like with like."""
    measures = [str(measure) for measure in paper_measures(bench)]
    settings = list(dict.fromkeys((o.row.factor, o.row.setting) for o in outcomes))
    failed = {_place(o.row) for o in outcomes if not o.evaluation}
    rows: list[tuple[Content, ...]] = []
    used = 0
    for factor, setting in settings:
        mine = [
            o for o in outcomes if (o.row.factor, o.row.setting) == (factor, setting) and _place(o.row) not in failed
        ]
        means = [outcome.evaluation.means() for outcome in mine if outcome.evaluation]
        used = len(means)
        paper = paper_table("ablations").get(f"{factor} {setting}", {}) if mine else {}
        cells = [
            Cell(100 * sum(m[measure] for m in means) / used if used else None, paper.get(measure))
            for measure in measures
        ]
        rows.append((factor, setting, *cells))
    note = f"Each setting is averaged over {used} configurations."
    columns = ("Factor", "Setting", *measures)
    return Table(definition.name, definition.title, columns, tuple(rows), (note, *notes_beside_the_paper(bench)))


def _place(row: Row) -> tuple[str, str, int | None]:
    return row.options.encoder, row.options.unit, row.options.size


def _comparisons(bench: Workbench, done: Sequence[Outcome]) -> list[Comparison]:
    """Test every two rows on every measure."""
    if not 2 <= len(done) <= COMPARED_UP_TO:
        return []
    found = {label(o.row.system, o.row.options): o.evaluation for o in done if o.evaluation}
    return [
        comparison
        for measure in map(str, paper_measures(bench))
        for comparison in compare({name: one.values[measure] for name, one in found.items()}, measure)
    ]


def _draw_sizes(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    """Draw the effect of V and unit: each curve averages over the encoders that finished all sizes of that unit."""
    means = {
        _place(o.row): o.evaluation.means()
        for o in outcomes
        if o.evaluation and is_sparse(o.row.system) and o.row.options.size
    }
    panels: dict[str, Curves] = {}
    for measure, title in _PANELS.items():
        curves: dict[tuple[str, str], Points] = {}
        for unit in dict.fromkeys(unit for _, unit, _ in means):
            sizes = sorted({size for _, of, size in means if of == unit and size})
            encoders = {encoder for encoder, of, _ in means if of == unit}
            whole = {e for e in encoders if all((e, unit, size) in means for size in sizes)} or encoders
            points = []
            for size in sizes:
                values = [
                    100 * means[e, unit, size][measure]
                    for e in sorted(whole)
                    if measure in means.get((e, unit, size), {})
                ]
                if values:
                    points.append((float(size), sum(values) / len(values)))
            if points:
                curves[unit_name(unit), ""] = points
        if curves:
            panels[title] = curves
    all_sizes = [size for _, _, size in means if size]
    return draw_curves(
        folder / "vocabulary-size", panels, "vocabulary size V", log_x=max(all_sizes) > 10 * min(all_sizes)
    )


def _draw_cost(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for outcome in outcomes:
        row, found = outcome.row, outcome.evaluation
        if found is None or not found.cost:
            continue
        kind = unit_name(row.options.unit) if is_sparse(row.system) else "dense" if row.system == "dense" else ""
        points.setdefault((model_name(row), kind), []).append((found.cost, 100 * found.means()["R@100"]))
    x_label = "postings scanned a query (dense: similarities computed)"
    return draw_scatter(folder / "cost-and-recall", points, x_label, "document R@100")
