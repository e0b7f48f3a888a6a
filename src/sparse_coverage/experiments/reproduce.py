"""From an experiment's name to its table and figures, measured on a collection, beside the paper's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.measures import MAP, MAP_D, PASSAGE_R, PRES, AnyMeasure, R
from sparse_coverage.evaluation.statistics import dataset_statistics, query_lengths
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.centers import center_properties
from sparse_coverage.experiments.definition import Definition, Row, row_command
from sparse_coverage.experiments.figures import Curves, Points, draw_curves, draw_histograms, draw_scatter
from sparse_coverage.experiments.names import encoder_name, model_name, unit_name
from sparse_coverage.experiments.paper import paper_table, paper_values
from sparse_coverage.experiments.sweep import Outcome, run_rows
from sparse_coverage.experiments.systems import is_sparse
from sparse_coverage.experiments.tables import Cell, Content, Table

OTHER_COLLECTION = "The paper's values are for CLEF-IP 2013: on another collection the difference is one of collections, not of programs."


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What an experiment gave: its table, its figures (functions that draw into a folder), commands and failures."""

    definition: Definition
    table: Table
    figures: tuple[Callable[[Path], list[Path]], ...]
    commands: tuple[str, ...]
    failures: tuple[str, ...]
    outcomes: tuple[Outcome, ...] = ()


def paper_measures(bench: Workbench) -> tuple[AnyMeasure, ...]:
    """Return the measures of the paper's tables that the collection has judgements for."""
    documents = (R @ 100, MAP, PRES @ 100)
    return (*documents, MAP_D, PASSAGE_R @ 1000) if bench.collection.has_passages else documents


def run_experiment(definition: Definition, bench: Workbench, collection: str, *, fresh: bool = False) -> Result:
    """Run an experiment; `collection` is what the user calls it, for the commands."""
    if definition.name == "lengths":
        return _lengths(definition, bench)
    if not definition.rows:
        raise InputError(f"The experiment '{definition.name}' has no rows.")
    if definition.name == "centers":
        return _centers(definition, bench, collection)
    outcomes = run_rows(bench, definition.rows, paper_measures(bench), fresh=fresh)
    failures = tuple(f"{model_name(o.row)} {_what(o.row)}: {o.failure}" for o in outcomes if o.failure)
    commands = tuple(dict.fromkeys(row_command(collection, outcome.row) for outcome in outcomes))
    if any(row.factor for row in definition.rows):
        return Result(definition, _ablation_table(definition, bench, outcomes), (), commands, failures, tuple(outcomes))
    figures: list[Callable[[Path], list[Path]]] = []
    done = [outcome for outcome in outcomes if outcome.evaluation]
    if definition.name == "efficiency" and done:
        figures.append(lambda folder: _draw_efficiency(folder, done))
    if len({o.row.options.size for o in done if is_sparse(o.row.system)}) > 1 and definition.name == "full":
        figures.append(lambda folder: _draw_sizes(folder, done))
    table = _table(definition, bench, outcomes, cost=definition.name == "efficiency")
    return Result(definition, table, tuple(figures), commands, failures, tuple(outcomes))


def _what(row: Row) -> str:
    return f"{row.options.unit} {row.options.size or ''}" if is_sparse(row.system) else row.system


def _notes(bench: Workbench) -> tuple[str, ...]:
    known = "clef-ip-2013" in bench.collection.name
    return bench.notes() + (() if known else (OTHER_COLLECTION,))


def _table(definition: Definition, bench: Workbench, outcomes: Sequence[Outcome], *, cost: bool) -> Table:
    measures = [str(measure) for measure in paper_measures(bench)]
    rows: list[tuple[Content, ...]] = []
    for outcome in outcomes:
        row, found, paper = outcome.row, outcome.evaluation, paper_values(outcome.row)
        sparse = is_sparse(row.system)
        shape = (unit_name(row.options.unit) if sparse else "–", f"{row.options.size or 0:,}" if sparse else "–")
        cells: list[Content] = []
        for measure in measures:
            interval = found.interval(measure) if found else None
            ours = 100 * interval.mean if interval else None
            bounds = (100 * interval.low, 100 * interval.high) if interval else None
            cells.append(Cell(ours, paper.get(measure), bounds))
        if cost:
            cells.append(Cell(found.cost if found else None, digits=0))
        rows.append(
            (row.group or "Sparse Coverage" if sparse else row.group or "Baseline", model_name(row), *shape, *cells)
        )
    columns = ("Group", "Model", "Unit", "V", *measures, *(("Scanned a query",) if cost else ()))
    return Table(definition.name, definition.title, columns, tuple(rows), _notes(bench))


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
    return Table(
        definition.name, definition.title, ("Factor", "Setting", *measures), tuple(rows), (note, *_notes(bench))
    )


