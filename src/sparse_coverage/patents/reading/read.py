"""Reading patents from anything: files, folders, archives and standard input, in every format that is known."""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.patents.languages import wanted_language
from sparse_coverage.patents.patent import Patent, Problem
from sparse_coverage.patents.readers import READERS
from sparse_coverage.patents.readers.xml_documents import WIDE, first_element, unknown_document
from sparse_coverage.patents.reading.archives import open_nested
from sparse_coverage.patents.reading.context import DEFAULT_LIMITS, Limits, ReadError, Report
from sparse_coverage.patents.reading.sources import (
    BEIR_QUERIES,
    BEIR_SKIPPED,
    STDIN,
    Found,
    expand,
    open_source,
    require_present,
    source_names,
)
from sparse_coverage.patents.reading.work import Outcome, Work, carry_out_all

_HEAD = 1 << 16
_OTHER_COMPRESSION = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
    b"\x28\xb5\x2f\xfd": "zstd",
}

_IMAGE = "an image, whose text cannot be read here. Recognise it first (OCR), or type it."
_NO_TEXT = {
    b"\xd0\xcf\x11\xe0": "a file of an old office program (.doc, .xls). Save it as .docx, or as text.",
    b"{\\rtf": "a file in rich text format (.rtf). Save it as .docx, or as text.",
    b"\x89PNG": _IMAGE,
    b"\xff\xd8\xff": _IMAGE,
    b"GIF8": _IMAGE,
    b"II*\x00": _IMAGE,
    b"MM\x00*": _IMAGE,
}


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
    `processes` keep the order; they cost more CPU time and memory in all, and help only where cores are idle.
    """
    if processes < 1:
        raise InputError(f"processes is {processes}; it must be at least 1.")
    names = source_names(source)
    require_present(names)
    outcomes = carry_out_all(_survey(names, limits), wanted_language(language), limits, processes)
    return _reported(outcomes, on_problem, on_note)


def _reported(outcomes: Iterator[Outcome], on_problem: Report | None, on_note: Report | None) -> Iterator[Patent]:
    for outcome in outcomes:
        if on_note is not None:
            for note in outcome.notes:
                on_note(note)
        if outcome.problem is not None:
            if on_problem is None:
                raise InputError(str(outcome.problem))
            on_problem(outcome.problem)
        if outcome.patent is not None:
            yield outcome.patent


def _survey(names: list[str], limits: Limits) -> Iterator[Work | Outcome]:
    """Find all the pieces of work in the named files. A source that holds none, and no problem either, is a problem."""
    for source, files in expand(names):
        empty = True
        cause = "it holds no patents."
        for found in files:
            for work in work_of(found, limits):
                if isinstance(work, Work) or work.problem is not None:
                    empty = False
                else:
                    cause = (
                        "it holds no patents: all that is in there was skipped. `inspect --notes` says what, and why."
                    )
                yield work
        if empty:
            yield _problem(source, cause)


def work_of(found: Found, limits: Limits) -> Iterator[Work | Outcome]:
    """Yield what is to be read of one source, piece by piece, or why it cannot be."""
    name = found.path
    if found.skipped:
        yield _skipped(name, found.skipped)
        return
    try:
        with nullcontext(open_source(name)) if name == STDIN else open_source(name) as raw:
            refused: list[Problem] = []
            for path, stream in open_nested(name, raw, limits, refused.append):
                yield from _take(refused)
                if path != name and path.rpartition("!")[2].rpartition("/")[2] == BEIR_QUERIES:
                    yield _skipped(path, BEIR_SKIPPED)
                else:
                    yield from _pieces(path, stream, limits, found.named and path == name)
            yield from _take(refused)
    except ReadError as error:
        yield _problem(name, error.cause)
    except OSError as error:
        yield _problem(name, f"cannot be read: {error.strerror or error}")


def _pieces(file: str, stream: io.BufferedReader, limits: Limits, named: bool) -> Iterator[Work | Outcome]:
    try:
        head = stream.peek(_HEAD)[:_HEAD].removeprefix(BOM_UTF8).lstrip()
        for name, reader in READERS.items():
            if reader.recognises(head):
                for piece in reader.pieces(stream, limits):
                    yield Work(file, name, piece)
                return
    except ReadError as error:
        yield Outcome(problem=Problem(file, error.line, error.cause))
        return
    yield _problem(file, unknown_file(head)) if named else _skipped(file, unknown_file(head))


def unknown_file(head: bytes) -> str:
    """Say what a file is that cannot be read, from its beginning."""
    if not head:
        return "empty file."
    for sign, compression in _OTHER_COMPRESSION.items():
        if head.startswith(sign):
            return f"compressed as {compression}, which is not read here. Unpack it first."
    if head.startswith(WIDE):
        return "text in UTF-16 or UTF-32, of which only XML in UTF-16 is read. Save it as UTF-8."
    if head.startswith(b"["):
        return "a JSON array. Expected one object a line (JSON Lines)."
    if head.startswith(b"<") and (name := first_element(head)):
        return unknown_document(name)
    for sign, what in _NO_TEXT.items():
        if head.startswith(sign):
            return what
    return "no patent format that is known here (XML, JSON Lines, CSV with columns such as id and title, Word, PDF)."


def _problem(file: str, cause: str) -> Outcome:
    return Outcome(problem=Problem(file, 0, cause))


def _skipped(file: str, why: str) -> Outcome:
    return Outcome(notes=(Problem(file, 0, f"skipped: {why}"),))


def _take(refused: list[Problem]) -> Iterator[Outcome]:
    """Hand over what an archive refused since the last time."""
    while refused:
        yield Outcome(problem=refused.pop(0))
