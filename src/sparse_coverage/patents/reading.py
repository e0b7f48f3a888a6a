"""Reading patents from anything: the one door of this room."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.patents.archives import open_nested
from sparse_coverage.patents.context import ReadError, Report
from sparse_coverage.patents.languages import language_code
from sparse_coverage.patents.limits import DEFAULT_LIMITS, Limits
from sparse_coverage.patents.readers import READERS
from sparse_coverage.patents.sources import STDIN, expand, open_source
from sparse_coverage.patents.types import Patent, Problem
from sparse_coverage.patents.work import Outcome, Work, carry_out_all

_HEAD = 4096
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_patents(
    source: str | Path | Sequence[str | Path],
    *,
    language: str = "en",
    on_problem: Report | None = None,
    on_note: Report | None = None,
    processes: int = 1,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Patent]:
    """Read patents from files, folders, patterns, archives or standard input (`-`), one after the other.

    Formats are recognised from content. `language` chooses the parts to read; `any` takes each document's own. What
    cannot be read goes to `on_problem` and the run continues; without it the first problem raises an `InputError`. What
    is left out on purpose (parts in other languages, files in a folder that hold no patents) goes to `on_note`. Several
    `processes` pay from some hundred megabytes on; the order stays the same.
    """
    if processes < 1:
        raise InputError(f"processes is {processes}; it must be at least 1.")
    for outcome in carry_out_all(_survey(source, limits), language_code(language), limits, processes):
        if on_note is not None:
            for note in outcome.notes:
                on_note(note)
        if outcome.problem is not None:
            if on_problem is None:
                raise InputError(str(outcome.problem))
            on_problem(outcome.problem)
        if outcome.patent is not None:
            yield outcome.patent


def _survey(source: str | Path | Sequence[str | Path], limits: Limits) -> Iterator[Work | Outcome]:
    """Find all the pieces of work in the named files."""
    for name, named in expand(source):
        try:
            with nullcontext(open_source(name)) if name == STDIN else open_source(name) as raw:
                refused: list[Problem] = []
                for path, stream in open_nested(name, raw, limits, refused.append):
                    yield from _take(refused)
                    yield from _pieces(path, stream, limits, named and path == name)
                yield from _take(refused)
        except ReadError as error:
            yield _problem(name, error.cause)
        except OSError as error:
            yield _problem(name, f"cannot be read: {error.strerror or error}")


def _pieces(file: str, stream: io.BufferedReader, limits: Limits, named: bool) -> Iterator[Work | Outcome]:
    try:
        head = stream.peek(_HEAD)[:_HEAD].removeprefix(_BYTE_ORDER_MARK).lstrip()
        for name, reader in READERS.items():
            if reader.recognises(head):
                for piece in reader.pieces(stream, limits):
                    yield Work(file, name, piece)
                return
    except ReadError as error:
        yield _problem(file, error.cause)
        return
    if named:
        yield _problem(file, _unknown(head))
    else:
        yield Outcome(notes=(Problem(file, 0, f"skipped: {_unknown(head)}"),))


def _unknown(head: bytes) -> str:
    if not head:
        return "empty file."
    if head.startswith(b"["):
        return "a JSON array. Expected one object a line (JSON Lines)."
    return "no patent format that is known here (XML, JSON Lines, or CSV with columns such as id and title)."


def _problem(file: str, cause: str) -> Outcome:
    return Outcome(problem=Problem(file, 0, cause))


def _take(refused: list[Problem]) -> Iterator[Outcome]:
    """Hand over what an archive refused since the last time."""
    while refused:
        yield Outcome(problem=refused.pop(0))
