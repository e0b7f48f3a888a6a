"""Reading patents from anything: files, folders, archives and standard input, in every format that is known."""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from sparse_coverage.patents.passages import has_too_many
from sparse_coverage.patents.patent import Note, Patent, Problem
from sparse_coverage.patents.readers import reader_named, readers, recognised
from sparse_coverage.patents.readers.pdf_file import wanted_pages
from sparse_coverage.patents.readers.tables import looks_like_table, no_header
from sparse_coverage.patents.readers.xml_documents import first_element, is_wide_xml, unknown_document
from sparse_coverage.patents.reading.context import (
    DEFAULT_LIMITS,
    MEBIBYTE,
    Limits,
    Piece,
    ReadContext,
    Reader,
    ReadError,
    Report,
    Settings,
    Tell,
    log_problem,
)
from sparse_coverage.patents.reading.joining import joined, with_metadata
from sparse_coverage.patents.reading.sources import (
    BEIR_QUERIES,
    BEIR_SKIPPED,
    STDIN,
    Recoded,
    SourceFile,
    expand,
    open_nested,
    open_source,
    require_present,
    source_names,
    wide_encoding,
)
from sparse_coverage.text.languages import ANY_LANGUAGE, ONLY, wanted_language

_HEAD = 1 << 16
_OTHER_COMPRESSION = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
    b"\x28\xb5\x2f\xfd": "zstd",
}

_MEANT_FOR_US = frozenset("xml json jsonl ndjson csv tsv xlsx xlsm xls docx pdf".split())

_IMAGE = "an image, whose text cannot be read here. Recognise it first (OCR), or type it."
_NO_TEXT = {
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
    on_problem: Report = log_problem,
    on_note: Tell | None = None,
    limits: Limits = DEFAULT_LIMITS,
    reader: str | Reader | None = None,
    columns: Mapping[str, str] | None = None,
    metadata: str | Path | Sequence[str | Path] | None = None,
    ocr: str = "",
) -> Iterator[Patent]:
    """Read patents from files, folders, patterns, archives or standard input (`-`), one after the other.

    Formats are recognised from content. `language` chooses the parts to read; `any` takes each document's own. What
    cannot be read goes to `on_problem` and the run continues: by default it is logged as a warning, which Python prints;
    `on_problem=raise_problem` ends at the first one with an `InputError`. What is left out on purpose (parts in other
    languages, files in a folder that hold no patents) goes to `on_note`.
    `reader` reads all files as one kind, by its name (`table`) or a `Reader` of one's own. `columns` names the columns of
    tables for fields, as {"title": "Titel"}; columns that are not used are named to `on_note`.
    The parts of one publication in answers of EPO OPS or tables of PatentsView become one document.
    `metadata` names tables (or other files) whose rows fill in what documents of their number lack.
    `ocr` says which pages of scans are recognised (`all`, or `1,3-5`); it needs the extra [ocr].
    """
    names = source_names(source)
    require_present(names)
    if reader is not None:
        reader_named(reader)
    if ocr:
        wanted_pages(ocr, 1)
    settings = Settings(wanted_language(language), limits, reader, columns or {}, ocr)
    outcomes = carry_out_all(_survey(names, settings), settings)
    patents = joined(_reported(outcomes, on_problem, on_note))
    if metadata is None:
        return patents
    named = source_names(metadata)
    require_present(named)
    rows = read_patents(metadata, language=ANY_LANGUAGE, on_problem=on_problem, on_note=on_note, columns=columns)
    return with_metadata(patents, rows, ", ".join(named), on_note or (lambda note: None))


def _reported(outcomes: Iterator[Outcome], on_problem: Report, on_note: Tell | None) -> Iterator[Patent]:
    named: set[str] = set()  # columns that are not used are named once, in whatever number of files or records they are
    for outcome in outcomes:
        if on_note is not None:
            for note in outcome.notes:
                on_note(note)
            if new := [name for name in outcome.unused if name not in named]:
                named.update(new)
                on_note(Note(outcome.file, 0, f"not used: {', '.join(new)}", kind="unused", names=tuple(new)))
        if outcome.problem is not None:
            on_problem(outcome.problem)
        if outcome.patent is not None:
            yield outcome.patent


