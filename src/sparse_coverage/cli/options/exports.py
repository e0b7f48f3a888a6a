"""The files that a result can be written as: an option for each kind of a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sparse_coverage.cli.options import path_option, together
from sparse_coverage.present.export_kinds import Export


@dataclass(frozen=True, slots=True)
class Exports:
    """Where to write which kind of file."""

    paths: Mapping[str, Path]
    kinds: Mapping[str, Export]

    def __bool__(self) -> bool:
        return bool(self.paths)

    @property
    def with_passages(self) -> bool:
        """Whether anything is to be written that shows passages and why they were found."""
        return any(self.kinds[name].passages for name in self.paths)

    def write(self, *results: Any) -> Iterable[Path]:
        """Write the files, and return where they are."""
        from sparse_coverage.files import write_bytes

        for name, path in self.paths.items():
            write_bytes(path, self.kinds[name].make(*results))
        return self.paths.values()


def export_options(kinds: Mapping[str, Export]) -> Callable[[Any], Any]:
    """Return the options that name files of these kinds; they reach the command as its argument `exports`."""

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def with_exports(**given: Any) -> Any:
            paths = {name: path for name in kinds if (path := given.pop(name)) is not None}
            return function(exports=Exports(paths, kinds), **given)

        return together(*(path_option(f"--{one.name}", help=one.help) for one in kinds.values()))(with_exports)

    return decorate


def tell_written(what: str, written: Iterable[Path], as_json: bool) -> None:
    """Say to people where files are."""
    for path in () if as_json else written:
        click.echo(f"{what}: {path}")
