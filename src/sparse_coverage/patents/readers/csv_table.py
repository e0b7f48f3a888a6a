"""CSV with a header: one patent a row, columns named as the fields of the JSONL schema."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO

from sparse_coverage.patents.context import Piece, ReadContext, ReadError
from sparse_coverage.patents.limits import Limits
from sparse_coverage.patents.readers.records import ID_FIELDS, TEXT_FIELDS, read_record
from sparse_coverage.patents.types import Patent

_DELIMITERS = (",", ";", "\t", "|")


def recognises(head: bytes) -> bool:
    """Tell a table from its header: a column with an id and one with text."""
    line = head.splitlines()[0].decode("utf-8", "replace") if head else ""
    return _delimiter(line) is not None


def pieces(stream: BinaryIO, limits: Limits) -> Iterator[Piece]:
    """Yield the rows of a table."""
    # The largest field is a setting of the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), limits.document_bytes))
    text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    try:
        header = text.readline()
        delimiter = _delimiter(header) or ","
        names = [name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter))]
        table = csv.reader(text, delimiter=delimiter)
        line = 2
        for row in table:
            if row:
                yield Piece(dict(zip(names, row, strict=False)), line)
            line = table.line_num + 2
    except UnicodeDecodeError as error:
        raise ReadError(f"not UTF-8: {error.reason}. Save the table as UTF-8.") from None
    except csv.Error as error:
        raise ReadError(f"not readable as CSV: {error}.") from None
    finally:
        text.detach()


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one row."""
    if not isinstance(piece.content, dict):
        raise ReadError("not a row.")
    return read_record(piece.content, context, "CSV")


def _delimiter(header: str) -> str | None:
    for delimiter in _DELIMITERS:
        names = {name.strip().strip('"').lower() for name in header.lstrip("\ufeff").split(delimiter)}
        if not names.isdisjoint(ID_FIELDS) and not names.isdisjoint(TEXT_FIELDS):
            return delimiter
    return None