def _survey(names: list[str], settings: Settings) -> Iterator[PieceToRead | Outcome]:
    """Find all the pieces of work in the named files. A source that holds none, and no problem either, is a problem."""
    for source, files in expand(names):
        empty = True
        cause = "it holds no patents."
        for found in files:
            for work in work_of(found, settings):
                if isinstance(work, PieceToRead) or work.problem is not None:
                    empty = False
                else:
                    cause = (
                        "it holds no patents: all that is in there was skipped. `inspect --notes` says what, and why."
                    )
                yield work
        if empty:
            yield _problem(source, cause)


def work_of(found: SourceFile, settings: Settings) -> Iterator[PieceToRead | Outcome]:
    """Yield what is to be read of one source, piece by piece, or why it cannot be."""
    name = found.path
    if found.skipped:
        yield _skipped(name, found.skipped)
        return
    try:
        with nullcontext(open_source(name)) if name == STDIN else open_source(name) as raw:
            refused: list[Problem] = []
            for path, stream in open_nested(name, raw, settings.limits, refused.append):
                yield from _take(refused)
                if path != name and path.rpartition("!")[2].rpartition("/")[2] == BEIR_QUERIES:
                    yield _skipped(path, BEIR_SKIPPED)
                else:
                    yield from _pieces(path, stream, settings, found.named and path == name)
            yield from _take(refused)
    except ReadError as error:
        yield _problem(name, error.cause)
    except OSError as error:
        yield _problem(name, f"cannot be read: {error.strerror or error}")


def _pieces(file: str, stream: io.BufferedReader, settings: Settings, named: bool) -> Iterator[PieceToRead | Outcome]:
    notes: list[Note] = []
    unused: list[str] = []
    context = ReadContext(file, settings, notes.append, unused.extend)
    try:
        head = stream.peek(_HEAD)[:_HEAD]
        if (encoding := wide_encoding(head)) and not is_wide_xml(head):
            stream = io.BufferedReader(Recoded(stream, encoding), MEBIBYTE)
            head = stream.peek(_HEAD)[:_HEAD]
        head = head.removeprefix(BOM_UTF8).lstrip()
        reader = reader_named(settings.reader) if settings.reader is not None and head else recognised(head)
        if reader is None and settings.columns and _is_text(head):
            reader = reader_named("table")  # which says that the chosen columns are not there
        if reader is not None:
            own = reader if reader is settings.reader else reader.name
            for piece in reader.pieces(stream, context):
                yield from _told(file, notes, unused)
                yield PieceToRead(file, own, piece)
            yield from _told(file, notes, unused)
            return
    except ReadError as error:
        yield from _told(file, notes, unused)
        yield Outcome(problem=Problem(file, error.line, error.cause))
        return
    told = _problem if named or _is_damaged(file, head) else _skipped
    yield told(file, unknown_file(head))


def _is_damaged(file: str, head: bytes) -> bool:
    """Tell whether a file that no reader knows was meant for one: its ending says so, and it is empty, cut, noise or a web page."""
    ending = file.rpartition(".")[2].lower()
    if ending not in _MEANT_FOR_US:
        return False
    if not head or head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return True
    if ending == "xml":
        return not head.startswith(b"<") or b">" not in head
    return b"\0" in head[:4096] if ending in ("csv", "tsv") else True  # a table of something else, or a list


def _told(file: str, notes: list[Note], unused: list[str]) -> Iterator[Outcome]:
    """Hand over what cutting a file had to say since the last time."""
    if notes or unused:
        yield Outcome(notes=tuple(notes), unused=tuple(unused), file=file)
        notes.clear()
        unused.clear()


