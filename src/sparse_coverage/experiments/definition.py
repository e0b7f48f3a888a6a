"""Experiments from small TOML files: rows of settings, where a list stands for each of its values in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.described import read_toml
from sparse_coverage.experiments.options import SystemOptions, make_options
from sparse_coverage.experiments.systems import concerning, reads

NAMES = ("main", "full", "ablations", "efficiency", "centers", "lengths")
_KNOWN = {"title", "rows", "small", "settings"}


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


def load_definition(
    name: str,
    *,
    small: bool = False,
    changes: Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    max_documents: int | None = None,
) -> Definition:
    """Read one of our experiments by name, or another from a `.toml` file.

    `small` takes its rows for small collections, where there are some; `changes` puts other values in the place of every
    list of that setting (encoder, unit, size).
    """
    if name in NAMES:
        path = Path(str(resources.files("sparse_coverage.experiments") / "definitions" / f"{name}.toml"))
    elif name.endswith(".toml"):
        path = Path(name)
    else:
        raise InputError(f"There is no experiment '{name}'. The experiments are: {', '.join(NAMES)}, or a .toml file.")
    about = read_toml(path)
    if unknown := sorted(about.keys() - _KNOWN):
        raise InputError(f"{path}: '{unknown[0]}' means nothing here. Known are: {', '.join(sorted(_KNOWN))}.")
    described = about["small"] if small and "small" in about else about.get("rows", [])
    common = {"seed": seed, "max_documents": max_documents}
    rows = [row for one in described for row in _expanded(path, one, changes or {}, common)]
    if settings := about.get("settings"):
        rows = [_varied(path, row, setting) for setting in settings for row in rows]
    return Definition(path.stem, str(about.get("title", path.stem)), tuple(dict.fromkeys(rows)))


def _expanded(
    path: Path, described: dict[str, Any], changes: Mapping[str, Sequence[Any]], common: dict[str, Any]
) -> list[Row]:
    settings = dict(described)
    system, group = settings.pop("system", None), settings.pop("group", "")
    if not isinstance(system, str):
        raise InputError(f'{path}: a row has no system = "…".')
    values = [changes.get(name) or value if isinstance(value, list) else [value] for name, value in settings.items()]
    try:
        found = [make_options({**common, **dict(zip(settings, chosen, strict=True))}) for chosen in product(*values)]
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return [Row(system, concerning(system, options), group) for options in found]


def _varied(path: Path, row: Row, setting: dict[str, Any]) -> Row:
    changes = {name: value for name, value in setting.items() if name not in ("factor", "name")}
    try:
        make_options(changes)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return replace(
        row, options=replace(row.options, **changes), factor=str(setting["factor"]), setting=str(setting["name"])
    )


def row_command(collection: str, row: Row) -> str:
    """Return the command that evaluates one row by itself."""
    words = ["sparse-coverage evaluate", collection, f"--system {row.system}"]
    read = reads(row.system)
    always = {"encoder": "--encoder", "unit": "--unit", "size": "-V"}
    words += [
        f"{flag} {value}" for name, flag in always.items() if name in read and (value := getattr(row.options, name))
    ]
    flags = {"k": "-K", "alpha": "--alpha", "gamma": "--gamma", "rho": "--rho", "seed": "--seed"}
    flags["max_documents"] = "--max-documents"
    words += [f"{flags[name]} {value}" for name, value in row.options.differences().items() if name in flags]
    return " ".join([*words, "--hard"] if row.options.assignment == "hard" else words)
