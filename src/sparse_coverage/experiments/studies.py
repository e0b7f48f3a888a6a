"""The experiments that measure no ranking: the geometry of the vocabularies, and the collection itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from sparse_coverage.evaluation.statistics import dataset_statistics, query_lengths
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition
from sparse_coverage.experiments.evaluate import result_path
from sparse_coverage.experiments.figures import Point, draw_curves, draw_histograms
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.paper import BENCHMARK, encoder_name, other_collection, paper_table, unit_name
from sparse_coverage.experiments.sweep import Result, announced, failure_of
from sparse_coverage.files import read_json, write_json
from sparse_coverage.present.tables import Cell, Content, Table
from sparse_coverage.vectors.analysis import Behaviour, analyse

_PANELS = {
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
            rows.append((*kind, size, Cell(None), Cell(None), Cell(None)))
            continue
        measured.append(replace(found, encoder=kind[0], unit=kind[1]))
        cells = (Cell(found.median_radius, digits=4), Cell(found.activation_rate, digits=5), Cell(found.skew, digits=1))
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
            kind: [Point(one.size, getattr(one, field)) for one in measured if (one.encoder, one.unit) == kind]
            for kind in kinds
        }
        for field, title in _PANELS.items()
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
        first = Cell(line.values[0], paper.get("first"), digits=digits)
        median: Content = Cell(line.values[1], paper.get("second"), digits=digits) if len(line.values) > 1 else ""
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