def _is_text(head: bytes) -> bool:
    return b"\0" not in head[:4096] and head[:1] not in (b"<", b"{", b"[", b"%", b"P")


def unknown_file(head: bytes) -> str:
    """Say what a file is that cannot be read, from its beginning."""
    if not head:
        return "empty file."
    for sign, compression in _OTHER_COMPRESSION.items():
        if head.startswith(sign):
            return f"compressed as {compression}, which is not read here. Unpack it first."
    if head.startswith(b"<") and b">" not in head:
        return "not well-formed XML: it ends inside of its first element."
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page, perhaps the error message of a server, and no patent or table of patents."
    if head.startswith(b"<") and (name := first_element(head)):
        return unknown_document(name)
    for sign, what in _NO_TEXT.items():
        if head.startswith(sign):
            return what
    if _is_text(head) and looks_like_table(head):
        return no_header({}, head).cause
    return f"no patent format that is known here ({', '.join(reader.label for reader in readers().values())})."


def _problem(file: str, cause: str) -> Outcome:
    return Outcome(problem=Problem(file, 0, cause))


def _skipped(file: str, why: str) -> Outcome:
    return Outcome(notes=(Note(file, 0, f"skipped: {why}", kind="skipped"),))


def _take(refused: list[Problem]) -> Iterator[Outcome]:
    """Hand over what an archive refused since the last time."""
    while refused:
        yield Outcome(problem=refused.pop(0))


@dataclass(frozen=True, slots=True)
class PieceToRead:
    """One piece of a file, and the reader for it: its name, or a user's own."""

    file: str
    reader: str | Reader
    piece: Piece


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a piece: a patent or a problem, notes, and the names in it (of `file`) that were not used."""

    patent: Patent | None = None
    problem: Problem | None = None
    notes: tuple[Note, ...] = ()
    unused: tuple[str, ...] = ()
    file: str = ""


def carry_out(work: PieceToRead, settings: Settings) -> Outcome:
    """Read one piece. Nothing but a patent or a problem can come of it."""
    notes: list[Note] = []
    unused: list[str] = []
    try:
        piece = work.piece
        if piece.content is None:
            raise ReadError(piece.cause)
        context = ReadContext(work.file, settings, notes.append, unused.extend)
        patent = reader_named(work.reader).read(piece, context)
        if any(map(str.isspace, patent.id)):
            cause = (
                f"the publication id {patent.id!r} holds white space, which would cut it in two in runs and judgements."
            )
            raise ReadError(f"{cause} Write it without, as in EP-0661903-A2.")
        patent = _with_single_numbers(patent)
        if cause := has_too_many(patent):
            raise ReadError(cause, 0, patent.id)
        if settings.language.startswith(ONLY) and patent.language not in ("", settings.language.removeprefix(ONLY)):
            raise ReadError(
                f"it is in {patent.language}, and --language {settings.language} was asked for.", 0, patent.id
            )
    except ReadError as error:
        line = work.piece.line + max(error.line, 1) - 1
        return Outcome(problem=Problem(work.file, line, error.cause, error.document), notes=tuple(notes))
    return Outcome(patent, None, tuple(notes), tuple(unused), work.file)


def _with_single_numbers(patent: Patent) -> Patent:
    """Return the patent with each printed number on one paragraph only. If the numbers start again, all go; else repeated ones go."""
    counts = Counter(part.number for part in patent.description if part.number.isdigit())
    if not counts or max(counts.values()) == 1:
        return patent
    anew = counts[min(counts, key=int)] > 1
    kept = (
        replace(part, number="") if counts[part.number] > (0 if anew else 1) else part for part in patent.description
    )
    return replace(patent, description=tuple(kept))


def carry_out_all(works: Iterable[PieceToRead | Outcome], settings: Settings) -> Iterator[Outcome]:
    """Carry out a stream of work in order. Outcomes that are already known pass through."""
    for work in works:
        yield work if isinstance(work, Outcome) else carry_out(work, settings)
