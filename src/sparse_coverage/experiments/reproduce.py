"""From an experiment to its table and figures, measured on a collection, beside the paper's values; and sweeps, whose best row is chosen on
some of the queries and reported on the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import dataset_statistics, query_lengths
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.comparison import Output, write_runs
from sparse_coverage.experiments.evaluation import DEPTH, Evaluation, result_path, stamp_notes
from sparse_coverage.experiments.figures import Curves, FigurePoint, draw_curves, draw_histograms, draw_scatter
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.paper import (
    BENCHMARK,
    encoder_name,
    model_name,
    other_collection,
    paper_table,
    unit_name,
)
from sparse_coverage.experiments.sweep import (
    Definition,
    Draw,
    Result,
    Row,
    RowOutcome,
    Split,
    announced,
    failure_of,
    row_command,
    run_rows,
    table_measures,
)
from sparse_coverage.experiments.systems import is_sparse
from sparse_coverage.experiments.tables import (
    ablation_table,
    averaged,
    baseline_row,
    comparisons,
    place_of,
    results_table,
    setting_text,
    value_cell,
    varied_in,
)
from sparse_coverage.files import read_json, write_json
from sparse_coverage.present.tables import Content, Table, TableCell
from sparse_coverage.vectors.analysis import Behaviour, analyse

_MEASURE_PANELS = {"R@100": "document R@100", "MAP": "document MAP", "MAP(D)": "passage MAP(D)"}


def run_experiment(
    definition: Definition,
    bench: Workbench,
    collection: str,
    *,
    fresh: bool = False,
    seeds: int = 1,
    against: str | None = None,
    depth: int = DEPTH,
    runs: Path | None = None,
) -> Result:
    """Run an experiment; `collection` is what the user calls it, for the commands.

    Every row is measured with so many `seeds`. `against` names the row, or the baseline, that all rows are tested against. The
    rankings of all rows are written into the folder `runs`, where there is one.
    """
    if definition.kind == "lengths":
        return study_collection(definition, bench)
    if definition.kind == "centers":
        return study_centers(definition, bench, fresh=fresh)
    measures = table_measures(bench, definition)
    if definition.split is not None:  # a mistake in it is told before the work
        definition.split.parts([query.id for query in bench.collection.judged])
        if definition.split.measure not in map(str, measures):
            raise InputError(f"[split] goes by {definition.split.measure}, which is not measured. Add it to measures.")
    base = baseline_row(against, definition.rows) if against and definition.kind != "ablations" else None
    varied = varied_in(definition.rows)
    keep = None if runs is None else partial(_keep_run, bench, Output(runs), varied)
    outcomes = tuple(run_rows(bench, definition.rows, measures, fresh=fresh, seeds=seeds, depth=depth, keep=keep))
    failures = tuple(f"{o.row.name(varied)}: {o.failure}" for o in outcomes if o.failure)
    commands = tuple(dict.fromkeys(row_command(collection, outcome.row, seeds) for outcome in outcomes))
    if definition.split is not None:
        queries = [query.id for query in bench.collection.judged]
        table, effects = sweep_table(definition, outcomes, definition.split, queries, bench.notes())
        return Result(definition, table, effects, commands, failures, outcomes)
    if definition.kind == "ablations":
        table, tests = ablation_table(definition, bench, outcomes)
        return Result(definition, table, (), commands, failures, outcomes, tests)
    baseline = None
    if base is not None:
        baseline = (
            next((o for o in outcomes if o.row == base), None)
            or run_rows(bench, [base], measures, fresh=fresh, depth=depth)[0]
        )
        if baseline.failure:
            failures = (*failures, f"no tests: the baseline {against} failed: {baseline.failure}")
    tests = comparisons(measures, outcomes, baseline)
    done = [outcome for outcome in outcomes if outcome.evaluation]
    figures: list[Draw] = []
    if definition.kind == "cost" and any(o.evaluation and o.evaluation.cost for o in done):
        figures.append(lambda folder: _draw_cost(folder, done))
    if definition.kind == "sizes" and any(o.row.options.size for o in done if is_sparse(o.row.system)):
        figures.append(lambda folder: _draw_sizes(folder, done))
    table = results_table(definition, bench, outcomes, tests, against=base)
    return Result(definition, table, tuple(figures), commands, failures, outcomes, tests)


def _keep_run(bench: Workbench, output: Output, varied: Sequence[str], row: Row, found: Evaluation, seed: str) -> str:
    """Write the run of a row with one seed; return its name."""
    named = f"{row.factor} {row.setting} " if row.factor else ""
    return write_runs(output, f"{named}{row.name(varied)}{seed}", found, bench)


def _draw_sizes(folder: Path, outcomes: Sequence[RowOutcome]) -> list[Path]:
    """Draw the effect of V and unit: each curve averages over the encoders that finished all sizes of that unit."""
    found = {
        place_of(o.row): o.evaluation
        for o in outcomes
        if o.evaluation and is_sparse(o.row.system) and o.row.options.size
    }
    panels: dict[str, Curves] = {}
    for measure, title in _MEASURE_PANELS.items():
        curves: dict[tuple[str, str], list[FigurePoint]] = {}
        for unit in dict.fromkeys(unit for _, unit, _ in found):
            sizes = sorted({size for _, of, size in found if of == unit and size})
            encoders = {encoder for encoder, of, _ in found if of == unit}
            whole = sorted({e for e in encoders if all((e, unit, size) in found for size in sizes)} or encoders)
            points = []
            for size in sizes:
                mine = [found[e, unit, size] for e in whole if (e, unit, size) in found]
                cell = value_cell(averaged(mine) if mine else None, measure)
                if cell.ours is not None:
                    points.append(FigurePoint(float(size), cell.ours, cell.interval))
            if points:
                name = encoder_name(whole[0]) if len(whole) == 1 else f"mean of {len(whole)} encoders"
                curves[name, unit_name(unit)] = points
        if curves:
            panels[title] = curves
    all_sizes = [size for _, _, size in found if size]
    return draw_curves(
        folder / "vocabulary-size", panels, "vocabulary size V", log_x=max(all_sizes) > 10 * min(all_sizes)
    )


def _draw_cost(folder: Path, outcomes: Sequence[RowOutcome]) -> list[Path]:
    points: dict[tuple[str, str], list[FigurePoint]] = {}
    for outcome in outcomes:
        row, found = outcome.row, outcome.evaluation
        if found is None or not found.cost:
            continue
        kind = unit_name(row.options.unit) if is_sparse(row.system) else "dense" if row.system == "dense" else ""
        cell = value_cell(found, "R@100")
        if cell.ours is not None:
            points.setdefault((model_name(row), kind), []).append(FigurePoint(found.cost, cell.ours, cell.interval))
    x_label = "postings scanned per query (dense: similarities)"
    return draw_scatter(folder / "cost-and-recall", points, x_label, "document R@100")


_CENTER_PANELS = {
    "median_radius": "median radius",
    "activation_rate": "covering centers per span / V",
    "skew": "longest / mean posting list",
}


def center_properties(bench: Workbench, options: SystemOptions, *, fresh: bool = False) -> Behaviour:
    """Measure the vocabulary and the index of some options, or find what was measured before."""
    path = result_path(bench, "paper", options, ["centers"])
    if path.is_file() and not fresh:
        return Behaviour(**read_json(path))
    lists, vocabulary = bench.index(options).store.frequencies, bench.model(options).vocabulary
    [found] = analyse(vocabulary, bench.sample(options), seed=options.seed, lists=lists, threads=bench.threads)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, asdict(found))
    return found


def study_centers(definition: Definition, bench: Workbench, *, fresh: bool = False) -> Result:
    """Measure how compact, sparse and balanced each vocabulary is."""
    rows: list[tuple[Content, ...]] = []
    failures = []
    measured: list[Behaviour] = []
    for row in announced(bench, definition.rows):
        kind = (encoder_name(row.options.encoder), unit_name(row.options.unit))
        size = f"{row.options.size:,}" if row.options.size else "default"
        try:
            found = center_properties(bench, row.options, fresh=fresh)
        except Exception as error:  # as in every sweep: the others go on
            failures.append(f"{' '.join(kind)} {size}: {failure_of(row, error)}")
            rows.append((*kind, size, TableCell(None), TableCell(None), TableCell(None)))
            continue
        measured.append(replace(found, encoder=kind[0], unit=kind[1]))
        cells = (
            TableCell(found.median_radius, digits=4),
            TableCell(found.activation_rate, digits=5),
            TableCell(found.skew, digits=1),
        )
        rows.append((*kind, f"{found.size:,}", *cells))
    columns = ("Encoder", "Unit", "V", "Median radius", "Activation rate", "Posting-list skew")
    note = "The paper shows these three as a figure without printed values."
    table = Table(definition.name, definition.title, columns, tuple(rows), (note, *bench.notes()))

    draw = (lambda folder: _draw_centers(folder, measured),) if measured else ()
    return Result(definition, table, draw, (), tuple(failures))


def _draw_centers(folder: Path, measured: Sequence[Behaviour]) -> list[Path]:
    kinds = list(dict.fromkeys((one.encoder, one.unit) for one in measured))
    panels = {
        title: {
            kind: [FigurePoint(one.size, getattr(one, field)) for one in measured if (one.encoder, one.unit) == kind]
            for kind in kinds
        }
        for field, title in _CENTER_PANELS.items()
    }
    sizes = [one.size for one in measured]
    return draw_curves(folder / "centers", panels, "vocabulary size V", log_x=max(sizes) > 10 * min(sizes))


def study_collection(definition: Definition, bench: Workbench) -> Result:
    """Count documents, passages, queries and judgements, and show how long the queries are."""
    rows: list[tuple[Content, ...]] = []
    ours = bench.collection.name.startswith(BENCHMARK)  # how close another pool of it comes is what the table is for
    for line in dataset_statistics(bench.collection, bench.corpus):
        paper = paper_table("statistics").get(line.key, {}) if ours else {}
        digits = 1 if any(value != int(value) for value in (*line.values, *paper.values())) else 0
        first = TableCell(line.values[0], paper.get("first"), digits=digits)
        median: Content = TableCell(line.values[1], paper.get("second"), digits=digits) if len(line.values) > 1 else ""
        rows.append((line.name, first, median))
    columns = ("Statistic", "Count or mean", "Median")
    other = other_collection(bench.collection)
    told = (f"Beside the paper's: {other}." if ours else f"Without the paper's values: {other}.",) if other else ()
    table = Table(definition.name, definition.title, columns, tuple(rows), (*told, *bench.notes()))
    panels = {"words per query": query_lengths(bench.collection)}
    claims = [query.claims for query in bench.collection.judged if query.claims]
    if claims:
        panels["claims per query"] = claims
    return Result(definition, table, (lambda folder: draw_histograms(folder / "query-lengths", panels),), (), ())


def sweep_table(
    definition: Definition, outcomes: Sequence[RowOutcome], split: Split, queries: Sequence[str], notes: Sequence[str]
) -> tuple[Table, tuple[Draw, ...]]:
    """Return one line a row with its values on both parts, the best by the tuned one marked, and a figure for each swept setting.

    The measure of the split has a column for each part, every other measure one for the part that is held out.
    """
    tuned, held = split.parts(queries)
    done = [(outcome, outcome.evaluation) for outcome in outcomes if outcome.evaluation]
    swept = varied_in([outcome.row for outcome in outcomes])
    varied = [*_named(outcomes), *swept]
    others = [measure for measure in (done[0][1].values if done else ()) if measure != split.measure]
    on = {id(one): (one.on(tuned), one.on(held)) for _, one in done}
    best = max(done, key=lambda pair: on[id(pair[1])][0].means()[split.measure], default=None)
    rows: list[tuple[Content, ...]] = []
    for outcome in outcomes:
        parts = on[id(outcome.evaluation)] if outcome.evaluation else (None, None)
        mark = "★" if best is not None and outcome is best[0] else ""
        cells = [*(value_cell(part, split.measure) for part in parts), *(value_cell(parts[1], one) for one in others)]
        rows.append((outcome.row.system, *(setting_text(outcome.row, each) for each in varied), *cells, mark))
    told = [f"{len(tuned)} queries are tuned on, {len(held)} held out."]
    if best is not None:
        at = on[id(best[1])][1].interval(split.measure)
        told.append(
            f"★ is best on the tuned queries: {best[0].row.name(swept)}; on the held-out ones it has "
            f"{100 * at.mean:.2f} ({100 * at.low:.2f} to {100 * at.high:.2f})."
        )
    told += stamp_notes([one for _, one in done])
    measured = (f"{split.measure} tuned", f"{split.measure} held out", *(f"{one} held out" for one in others))
    columns = ("System", *varied, *measured, "Best")
    numeric = [each for each in varied if len({_number(o, each) for o, _ in done} - {None}) > 1]
    figures = tuple(_sweep_figure(each, done, on, split.measure) for each in numeric)
    return Table(definition.name, definition.title, columns, tuple(rows), (*told, *notes)), figures


def _named(outcomes: Sequence[RowOutcome]) -> list[str]:
    """Return which of encoder, unit and V differ between rows."""
    options = [outcome.row.options for outcome in outcomes]
    return [name for name in ("encoder", "unit", "size") if len({getattr(one, name) for one in options}) > 1]


def _number(outcome: RowOutcome, setting: str) -> float | None:
    value = getattr(outcome.row.options, setting)
    return float(value) if isinstance(value, int | float) and setting_text(outcome.row, setting) != "–" else None


def _sweep_figure(
    setting: str,
    done: Sequence[tuple[RowOutcome, Evaluation]],
    on: Mapping[int, tuple[Evaluation, Evaluation]],
    measure: str,
) -> Draw:
    """Return what draws the effect of a setting on both parts, the mean over all rows that have each value."""

    def draw(folder: Path) -> list[Path]:
        curves: dict[tuple[str, str], list[FigurePoint]] = {}
        for place, part in enumerate(("tuned", "held out")):
            by_value: dict[float, list[float]] = {}
            for outcome, one in done:
                if (value := _number(outcome, setting)) is not None:
                    by_value.setdefault(value, []).append(100 * on[id(one)][place].means()[measure])
            curves[part, ""] = [FigurePoint(value, float(np.mean(found))) for value, found in sorted(by_value.items())]
        return draw_curves(folder / f"effect-of-{setting}", {measure: curves}, setting)

    return draw
