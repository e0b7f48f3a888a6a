"""The context of a reader: the wanted language, the current file, the limits, and where it reports problems."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Note, Patent, Problem

Report = Callable[[Problem], None]
Tell = Callable[[Note], None]
MEBIBYTE = 1 << 20
_LOGGER = logging.getLogger("sparse_coverage")


def log_problem(problem: Problem) -> None:
    """Log a problem as a warning, which Python prints on standard error unless logging was set up otherwise."""
    _LOGGER.warning("left out %s", problem)


def raise_problem(problem: Problem) -> None:
    """Raise a problem as an `InputError`, for whoever wants all of the input or none of it."""
    raise InputError(str(problem))


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest document, the strongest compression and the deepest nesting of archives that are read, and whether small
    damage in XML (a bare &) is mended and noted, or makes a document unreadable.

    Generous for genuine patents, small against an attack.
    `expansion` bounds decompressed bytes a compressed byte, checked once `expansion_from` bytes came out: patents
    compress 5 to 20 times, a decompression bomb a thousand times.
    """

    document_bytes: int = 64 * MEBIBYTE
    expansion: int = 100
    expansion_from: int = 16 * MEBIBYTE
    archive_depth: int = 4
    mend: bool = True


DEFAULT_LIMITS = Limits()


class ReadError(InputError):
    """A document cannot be read. `line` counts from the start of the file, or is 0."""

    def __init__(self, cause: str, line: int = 0, document: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.line = line
        self.document = document


@dataclass(frozen=True, slots=True)
class Piece:
    """What a reader cuts a file into: one document, line or row, and the line that it starts on.

    The content is None where it cannot be taken, for the given cause; such a piece is never given to `Reader.read`.
    """

    content: Any
    line: int
    cause: str = ""

    @staticmethod
    def refused(what: str, largest: int, line: int) -> Piece:
        """Return the piece for something that is larger than what is read."""
        return Piece(None, line, f"refused: {what} of more than {largest} bytes.")


@dataclass(frozen=True, slots=True)
class Settings:
    """How files are read: the wanted language, the limits, the reader for all of them if not their content decides, and the
    columns that the user chose for fields. `ocr` are the pages of scans whose text is recognised: `all`, `1,3-5`, or none."""

    language: str = "en"
    limits: Limits = DEFAULT_LIMITS
    reader: str | Reader | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    ocr: str = ""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """One file being read. `note` receives what is left out on purpose, `unused` the names of columns that are not used."""

    file: str
    settings: Settings
    note: Tell
    unused: Callable[[Iterable[str]], None]

    @property
    def language(self) -> str:
        """The wanted language."""
        return self.settings.language

    @property
    def limits(self) -> Limits:
        """How much is read of a document."""
        return self.settings.limits

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns that the user chose for fields."""
        return self.settings.columns

    def report_note(self, cause: str, document: str = "") -> None:
        """Report something that was left out on purpose."""
        self.note(Note(self.file, 0, cause, document))


@dataclass(frozen=True, slots=True)
class Format:
    """One format of a reader, for the documentation: its name, what it is recognised by, and what to know of it."""

    label: str
    sign: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind of file: how it is recognised from its beginning, cut into pieces, and how a piece becomes a patent.

    Cutting is sequential and cheap. Reading a piece is the work; it may happen in another process, so the functions must be
    defined at the top of a module. `read` raises a `ReadError` that says why a piece cannot be read. `extra` is the
    optional part of this package that is needed.
    """

    name: str
    label: str
    recognises: Callable[[bytes], bool]
    pieces: Callable[[BufferedReader, ReadContext], Iterator[Piece]]
    read: Callable[[Piece, ReadContext], Patent]
    formats: tuple[Format, ...] = ()
    extra: str = ""
