"""CSV with a header: one patent a row, columns named as the fields of the JSONL schema."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.records import ID_FIELDS, TEXT_FIELDS, read_record
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext, ReadError

_DELIMITERS = (",", ";", "\t", "|")


def recognises(head: bytes) -> bool:
    """Tell a table from its header: a column with an id and one with text."""
    line = head.splitlines()[0].decode("utf-8", "replace") if head else ""
    return _delimiter(line) is not None


def pieces(stream: BinaryIO, limits: Limits) -> Iterator[Piece]:
    """Yield the rows of a table; a row that is not as its header says, or whose quotes do not close, is a problem."""
    # The largest field is a setting of the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), limits.document_bytes))
    text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    lines = _lines(text)
    try:
        above, header = next(((n, line) for n, line in enumerate(lines, start=1) if line.strip()), (1, ""))
        delimiter = _delimiter(header) or ","
        names = _names(header, delimiter)
        for name in names:
            if name in (*ID_FIELDS, *TEXT_FIELDS) and names.count(name) > 1:
                raise ReadError(f"the header names the column {name!r} twice.", above)
        table = csv.reader(lines, delimiter=delimiter, strict=True)
        while True:
            line = above + table.line_num + 1
            try:
                row = next(table, None)
            except csv.Error as error:
                yield Piece(None, line, _damaged_row(error, line, above + table.line_num))
                continue
            if row is None:
                return
            if len(row) == len(names):
                yield Piece(dict(zip(names, row, strict=True)), line)
            elif row:
                columns = f"{len(row)} values where the header names {len(names)} columns"
                yield Piece(None, line, f"{columns}. A value that holds {delimiter!r} must stand in quotes.")
    finally:
        text.detach()


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one row."""
    if not isinstance(piece.content, dict):
        raise ReadError(piece.cause)
    return read_record(piece.content, context, "CSV")


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    number = 0
    try:
        for line in text:
            number += 1
            yield line
    except UnicodeDecodeError as error:
        number += 1 + error.object.count(b"\n", 0, error.start)
        raise ReadError(f"not UTF-8: {error.reason}. Save the table as UTF-8.", number) from None


def _damaged_row(error: csv.Error, first: int, last: int) -> str:
    place = f"lines {first} to {last} were not read" if last > first else "this row was not read"
    return f"not readable as CSV: {error}; {place}. Look for a quote that is not closed, or not doubled inside a value."


def _names(header: str, delimiter: str) -> list[str]:
    """Return the names of the columns as the schema writes them: `Publication Number` is `publication_number`."""
    try:
        row = next(csv.reader([header.lstrip("\ufeff")], delimiter=delimiter), [])
    except csv.Error:  # not a table at all
        return []
    return [re.sub(r"[\s-]+", "_", name.strip().lower()) for name in row]


def _delimiter(header: str) -> str | None:
    for delimiter in _DELIMITERS:
        names = _names(header, delimiter)
        if not set(names).isdisjoint(ID_FIELDS) and not set(names).isdisjoint(TEXT_FIELDS):
            return delimiter
    return None
