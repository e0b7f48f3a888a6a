"""The rows of an experiment as a table: means, intervals, spread over seeds, tests against a baseline, the paper's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparse_coverage.encoding.catalogue import CATALOGUE
from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.significance import Comparison, compare, holm
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluation import Evaluation, ends, mean_values, stamp_notes, stamped, tells_apart
from sparse_coverage.experiments.options import SystemOptions, Variant, is_sparse, varied_settings
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
from sparse_coverage.experiments.sweep import Definition, table_measures
from sparse_coverage.present.tables import Content, Table, TableCell
from sparse_coverage.systems import STUDIED

_STARRED = {"assignment": "K=5", "alpha": "2", "gamma": "0.5"}
"""The paper's default of each factor, which the others are compared with."""
_DIMENSIONS = {"splade": 30_522, "colbert": 128, "colbert-plaid": 128}


def baseline_row(name: str, rows: Mapping[str, Variant]) -> Variant:
    """Return the row that `--against` means: one of the experiment's, by its name or a part of it, or a system beside them."""
    chosen = [rows[name]] if name in rows else [row for one, row in rows.items() if name in one]
    if len(chosen) == 1:
        return chosen[0]
    if name in STUDIED and not is_sparse(name):
        encoder = next(
            (row.options.encoder for row in rows.values() if "encoder" in row.reads), SystemOptions().encoder
        )
        return Variant(name, SystemOptions(encoder=encoder))
    raise InputError(
        f"--against must name one row, or bm25, dense, splade or colbert; '{name}' names {len(chosen)} of: {', '.join(rows)}."
    )


def results_table(
    definition: Definition,
    bench: Workbench,
    rows: Mapping[str, Evaluation],
    tests: Sequence[Comparison] = (),
    *,
    against: str = "",
) -> Table:
    """Return one line a row. `tests` against a baseline put a dagger at what differs."""
    measures = [str(measure) for measure in table_measures(bench, definition)]
    variants = [one.variant for one in rows.values()]
    varied = varied_settings(variants)
    p_values = {(one.second, one.measure): one.p_holm for one in tests if against and one.first == against}
    cost = definition.kind == "cost"
    lines: list[tuple[Content, ...]] = []
    for name, found in rows.items():
        row, paper = found.variant, paper_values(found.variant, bench.collection)
        cells: list[Content] = [
            value_cell(found, measure, paper.get(measure), p_values.get((name, measure))) for measure in measures
        ]
        if cost:
            cells.append(TableCell(found.cost, digits=0))
        group = row.group or ("Sparse Coverage" if row.is_sparse else "Baselines")
        unit = unit_name(row.options.unit) if row.is_sparse else "–"
        set_to = (setting_text(row, name) for name in varied)
        lines.append((group, model_name(row), unit, _width(bench, found), *set_to, *cells))
    columns = ("Group", "Model", "Unit", "V/d", *varied, *measures, *(("Scanned per query",) if cost else ()))
    done = [one for one in rows.values() if not one.failure]
    notes = [*_seed_note(done), *stamp_notes(done)]
    if against:
        notes.append(dagger_note(against))
    notes += [*bench.notes(), *notes_on_the_paper(variants, bench.collection, learned_here=bench.learns_from_itself)]
    best = tuple(
        4 + len(varied) + place for place, one in enumerate(measures) if tells_apart(one, done, bench.corpus.sizes)
    )
    return Table(definition.name, definition.title, columns, tuple(lines), tuple(notes), best)


def dagger_note(against: str) -> str:
    """Say what the daggers of a table mean."""
    return (
        f"† differs from {against} (p < .05, paired randomisation test, Holm's correction over the rows of a column)."
    )


def setting_text(row: Variant, name: str) -> str:
    """Return the value of a setting as printed; a dash where the system does not read it."""
    value = getattr(row.options, name)
    if name not in row.reads:
        return "–"
    return f"{value:g}" if isinstance(value, float) else str(value)


def ablation_table(
    definition: Definition, bench: Workbench, found: Sequence[Evaluation]
) -> tuple[Table, tuple[Comparison, ...]]:
    """Average each setting over the configurations that all settings finished, so that the averages compare like with like.

    Every query has the mean over those configurations: intervals and tests are over queries. Each setting is compared with the
    paper's default of its factor; Holm's correction is over all settings of a measure.
    """
    measures = [str(measure) for measure in table_measures(bench, definition)]
    failed = {place_of(one.variant) for one in found if one.failure}
    used = {place_of(one.variant) for one in found} - failed
    by_setting: dict[tuple[str, str], list[Evaluation]] = {}
    for one in found:
        mine = by_setting.setdefault((one.variant.factor, one.variant.setting), [])
        if place_of(one.variant) not in failed:
            mine.append(one)
    means = {pair: averaged(mine) for pair, mine in by_setting.items() if mine}
    tests = _ablation_tests(means, measures)
    p_values = {(one.second, one.measure): one.p_holm for one in tests}
    other = other_collection(bench.collection) or papers_ablations(used)
    rows: list[tuple[Content, ...]] = []
    for factor, setting in by_setting:
        paper = {} if other else paper_table("ablations").get(f"{factor} {setting}", {})
        name = f"{factor} {setting}"
        cells = [
            value_cell(means.get((factor, setting)), measure, paper.get(measure), p_values.get((name, measure)))
            for measure in measures
        ]
        starred = f"{setting} ★" if _STARRED.get(factor) == setting else setting
        rows.append((factor, starred, *cells))
    notes = [f"Each setting is averaged over {len(used)} configurations; ★ marks the paper's default."]
    done = [one for one in found if not one.failure]
    notes += [*_seed_note(done), *stamp_notes(done)]
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


def place_of(row: Variant) -> tuple[str, str, int | None]:
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


def _width(bench: Workbench, found: Evaluation) -> str:
    """Return V of a vocabulary, or how many numbers a passage or token has."""
    row = found.variant
    if row.is_sparse:
        sizes = stamped([found], "V") or [size for size in (row.options.size,) if size]
        return ends(sizes) if sizes else "default"
    if row.name == "dense":
        known = CATALOGUE.get(known_encoder(row.options.encoder))
        here = 0 if found.failure else bench.encoder(row.options.encoder).dimension
        dimension = known.dimension if known else here
        return f"{dimension:,}" if dimension else "–"
    return f"{_DIMENSIONS[row.name]:,}" if row.name in _DIMENSIONS else "–"


def _seed_note(found: Sequence[Evaluation]) -> list[str]:
    counts = {len(one.seeds) for one in found if one.seeds}
    return [f"± is the standard deviation over {max(counts)} seeds."] if counts else []
