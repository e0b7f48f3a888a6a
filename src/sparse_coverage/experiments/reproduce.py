"""From an experiment to its table and figures, measured on a collection, beside the paper's values; and sweeps, whose best row is chosen on
some of the queries and reported on the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import dataset_statistics, query_lengths
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.comparison import Output, announced, evaluate_rows, failure_of
from sparse_coverage.experiments.evaluation import DEPTH, Evaluation, result_path, stamp_notes
from sparse_coverage.experiments.figures import Curves, FigurePoint, draw_curves, draw_histograms, draw_scatter
from sparse_coverage.experiments.options import Variant, row_names, varied_settings
from sparse_coverage.experiments.paper import (
    BENCHMARK,
    encoder_name,
    model_name,
    other_collection,
    paper_table,
    unit_name,
)
from sparse_coverage.experiments.sweep import Definition, Draw, Result, Split, row_command, table_measures
from sparse_coverage.experiments.tables import (
    ablation_table,
    averaged,
    baseline_row,
    place_of,
    results_table,
    setting_text,
    value_cell,
)
from sparse_coverage.files import read_json, write_json
from sparse_coverage.present.tables import Content, Table, TableCell
from sparse_coverage.vectors.analysis import Behaviour, analyse

COMPARED_UP_TO = 20
"""Tables of at most so many rows have their rows compared two by two; beyond that Holm's correction leaves nothing."""
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
    rows = _by_name(definition.rows)
    base = baseline_row(against, rows) if against and definition.kind != "ablations" else None
    if base is not None and definition.split is None:
        rows = _by_name(dict.fromkeys([*definition.rows, base]))
    baseline = next((name for name, row in rows.items() if row == base), None)
    how: dict[str, Any] = {"seeds": seeds, "depth": depth, "against": baseline, "output": Output(runs), "fresh": fresh}
    found = evaluate_rows(bench, rows, measures, **how, keep_going=True)
    shown = {name: one for name, one in found.rows.items() if one.variant in definition.rows}
    failures = tuple(f"{name}: {one.failure}" for name, one in shown.items() if one.failure)
    commands = tuple(dict.fromkeys(row_command(collection, row, seeds) for row in definition.rows))
    if definition.split is not None:
        table, effects = sweep_table(definition, [*shown.values()], definition.split, found.queries, found.notes)
        return Result(definition, table, effects, commands, failures, shown)
    if definition.kind == "ablations":
        table, tests = ablation_table(definition, bench, [*shown.values()])
        return Result(definition, table, (), commands, failures, shown, tests)
    if baseline and (why := found.rows[baseline].failure):
        failures = (*failures, f"no tests: the baseline {against} failed: {why}")
    done = [one for one in shown.values() if not one.failure]
    compared = measures if baseline or len(done) <= COMPARED_UP_TO else ()
    tests = tuple(test for measure in compared for test in found.compare(str(measure)))
    figures: list[Draw] = []
    if definition.kind == "cost" and any(one.cost for one in done):
        figures.append(lambda folder: _draw_cost(folder, done))
    if definition.kind == "sizes" and any(one.variant.is_sparse and one.variant.options.size for one in done):
        figures.append(lambda folder: _draw_sizes(folder, done))
    table = results_table(definition, bench, shown, tests, against=baseline or "")
    return Result(definition, table, tuple(figures), commands, failures, shown, tests)


def _by_name(rows: Iterable[Variant]) -> dict[str, Variant]:
    every = list(rows)
    return dict(zip(row_names(every), every, strict=True))


def _draw_sizes(folder: Path, done: Sequence[Evaluation]) -> list[Path]:
    """Draw the effect of V and unit: each curve averages over the encoders that finished all sizes of that unit."""
    found = {place_of(one.variant): one for one in done if one.variant.is_sparse and one.variant.options.size}
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


def _draw_cost(folder: Path, done: Sequence[Evaluation]) -> list[Path]:
    points: dict[tuple[str, str], list[FigurePoint]] = {}
    for one in done:
        row, cell = one.variant, value_cell(one, "R@100")
        kind = unit_name(row.options.unit) if row.is_sparse else "dense" if row.name == "dense" else ""
        if one.cost and cell.ours is not None:
            points.setdefault((model_name(row), kind), []).append(FigurePoint(one.cost, cell.ours, cell.interval))
    x_label = "postings scanned per query (dense: similarities)"
    return draw_scatter(folder / "cost-and-recall", points, x_label, "document R@100")


