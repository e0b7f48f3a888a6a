"""JSON Lines: one patent a line, in the documented schema or as a BEIR `corpus.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.records import kind_of, read_record
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext, ReadError


def recognises(head: bytes) -> bool:
    """Tell JSON lines from the first brace."""
    return head.startswith(b"{") and not head.startswith(b"{\\rtf")


def pieces(stream: BinaryIO, limits: Limits) -> Iterator[Piece]:
    """Yield the lines of a stream. A file whose first line is a lone brace is one JSON document: one piece, one problem."""
    number = 0
    while line := stream.readline(limits.document_bytes + 1):
        number += 1
        if len(line) > limits.document_bytes:
            while line and not line.endswith(b"\n"):
                line = stream.readline(limits.document_bytes)
            yield Piece(None, number)
        elif line.strip():
            yield Piece(line, number)
            if number == 1 and line.strip() == b"{":
                return


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one line."""
    if not isinstance(piece.content, bytes):
        raise ReadError(f"refused: a line of more than {context.limits.document_bytes} bytes.")
    if piece.content.strip() == b"{":
        raise ReadError("JSON over several lines. Expected one object a line (JSON Lines).")
    try:
        record = json.loads(piece.content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise ReadError(f"not UTF-8: byte {error.start} of the line is {piece.content[error.start]:#04x}.") from None
    except json.JSONDecodeError as error:
        raise ReadError(f"not JSON: {error.msg} (column {error.colno}).") from None
    except (RecursionError, ValueError) as error:
        raise ReadError(f"not readable as JSON: {error}") from None
    if b"\\ud" in piece.content.lower() and not _is_text(record):
        raise ReadError("it holds half a character (an unpaired surrogate such as \\ud800).")
    if not isinstance(record, dict):
        raise ReadError(f"{kind_of(record)} instead of an object. Each line holds one patent: {{...}}.")
    return read_record(record, context, "JSONL")


def _refuse_constant(name: str) -> object:
    raise ReadError(f"{name} is not JSON. Leave the field out, or write null.")


def _is_text(record: object) -> bool:
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True
