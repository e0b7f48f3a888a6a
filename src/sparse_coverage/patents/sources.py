"""From what a user names (files, folders, patterns, `-`) to the plain files in there, one after the other."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from sparse_coverage.errors import InputError

STDIN = "-"


def expand(source: str | Path | Sequence[str | Path]) -> Iterator[tuple[str, bool]]:
    """Yield (path, named) pairs in a stable order; `named` is False for a file that was found in a folder."""
    sources = [source] if isinstance(source, str | Path) else source
    for one in sources:
        yield from _expand_one(str(one))


def missing(sources: Sequence[str]) -> list[str]:
    """Return the names that are neither a file nor a folder nor a pattern that matches one."""
    return [name for name in sources if name != STDIN and not Path(name).exists() and not _matches(name)]


def _expand_one(name: str) -> Iterator[tuple[str, bool]]:
    path = Path(name)
    if name == STDIN:
        yield name, True
    elif path.is_dir():
        yield from ((str(found), False) for found in _files(path))
    elif path.exists():
        yield name, True
    elif matches := _matches(name):
        for match in matches:
            if Path(match).is_dir():
                yield from ((str(found), False) for found in _files(Path(match)))
            else:
                yield match, True
    else:
        raise InputError(f"{name}: no such file or folder, and no file matches it as a pattern.")


def _matches(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207, a pattern may be absolute


def _files(folder: Path) -> Iterator[Path]:
    """Walk a folder in the order of names, whatever the file system's. Hidden files are not patents."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def open_source(name: str) -> BinaryIO:
    """Open a file, or standard input."""
    return sys.stdin.buffer if name == STDIN else Path(name).open("rb")
