"""What a reader is told and whom it tells: the wanted language, the file at hand, how much to take, where problems go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Problem

Report = Callable[[Problem], None]
MEBIBYTE = 1 << 20
MENDED = "mended: "
"""How a note begins that tells of small damage which was mended; the document was read."""


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

    The content is None where it is too large, or cannot be taken for the given cause.
    """

    content: bytes | Mapping[str, Any] | None
    line: int
    cause: str = ""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """One file being read. `note` receives what is left out on purpose."""

    file: str
    language: str
    limits: Limits
    note: Report

    def report_note(self, cause: str, document: str = "") -> None:
        """Report something that was left out on purpose."""
        self.note(Problem(self.file, 0, cause, document))
