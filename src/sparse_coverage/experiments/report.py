"""The report folder: a table in every format, figures, the values of each query, how it was made, and an HTML index."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.definition import NAMES
from sparse_coverage.experiments.evaluate import settings_of
from sparse_coverage.experiments.provenance import methods, surroundings
from sparse_coverage.experiments.sweep import Outcome, Result
from sparse_coverage.files import read_json, write_json, write_text
from sparse_coverage.present.latex import writers
from sparse_coverage.present.pages import render
from sparse_coverage.present.records import record

SECTION, CONFIGURATION, ROWS, COMPARISONS = "section.html", "configuration.json", "rows.json", "comparisons.csv"
METHODS, REFERENCES = "methods.tex", "references.bib"


def write_result(result: Result, folder: Path, about: Mapping[str, Any]) -> tuple[Path, list[str]]:
    """Write one experiment into its own folder below the report's, then the report's index.

    Return the index, and all that failed: rows, and figures that cannot be drawn here.
    """
    own = folder / result.definition.name
    own.mkdir(parents=True, exist_ok=True)
    for suffix, write in writers(result.table).items():
        write_text(own / f"{result.table.name}{suffix}", write())
    drawn, undrawn = _draw(result, own)
    failures = [*result.failures, *undrawn]
    write_json(own / ROWS, [_row_record(outcome) for outcome in result.outcomes])
    if result.comparisons:
        write_text(own / COMPARISONS, _comparisons_csv(result.comparisons))
    configuration = {**about, **surroundings(), "commands": list(result.commands), "failures": failures}
    write_json(own / CONFIGURATION, configuration)
    said = methods(result, configuration)
    write_text(own / METHODS, said.text)
    write_text(own / REFERENCES, said.bibliography)
    write_text(own / SECTION, _section(result, drawn, failures, configuration))
    return write_index(folder), failures


def write_index(folder: Path) -> Path:
    """Write `index.html` over all the experiments that the folder holds, each with its own collection and machine."""
    order = {name: place for place, name in enumerate(NAMES)}
    found = sorted(folder.glob(f"*/{SECTION}"))
    sections = sorted(found, key=lambda path: order.get(path.parent.name, len(order)))
    collections = {read_json(path.parent / CONFIGURATION)["collection"]: None for path in sections}
    text = render(
        "experiments.html",
        title=f"Reproduction on {' and '.join(collections)}",
        names=[path.parent.name for path in sections],
        sections=[path.read_text(encoding="utf-8") for path in sections],  # written by `write_result`
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def _draw(result: Result, folder: Path) -> tuple[list[Path], list[str]]:
    """Draw the figures; where that cannot be, the tables are still worth having."""
    drawn: list[Path] = []
    undrawn: list[str] = []
    for draw in result.figures:
        try:
            drawn += draw(folder)
        except MissingExtraError as error:
            undrawn.append(f"no figure: {error}")
    return drawn, undrawn


def _section(result: Result, drawn: Sequence[Path], failures: Sequence[str], about: Mapping[str, Any]) -> str:
    files = [f"{result.table.name}{suffix}" for suffix in writers(result.table)]
    files += (
        [path.name for path in drawn]
        + [ROWS, CONFIGURATION, METHODS, REFERENCES]
        + ([COMPARISONS] if result.comparisons else [])
    )
    machine = about["machine"]
    return render(
        "experiment.html",
        name=result.definition.name,
        table=result.table,
        facts=(
            about["collection"],
            f"{about['queries']} queries",
            f"sparse-coverage {about['sparse-coverage']}",
            f"{machine['processor']}, {machine['cores']} cores",
            f"{about['seconds']} s",
            *(f"{name} in {one['precision']}" for name, one in about["encoders"].items()),
        ),
        images=[path.name for path in drawn if path.suffix == ".svg"],
        failures=failures,
        commands=[about["command"], *(f"  {command}" for command in result.commands)],
        files=files,
    )


def _comparisons_csv(comparisons: Sequence[Comparison]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(field.name for field in fields(Comparison))
    writer.writerows(astuple(comparison) for comparison in comparisons)
    return stream.getvalue()


def _row_record(outcome: Outcome) -> dict[str, Any]:
    found = outcome.evaluation
    return {
        **settings_of(outcome.row.system, outcome.row.options),
        "factor": outcome.row.factor,
        "setting": outcome.row.setting,
        "failure": outcome.failure,
        "per_query": found.values if found else {},
        "intervals": {measure: record(found.interval(measure)) for measure in found.values} if found else {},
        "seeds": list(found.seeds) if found else [],
        "cost": found.cost if found else None,
        "seconds": found.seconds if found else None,
    }
