"""The report folder: a table in every format, figures, the values of each query, how it was made, and an HTML index."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, fields
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.definition import NAMES
from sparse_coverage.experiments.evaluate import settings_of
from sparse_coverage.experiments.result import Result
from sparse_coverage.experiments.surroundings import surroundings
from sparse_coverage.experiments.sweep import Outcome
from sparse_coverage.experiments.tables import writers
from sparse_coverage.files import read_json, write_json, write_text

SECTION, CONFIGURATION, ROWS, COMPARISONS = "section.html", "configuration.json", "rows.json", "comparisons.csv"
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --paper: #fbfaf7; --edge: #d9d4c7; --dim: #6b7280; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e5df; --paper: #17191d; --edge: #383c44; --dim: #9aa1ad; --bad: #f2877f; } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 2rem; font: 16px/1.5 Georgia, serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.4rem; border-top: 1px solid var(--edge); padding-top: 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { padding: .25rem .55rem; border-bottom: 1px solid var(--edge); text-align: left; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; } small, .note, .facts { color: var(--dim); }
img { max-width: 100%; background: white; border-radius: 6px; margin: 1rem 0; } pre { overflow-x: auto; font-size: .8rem; }
.failures { color: var(--bad); } nav a { margin-right: 1rem; } a { color: inherit; }
"""


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
    write_text(own / SECTION, _section(result, drawn, failures, configuration))
    return write_index(folder), failures


def write_index(folder: Path) -> Path:
    """Write `index.html` over all the experiments that the folder holds, each with its own collection and machine."""
    order = {name: place for place, name in enumerate(NAMES)}
    found = sorted(folder.glob(f"*/{SECTION}"))
    sections = sorted(found, key=lambda path: order.get(path.parent.name, len(order)))
    parts = [path.read_text(encoding="utf-8") for path in sections]
    links = "".join(f'<a href="#{quote(path.parent.name)}">{escape(path.parent.name)}</a>' for path in sections)
    collections = {read_json(path.parent / CONFIGURATION)["collection"]: None for path in sections}
    title = f"Reproduction on {' and '.join(collections)}"
    text = (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style><h1>{escape(title)}</h1>"
        f"<p class=facts>A value is ours (the paper's, the difference). Hover it for its 95 % bootstrap interval.</p>"
        f"<nav>{links}</nav>\n{''.join(parts)}</html>\n"
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
    place = quote(result.definition.name)
    title = escape(result.table.title)
    images = "".join(f'<img src="{place}/{path.name}" alt="{title}">' for path in drawn if path.suffix == ".svg")
    files = [f"{result.table.name}{suffix}" for suffix in writers(result.table)]
    files += [path.name for path in drawn] + [ROWS, CONFIGURATION] + ([COMPARISONS] if result.comparisons else [])
    links = " · ".join(f'<a href="{place}/{quote(file)}">{escape(file)}</a>' for file in files)
    failed = "".join(f"<li>{escape(failure)}</li>" for failure in failures)
    failed = f"<details class=failures open><summary>{len(failures)} failed</summary><ul>{failed}</ul></details>"
    machine = about["machine"]
    facts = f"{about['collection']} · {about['queries']} queries · sparse-coverage {about['sparse-coverage']} · "
    facts += f"{machine['processor']}, {machine['cores']} cores · {about['seconds']} s"
    commands = "\n".join([about["command"], *(f"  {command}" for command in result.commands)])
    return (
        f'<h2 id="{place}">{title}</h2><p class=facts>{escape(facts)}</p>{images}'
        f"<div class=scroll>{result.table.html()}</div>{failed if failures else ''}"
        f"<details><summary>The command, and one for each row</summary><pre>{escape(commands)}</pre></details>"
        f"<p class=facts>{links}</p>\n"
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
        "intervals": {measure: asdict(found.interval(measure)) for measure in found.values} if found else {},
        "cost": found.cost if found else None,
        "seconds": found.seconds if found else None,
    }
