"""The rows of an experiment as a table: means, intervals, spread over seeds, tests against a baseline, the paper's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.measures import AnyMeasure
from sparse_coverage.evaluation.significance import Comparison, compare, holm
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluation import (
    Evaluation,
    ends,
    mean_values,
    stamp_notes,
    stamped,
    tells_apart,
    varied_settings,
)
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.paper import (
    known_encoder,
    model_name,
    notes_on_the_paper,
    other_collection,
    paper_table,
    paper_values,
    papers_ablations,
    unit_name,
)
from sparse_coverage.experiments.sweep import Definition, Row, RowOutcome, table_measures
from sparse_coverage.experiments.systems import concerning, is_sparse, reads
from sparse_coverage.present.tables import Content, Table, TableCell
from sparse_coverage.systems import STUDIED

COMPARED_UP_TO = 20
"""Tables of at most so many rows have their rows compared two by two; beyond that Holm's correction leaves nothing."""
_STARRED = {"assignment": "K=5", "alpha": "2", "gamma": "0.5"}
"""The paper's default of each factor, which the others are compared with."""
_DIMENSIONS = {"splade": 30_522, "colbert": 128, "colbert-plaid": 128}


def baseline_row(name: str, rows: Sequence[Row]) -> Row:
    """Return the row that `--against` means: one of the experiment's, by its name or a part of it, or a system beside them."""
    names = {row.name(varied_in(rows)): row for row in rows}
    chosen = [names[name]] if name in names else [row for one, row in names.items() if name in one]
    if len(chosen) == 1:
        return chosen[0]
    if name in STUDIED and not is_sparse(name):
        encoder = next((row.options.encoder for row in rows if "encoder" in reads(row.system)), SystemOptions().encoder)
        return Row(name, concerning(name, SystemOptions(encoder=encoder)))
    raise InputError(
        f"--against must name one row, or bm25, dense, splade or colbert; '{name}' names {len(chosen)} of: {', '.join(names)}."
    )


def varied_in(rows: Sequence[Row]) -> list[str]:
    """Return the settings that need a column of their own, and a place in the names of rows."""
    return varied_settings((row.system, row.options) for row in rows)


def comparisons(
    measures: Sequence[AnyMeasure], outcomes: Sequence[RowOutcome], against: RowOutcome | None = None
) -> tuple[Comparison, ...]:
    """Test every two rows on every measure, or all of them with a baseline, however many they are."""
    done = [outcome for outcome in outcomes if outcome.evaluation]
    if against is None and not 2 <= len(done) <= COMPARED_UP_TO:
        return ()
    varied = varied_in([outcome.row for outcome in outcomes])
    base = None if against is None else against.row.name(varied)
    every = [*done, *([against] if against and against.evaluation else [])]
    found = {o.row.name(varied): o.evaluation for o in every if o.evaluation}
    if base is not None and base not in found:
        return ()
    return tuple(
        comparison
        for measure in map(str, measures)
        for comparison in compare({name: one.values[measure] for name, one in found.items()}, measure, against=base)
    )


def results_table(
    definition: Definition,
    bench: Workbench,
    outcomes: Sequence[RowOutcome],
    tests: Sequence[Comparison] = (),
    *,
    against: Row | None = None,
) -> Table:
    """Return one line a row. `tests` against a baseline put a dagger at what differs."""
    measures = [str(measure) for measure in table_measures(bench, definition)]
    varied = varied_in([outcome.row for outcome in outcomes])
    base = against.name(varied) if against else ""
    p_values = {(one.second, one.measure): one.p_holm for one in tests if base and one.first == base}
    cost = definition.kind == "cost"
    rows: list[tuple[Content, ...]] = []
    for outcome in outcomes:
        row, found, paper = outcome.row, outcome.evaluation, paper_values(outcome.row, bench.collection)
        name = row.name(varied)
        cells: list[Content] = [
            value_cell(found, measure, paper.get(measure), p_values.get((name, measure))) for measure in measures
        ]
        if cost:
            cells.append(TableCell(found.cost if found else None, digits=0))
        group = row.group or ("Sparse Coverage" if is_sparse(row.system) else "Baselines")
        unit = unit_name(row.options.unit) if is_sparse(row.system) else "–"
        set_to = (setting_text(row, name) for name in varied)
        rows.append((group, model_name(row), unit, _width(row, bench, found), *set_to, *cells))
    columns = ("Group", "Model", "Unit", "V/d", *varied, *measures, *(("Scanned per query",) if cost else ()))
    notes = [*_seed_note(outcomes), *stamp_notes([one.evaluation for one in outcomes if one.evaluation])]
    if base:
        notes.append(
            f"† differs from {base} (p < .05, paired randomisation test, Holm's correction over the rows of a column)."
        )
    every = [outcome.row for outcome in outcomes]
    notes += [*bench.notes(), *notes_on_the_paper(every, bench.collection, learned_here=bench.learns_from_itself)]
    done, count = [outcome.evaluation for outcome in outcomes if outcome.evaluation], len(bench.corpus.documents)
    best = tuple(4 + len(varied) + place for place, one in enumerate(measures) if tells_apart(one, done, count))
    return Table(definition.name, definition.title, columns, tuple(rows), tuple(notes), best)


