"""From what a user names (files, folders, patterns, `-`) to the plain files in there, one after the other."""

from __future__ import annotations

import codecs
import glob
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sparse_coverage.errors import InputError
from sparse_coverage.patents.reading.context import MEBIBYTE

STDIN = "-"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # which begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BEIR_CORPUS, BEIR_QUERIES = "corpus.jsonl", "queries.jsonl"
BEIR_SKIPPED = "the queries of a test collection, not its documents. Name the file itself to read it."


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file among the sources. `named` is False for one that was found in a folder; `skipped` says why it is not read."""

    path: str
    named: bool = False
    skipped: str = ""


def expand(names: Sequence[str]) -> Iterator[tuple[str, Iterator[SourceFile]]]:
    """Yield what the sources name, one by one and in a stable order: a file or folder, and the files in there."""
    for name in names:
        for match in [name] if name == STDIN or Path(name).exists() else _matches(name):
            path = Path(match)
            yield match, _files(path) if match != STDIN and path.is_dir() else iter([SourceFile(match, named=True)])


def source_names(source: str | Path | Sequence[str | Path]) -> list[str]:
    """Return the sources as a list of names."""
    return [str(source)] if isinstance(source, str | Path) else [str(one) for one in source]


def require_present(names: Sequence[str]) -> None:
    """Raise an error that lists the names that are nowhere, or names a pipe or a device."""
    if absent := missing(names):
        raise InputError(f"no such file or folder, and no file matches it as a pattern: {', '.join(absent)}")
    for name in names:
        if name != STDIN:
            require_file(Path(name))


def missing(sources: Sequence[str]) -> list[str]:
    """Return the names that are neither a file nor a folder nor a pattern that matches one."""
    return [name for name in sources if name != STDIN and not Path(name).exists() and not _matches(name)]


def _matches(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207, a pattern may be absolute


def _files(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[SourceFile]:
    """Walk a folder in the order of names, whatever the file system's. Hidden files are not patents."""
    real = folder.resolve()
    if real in above:
        yield SourceFile(str(folder), skipped="a link back to a folder that it lies in")
        return
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        yield SourceFile(str(folder))  # cannot be listed, and will be reported when it cannot be opened either
        return
    for path in paths:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path, (*above, real))
        elif not path.is_file():
            yield SourceFile(
                str(path), skipped="a link to nothing" if path.is_symlink() else "neither a file nor a folder"
            )
        elif path.name == BEIR_QUERIES and (folder / BEIR_CORPUS).exists():
            yield SourceFile(str(path), skipped=BEIR_SKIPPED)
        else:
            yield SourceFile(str(path))


def require_file(path: Path) -> None:
    """Refuse a named pipe or a device, which can be read only once, and where nothing may ever come."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{path} is a pipe or a device, not a file. Give its content on standard input: … - < {path}")


def wide_encoding(head: bytes) -> str:
    """Return the encoding of a text of two or four bytes a letter, from its mark or from where its zeros are; else nothing.

    >>> wide_encoding("id,title".encode("utf-16")), wide_encoding("id,title".encode("utf-16-le")), wide_encoding(b"id,title")
    ('utf-16', 'utf-16-le', '')
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    sample = head[: min(len(head), 4096) // 2 * 2]
    zeros = sample[1::2].count(0), sample[::2].count(0)
    enough = len(sample) // 2 * 0.6
    if len(sample) < 8 or min(zeros) > enough / 10 or max(zeros) < enough:
        return ""
    return "utf-16-le" if zeros[0] > zeros[1] else "utf-16-be"


class Recoded(io.RawIOBase):
    """A stream of wide letters as UTF-8, in which all the rest is read. What is no letter becomes a replacement character."""

    def __init__(self, inner: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._inner = inner
        self._decode = codecs.getincrementaldecoder(encoding)("replace").decode
        self._left = b""

    def readable(self) -> bool:
        """Return True: this stream is for reading."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer, as `io.BufferedReader` asks."""
        view = memoryview(target).cast("B")
        while not self._left and (block := self._inner.read(MEBIBYTE)):
            self._left = self._decode(block).encode("utf-8", "replace")
        data, self._left = self._left[: len(view)], self._left[len(view) :]
        view[: len(data)] = data
        return len(data)


def open_source(name: str) -> BinaryIO:
    """Open a file, or standard input."""
    return sys.stdin.buffer if name == STDIN else Path(name).open("rb")
