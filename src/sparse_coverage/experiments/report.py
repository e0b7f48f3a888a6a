"""The report folder: a table in every format, figures, the values of each query, how it was made, and an HTML index."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

from sparse_coverage import __version__
from sparse_coverage.experiments.definition import NAMES
from sparse_coverage.experiments.reproduce import Result
from sparse_coverage.experiments.tables import writers
from sparse_coverage.files import read_json, write_json, write_text

SECTION, CONFIGURATION = "section.html", "configuration.json"
_PACKAGES = ("numpy", "numba", "openvino", "tokenizers", "bm25s", "ir-measures", "matplotlib", "torch", "transformers")
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --paper: #fbfaf7; --edge: #d9d4c7; --dim: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e5df; --paper: #17191d; --edge: #383c44; --dim: #9aa1ad; } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 2rem; font: 16px/1.5 Georgia, serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.4rem; border-top: 1px solid var(--edge); padding-top: 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { padding: .25rem .55rem; border-bottom: 1px solid var(--edge); text-align: left; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; } small, .note, .facts { color: var(--dim); }
img { max-width: 100%; background: white; border-radius: 6px; margin: 1rem 0; } pre { overflow-x: auto; font-size: .8rem; }
.failures { color: #b3261e; } nav a { margin-right: 1rem; }
"""


def write_result(result: Result, folder: Path, about: Mapping[str, Any]) -> Path:
    """Write one experiment into its own folder below the report's, then the report's index; return the index."""
    own = folder / result.definition.name
    own.mkdir(parents=True, exist_ok=True)
    for suffix, write in writers(result.table).items():
        write_text(own / f"{result.table.name}{suffix}", write())
    drawn = [path for draw in result.figures for path in draw(own)]
    rows = [_row_record(outcome) for outcome in result.outcomes]
    write_json(own / "rows.json", rows)
    configuration = {**about, **surroundings(), "commands": list(result.commands), "failures": list(result.failures)}
    write_json(own / CONFIGURATION, configuration)
    write_text(own / SECTION, _section(result, drawn))
    return write_index(folder)


def surroundings() -> dict[str, Any]:
    """Return versions and machine."""
    return {
        "sparse-coverage": __version__,
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        },
    }


def write_index(folder: Path) -> Path:
    """Write `index.html` over all the experiments that the folder holds."""
    order = {name: place for place, name in enumerate(NAMES)}
    found = sorted(folder.glob(f"*/{SECTION}"))
    sections = sorted(found, key=lambda path: order.get(path.parent.name, len(order)))
    parts = [path.read_text(encoding="utf-8") for path in sections]
    links = "".join(f'<a href="#{path.parent.name}">{escape(path.parent.name)}</a>' for path in sections)
    facts = read_json(sections[0].parent / CONFIGURATION)
    machine = facts["machine"]
    said = f"{facts['collection']} · sparse-coverage {facts['sparse-coverage']} · {machine['processor']}, {machine['cores']} cores"
    text = (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Reproduction</title><style>{_STYLE}</style>"
        f"<h1>Reproduction on {escape(facts['collection'])}</h1><p class=facts>{escape(said)}</p>"
        f"<p class=facts>A value is ours (the paper's, the difference). Hover it for its 95 % bootstrap interval.</p>"
        f"<nav>{links}</nav>\n{''.join(parts)}</html>\n"
    )
    write_text(folder / "index.html", text)
    return folder / "index.html"


def _section(result: Result, drawn: list[Path]) -> str:
    name = result.definition.name
    images = "".join(
        f'<img src="{name}/{path.name}" alt="{escape(result.table.title)}">' for path in drawn if path.suffix == ".svg"
    )
    files = [f"{result.table.name}{suffix}" for suffix in writers(result.table)]
    files += [path.name for path in drawn] + ["rows.json", CONFIGURATION]
    links = " · ".join(f'<a href="{name}/{file}">{file}</a>' for file in files)
    failures = "".join(f"<li>{escape(failure)}</li>" for failure in result.failures)
    failed = f"<details class=failures open><summary>{len(result.failures)} rows failed</summary><ul>{failures}</ul></details>"
    commands = "\n".join(escape(command) for command in result.commands)
    shown = f"<details><summary>One row, one command</summary><pre>{commands}</pre></details>" if commands else ""
    return (
        f'<h2 id="{name}">{escape(result.table.title)}</h2>{images}<div class=scroll>{result.table.html()}</div>'
        f"{failed if failures else ''}{shown}<p class=facts>{links}</p>\n"
    )


def _row_record(outcome: Any) -> dict[str, Any]:
    found = outcome.evaluation
    return {
        "system": outcome.row.system,
        "options": asdict(outcome.row.options),
        "factor": outcome.row.factor,
        "setting": outcome.row.setting,
        "failure": outcome.failure,
        "per_query": found.values if found else {},
        "cost": found.cost if found else None,
        "seconds": found.seconds if found else None,
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
