"""Experiments from small TOML files: rows of settings, where a list stands for each of its values in turn."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.experiments.options import FLAGS, SystemOptions, make_options
from sparse_coverage.experiments.systems import concerning, reads
from sparse_coverage.files import read_toml

NAMES = ("main", "full", "ablations", "efficiency", "centers", "lengths")
KINDS = ("table", "sizes", "ablations", "cost", "centers", "lengths")
"""What is made of the rows: a table; with curves over V; averages of settings; with a plot of cost against recall; the
geometry of the vocabularies; or, without rows, a description of the collection."""
_KNOWN = {"title", "kind", "rows", "small", "settings", "measures", "split"}


@dataclass(frozen=True, slots=True)
class Row:
    """One configuration to evaluate. `factor` and `setting` name what an ablation varies."""

    system: str
    options: SystemOptions
    group: str = ""
    factor: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Definition:
    """An experiment as its file describes it, every list written out."""

    name: str
    title: str
    rows: tuple[Row, ...]
    kind: str = "table"
    measures: tuple[str, ...] = ()
    split: Mapping[str, Any] | None = None


def load_definition(
    name: str,
    *,
    small: bool = False,
    changes: Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    max_documents: int | None = None,
) -> Definition:
    """Read one of our experiments by name, or another from a `.toml` file.

    `small` takes its rows for small collections, where there are some; `changes` are values that every row takes in the place of
    its own, where its system reads that setting (encoder, unit, size).
    """
    if name in NAMES:
        path = Path(str(resources.files("sparse_coverage.experiments") / "definitions" / f"{name}.toml"))
    elif name.endswith(".toml"):
        path = Path(name)
    else:
        raise InputError(f"There is no experiment '{name}'. The experiments are: {', '.join(NAMES)}, or a .toml file.")
    about = read_toml(path)
    try:
        return _definition(path.stem, about, small, changes or {}, {"seed": seed, "max_documents": max_documents})
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _definition(
    name: str, about: dict[str, Any], small: bool, changes: Mapping[str, Sequence[Any]], common: dict[str, Any]
) -> Definition:
    if unknown := sorted(about.keys() - _KNOWN):
        raise InputError(f"'{unknown[0]}' means nothing here. Known are: {', '.join(sorted(_KNOWN))}.")
    kind = about.get("kind", "table")
    if kind not in KINDS:
        raise InputError(f"kind is one of {', '.join(KINDS)}, not {kind!r}.")
    described = _tables(about, "small" if small and "small" in about else "rows")
    if bool(described) != (kind != "lengths"):
        raise InputError("there are no [[rows]]." if not described else "an experiment of kind lengths has no rows.")
    settings = _tables(about, "settings")
    if bool(settings) != (kind == "ablations"):
        raise InputError("an experiment of kind ablations has [[settings]], and no other has.")
    rows = [
        row for setting in settings or [{}] for one in described for row in _expanded(one, setting, changes, common)
    ]
    measures = about.get("measures", [])
    if not isinstance(measures, list) or not all(isinstance(one, str) for one in measures):
        raise InputError('measures is a list of names, as in ["MAP", "R@100"].')
    return Definition(
        name, str(about.get("title", name)), tuple(dict.fromkeys(rows)), kind, tuple(measures), about.get("split")
    )


def _tables(about: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = about.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"{name} are tables, each beginning with [[{name}]].")
    if name == "settings" and not all({"factor", "name"} <= one.keys() for one in found):
        raise InputError('each of the [[settings]] has a factor = "…" and a name = "…".')
    return found


def _expanded(
    described: dict[str, Any], setting: dict[str, Any], changes: Mapping[str, Sequence[Any]], common: dict[str, Any]
) -> list[Row]:
    """Return the rows of one table: every combination of its lists, with what an ablation sets instead."""
    given = {name: value for name, value in described.items() if name not in ("system", "group")}
    varied = {name: value for name, value in setting.items() if name not in ("factor", "name")}
    system = described.get("system")
    if not isinstance(system, str):
        raise InputError('a row has no system = "…".')
    given |= {name: list(values) for name, values in changes.items() if values and name in reads(system)}
    values = [value if isinstance(value, list) else [value] for value in given.values()]
    labels = (str(described.get("group", "")), str(setting.get("factor", "")), str(setting.get("name", "")))
    found = [make_options({**common, **dict(zip(given, chosen, strict=True)), **varied}) for chosen in product(*values)]
    return [Row(system, concerning(system, options), *labels) for options in found]


def row_command(collection: str, row: Row, seeds: int = 1) -> str:
    """Return the command that evaluates one row by itself; `collection` may be followed by options, as typed."""
    words = ["sparse-coverage evaluate", collection, f"--system {row.system}"]
    read, changed = reads(row.system), row.options.differences()
    for name, value in asdict(row.options).items():
        if name in read and (name in changed or name in row.options.fixed or name in ("encoder", "unit")):
            words.append(f"{FLAGS[name]} {shlex.quote(str(value))}")
    return " ".join([*words, *([f"--seeds {seeds}"] if seeds > 1 and "seed" in read else [])])
