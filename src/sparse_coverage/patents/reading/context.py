"""What a reader is told and whom it tells: the wanted language, the file at hand, and where problems go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Problem
from sparse_coverage.patents.reading.limits import Limits

Report = Callable[[Problem], None]
ANY_LANGUAGE = "any"


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