_CENTER_PANELS = {
    "median_radius": "median radius",
    "activation_rate": "covering centers per span / V",
    "skew": "longest / mean posting list",
}


def center_properties(bench: Workbench, row: Variant, *, fresh: bool = False) -> Behaviour:
    """Measure the vocabulary and the index of a row, or find what was measured before."""
    path, options = result_path(bench, row, ["centers"]), row.options
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
    for name, row in announced(bench, _by_name(definition.rows)):
        kind = (encoder_name(row.options.encoder), unit_name(row.options.unit))
        size = f"{row.options.size:,}" if row.options.size else "default"
        try:
            found = center_properties(bench, row, fresh=fresh)
        except Exception as error:  # as in every sweep: the others go on
            failures.append(f"{' '.join(kind)} {size}: {failure_of(name, error)}")
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
    definition: Definition, found: Sequence[Evaluation], split: Split, queries: Sequence[str], notes: Sequence[str]
) -> tuple[Table, tuple[Draw, ...]]:
    """Return one line a row with its values on both parts, the best by the tuned one marked, and a figure for each swept setting.

    The measure of the split has a column for each part, every other measure one for the part that is held out.
    """
    tuned, held = split.parts(queries)
    done = [one for one in found if not one.failure]
    rows = [one.variant for one in found]
    swept = varied_settings(rows)
    named = [name for name in ("encoder", "unit", "size") if len({getattr(row.options, name) for row in rows}) > 1]
    varied = [*named, *swept]
    others = [measure for measure in (done[0].values if done else ()) if measure != split.measure]
    parts = {id(one): (one.on(tuned), one.on(held)) for one in found}
    best = max(done, key=lambda one: parts[id(one)][0].means()[split.measure], default=None)
    lines: list[tuple[Content, ...]] = []
    for one in found:
        on_tuned, on_held = parts[id(one)]
        cells = [value_cell(on_tuned, split.measure), *(value_cell(on_held, each) for each in (split.measure, *others))]
        settings = (setting_text(one.variant, each) for each in varied)
        lines.append((one.variant.name, *settings, *cells, "★" if one is best else ""))
    told = [f"{len(tuned)} queries are tuned on, {len(held)} held out."]
    if best is not None:
        at = parts[id(best)][1].interval(split.measure)
        told.append(
            f"★ is best on the tuned queries: {best.variant.named(swept)}; on the held-out ones it has "
            f"{100 * at.mean:.2f} ({100 * at.low:.2f} to {100 * at.high:.2f})."
        )
    told += stamp_notes(done)
    measured = (f"{split.measure} tuned", f"{split.measure} held out", *(f"{one} held out" for one in others))
    columns = ("System", *varied, *measured, "Best")
    numeric = [each for each in varied if len({_number(row, each) for row in rows} - {None}) > 1]
    both = [(one.variant, parts[id(one)]) for one in done]
    figures = tuple(_sweep_figure(each, both, split.measure) for each in numeric)
    return Table(definition.name, definition.title, columns, tuple(lines), (*told, *notes)), figures


def _number(row: Variant, setting: str) -> float | None:
    value = getattr(row.options, setting)
    return float(value) if isinstance(value, int | float) and setting_text(row, setting) != "–" else None


def _sweep_figure(setting: str, done: Sequence[tuple[Variant, tuple[Evaluation, Evaluation]]], measure: str) -> Draw:
    """Return what draws the effect of a setting on both parts, the mean over all rows that have each value."""

    def draw(folder: Path) -> list[Path]:
        curves: dict[tuple[str, str], list[FigurePoint]] = {}
        for place, part in enumerate(("tuned", "held out")):
            by_value: dict[float, list[float]] = {}
            for row, parts in done:
                if (value := _number(row, setting)) is not None:
                    by_value.setdefault(value, []).append(100 * parts[place].means()[measure])
            curves[part, ""] = [FigurePoint(value, float(np.mean(found))) for value, found in sorted(by_value.items())]
        return draw_curves(folder / f"effect-of-{setting}", {measure: curves}, setting)

    return draw
