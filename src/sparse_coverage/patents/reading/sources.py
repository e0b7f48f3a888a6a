"""From what a user names (files, folders, patterns, `-`) to the plain files in there, one after the other."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sparse_coverage.errors import InputError

STDIN = "-"
BEIR_CORPUS, BEIR_QUERIES = "corpus.jsonl", "queries.jsonl"
BEIR_SKIPPED = "the queries of a test collection, not its documents. Name the file itself to read it."


@dataclass(frozen=True, slots=True)
class Found:
    """A file among the sources. `named` is False for one that was found in a folder; `skipped` says why it is not read."""

    path: str
    named: bool = False
    skipped: str = ""


def expand(names: Sequence[str]) -> Iterator[tuple[str, Iterator[Found]]]:
    """Yield what the sources name, one by one and in a stable order: a file or folder, and the files in there."""
    for name in names:
        for match in [name] if name == STDIN or Path(name).exists() else _matches(name):
            path = Path(match)
            yield match, _files(path) if match != STDIN and path.is_dir() else iter([Found(match, named=True)])


def source_names(source: str | Path | Sequence[str | Path]) -> list[str]:
    """Return the sources as a list of names."""
    return [str(source)] if isinstance(source, str | Path) else [str(one) for one in source]


def require_present(names: Sequence[str]) -> None:
    """Raise an error that lists the names that are nowhere."""
    if absent := missing(names):
        raise InputError(f"no such file or folder, and no file matches it as a pattern: {', '.join(absent)}")


def missing(sources: Sequence[str]) -> list[str]:
    """Return the names that are neither a file nor a folder nor a pattern that matches one."""
    return [name for name in sources if name != STDIN and not Path(name).exists() and not _matches(name)]


def _matches(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207, a pattern may be absolute


def _files(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[Found]:
    """Walk a folder in the order of names, whatever the file system's. Hidden files are not patents."""
    real = folder.resolve()
    if real in above:
        yield Found(str(folder), skipped="a link back to a folder that it lies in")
        return
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        yield Found(str(folder))  # cannot be listed, and will be reported when it cannot be opened either
        return
    for path in paths:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path, (*above, real))
        elif not path.is_file():
            yield Found(str(path), skipped="a link to nothing" if path.is_symlink() else "neither a file nor a folder")
        elif path.name == BEIR_QUERIES and (folder / BEIR_CORPUS).exists():
            yield Found(str(path), skipped=BEIR_SKIPPED)
        else:
            yield Found(str(path))


def open_source(name: str) -> BinaryIO:
    """Open a file, or standard input."""
    return sys.stdin.buffer if name == STDIN else Path(name).open("rb")