def _place(row: Row) -> tuple[str, str, int | None]:
    return row.options.encoder, row.options.unit, row.options.size


def _draw_sizes(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    """Draw the effect of V and unit: each curve averages over the encoders."""
    sparse = [o for o in outcomes if is_sparse(o.row.system) and o.row.options.size]
    panels: dict[str, Curves] = {}
    for measure in ("R@100", "MAP", "MAP(D)"):
        curves: dict[tuple[str, str], Points] = {}
        for unit in dict.fromkeys(o.row.options.unit for o in sparse):
            by_size: dict[int, list[float]] = {}
            for outcome in sparse:
                if outcome.row.options.unit == unit and outcome.evaluation and measure in outcome.evaluation.values:
                    size = outcome.row.options.size or 0
                    by_size.setdefault(size, []).append(100 * outcome.evaluation.means()[measure])
            if by_size:
                curves[unit_name(unit), ""] = [(size, sum(v) / len(v)) for size, v in sorted(by_size.items())]
        if curves:
            panels[{"MAP": "document mAP", "R@100": "document R@100", "MAP(D)": "passage MAP(D)"}[measure]] = curves
    return draw_curves(folder / "vocabulary-size", panels, "vocabulary size V", log_x=_spread(sparse))


def _spread(outcomes: Sequence[Outcome]) -> bool:
    sizes = [outcome.row.options.size or 1 for outcome in outcomes]
    return max(sizes) > 10 * min(sizes)


def _draw_efficiency(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for outcome in outcomes:
        row, found = outcome.row, outcome.evaluation
        if found is None or not found.cost:
            continue
        kind = unit_name(row.options.unit) if is_sparse(row.system) else "dense" if row.system == "dense" else ""
        points.setdefault((model_name(row), kind), []).append((found.cost, 100 * found.means()["R@100"]))
    x_label = "postings scanned a query (dense: similarities computed)"
    return draw_scatter(folder / "cost-and-recall", points, x_label, "document R@100")


def _centers(definition: Definition, bench: Workbench, collection: str) -> Result:
    rows: list[tuple[Content, ...]] = []
    failures = []
    curves: dict[str, dict[tuple[str, str], list[tuple[float, float]]]] = {
        "(a) median radius": {},
        "(b) activation rate": {},
        "(c) posting-list skew": {},
    }
    bench.plan(row.options for row in definition.rows)
    for row in definition.rows:
        kind = (encoder_name(row.options.encoder), unit_name(row.options.unit))
        try:
            found = center_properties(bench, row.options)
        except Exception as error:  # as in a sweep: the others go on
            failures.append(f"{' '.join(kind)} {row.options.size}: {error}")
            rows.append((*kind, f"{row.options.size:,}", Cell(None), Cell(None), Cell(None)))
            continue
        values = (found.radius, found.rate, found.skew)
        for panel, value in zip(curves.values(), values, strict=True):
            panel.setdefault(kind, []).append((row.options.size or 0, value))
        cells = (Cell(found.radius, digits=4), Cell(found.rate, digits=5), Cell(found.skew, digits=1))
        rows.append((*kind, f"{row.options.size:,}", *cells))
    columns = ("Encoder", "Unit", "V", "Median radius", "Activation rate", "Posting-list skew")
    note = "The paper shows these three as a figure without printed values."
    table = Table(definition.name, definition.title, columns, tuple(rows), (note, *bench.notes()))
    sizes = [row.options.size or 1 for row in definition.rows]
    log_x = max(sizes) > 10 * min(sizes)
    done = any(curves["(a) median radius"].values())
    draw = (lambda folder: draw_curves(folder / "centers", curves, "vocabulary size V", log_x=log_x),) if done else ()
    commands = (f"sparse-coverage reproduce centers --collection {collection}",)
    return Result(definition, table, draw, commands, tuple(failures))


def _lengths(definition: Definition, bench: Workbench) -> Result:
    rows: list[tuple[Content, ...]] = []
    for line in dataset_statistics(bench.collection, bench.units):
        paper = paper_table("statistics").get(line.key, {})
        digits = 1 if any(value != int(value) for value in (*line.values, *paper.values())) else 0
        first = Cell(line.values[0], paper.get("first"), digits=digits)
        second: Content = Cell(line.values[1], paper.get("second"), digits=digits) if len(line.values) > 1 else ""
        rows.append((line.name, first, second))
    table = Table(definition.name, definition.title, ("Statistic", "Value", "Second"), tuple(rows), _notes(bench))
    panels = {"words a query": query_lengths(bench.collection)}
    claims = [query.claims for query in bench.collection.judged if query.claims]
    if claims:
        panels["claims a query"] = claims
    return Result(definition, table, (lambda folder: draw_histograms(folder / "query-lengths", panels),), (), ())