def setting_text(row: Row, name: str) -> str:
    """Return the value of a setting as printed; a dash where the system does not read it."""
    value = getattr(row.options, name)
    if name not in reads(row.system):
        return "–"
    return f"{value:g}" if isinstance(value, float) else str(value)


def ablation_table(
    definition: Definition, bench: Workbench, outcomes: Sequence[RowOutcome]
) -> tuple[Table, tuple[Comparison, ...]]:
    """Average each setting over the configurations that all settings finished, so that the averages compare like with like.

    Every query has the mean over those configurations: intervals and tests are over queries. Each setting is compared with the
    paper's default of its factor; Holm's correction is over all settings of a measure.
    """
    measures = [str(measure) for measure in table_measures(bench, definition)]
    failed = {place_of(o.row) for o in outcomes if not o.evaluation}
    used = {place_of(o.row) for o in outcomes} - failed
    means: dict[tuple[str, str], Evaluation] = {}
    settings = list(dict.fromkeys((o.row.factor, o.row.setting) for o in outcomes))
    for pair in settings:
        mine = [
            o.evaluation
            for o in outcomes
            if o.evaluation and (o.row.factor, o.row.setting) == pair and place_of(o.row) not in failed
        ]
        if mine:
            means[pair] = averaged(mine)
    tests = _ablation_tests(means, measures)
    p_values = {(one.second, one.measure): one.p_holm for one in tests}
    other = other_collection(bench.collection) or papers_ablations(used)
    rows: list[tuple[Content, ...]] = []
    for factor, setting in settings:
        paper = {} if other else paper_table("ablations").get(f"{factor} {setting}", {})
        name = f"{factor} {setting}"
        cells = [
            value_cell(means.get((factor, setting)), measure, paper.get(measure), p_values.get((name, measure)))
            for measure in measures
        ]
        starred = f"{setting} ★" if _STARRED.get(factor) == setting else setting
        rows.append((factor, starred, *cells))
    notes = [f"Each setting is averaged over {len(used)} configurations; ★ marks the paper's default."]
    notes += [*_seed_note(outcomes), *stamp_notes([one.evaluation for one in outcomes if one.evaluation])]
    if tests:
        notes.append(
            "† differs from ★ of its factor (p < .05, paired randomisation test, Holm's correction over a column)."
        )
    if other:
        notes.append(f"Without the paper's values: {other}.")
    columns = ("Factor", "Setting", *measures)
    best = tuple(range(2, 2 + len(measures)))
    table = Table(definition.name, definition.title, columns, tuple(rows), (*notes, *bench.notes()), best, within=0)
    return table, tests


def place_of(row: Row) -> tuple[str, str, int | None]:
    """Return which configuration of the grid a row is."""
    return row.options.encoder, row.options.unit, row.options.size


def value_cell(found: Evaluation | None, measure: str, paper: float | None = None, p: float | None = None) -> TableCell:
    """Return a measured value in percent with all that is known about it."""
    if found is None or measure not in found.values:
        return TableCell(None, paper)
    interval, deviation = found.interval(measure), found.deviation(measure)
    bounds = (100 * interval.low, 100 * interval.high)
    return TableCell(100 * interval.mean, paper, bounds, deviation=None if deviation is None else 100 * deviation, p=p)


def averaged(found: Sequence[Evaluation]) -> Evaluation:
    """Return the mean of several configurations, query by query and seed by seed."""
    values = mean_values(found)
    seeds: list[Mapping[str, float]] = [
        {measure: sum(one[measure] for one in same) / len(found) for measure in values}
        for same in zip(*(one.seeds for one in found), strict=True)
    ]
    return replace(found[0], values=values, cost=None, seeds=tuple(seeds))


def _ablation_tests(means: Mapping[tuple[str, str], Evaluation], measures: Sequence[str]) -> tuple[Comparison, ...]:
    """Compare each setting with the default of its factor, corrected over all settings of a measure."""
    found: list[Comparison] = []
    for measure in measures:
        raw: list[Comparison] = []
        for factor, setting in _STARRED.items():
            mine = {f"{f} {s}": one.values[measure] for (f, s), one in means.items() if f == factor}
            base = f"{factor} {setting}"
            raw += compare(mine, measure, against=base) if base in mine else []
        corrected = holm([one.p for one in raw])
        found += [replace(one, p_holm=p) for one, p in zip(raw, corrected, strict=True)]
    return tuple(found)


def _width(row: Row, bench: Workbench, found: Evaluation | None) -> str:
    """Return V of a vocabulary, or how many numbers a passage or token has."""
    if is_sparse(row.system):
        sizes = (stamped([found], "V") if found else []) or [size for size in (row.options.size,) if size]
        return ends(sizes) if sizes else "default"
    if row.system == "dense":
        known = CATALOGUE.get(known_encoder(row.options.encoder))
        dimension = known.dimension if known else bench.encoder(row.options.encoder).dimension if found else 0
        return f"{dimension:,}" if dimension else "–"
    return f"{_DIMENSIONS[row.system]:,}" if row.system in _DIMENSIONS else "–"


def _seed_note(outcomes: Sequence[RowOutcome]) -> list[str]:
    counts = {len(o.evaluation.seeds) for o in outcomes if o.evaluation and o.evaluation.seeds}
    return [f"± is the standard deviation over {max(counts)} seeds."] if counts else []
