"""The readers: how a kind of file is recognised, cut into pieces, and how a piece becomes a patent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import csv_table, jsonl, xml_documents
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext


@dataclass(frozen=True, slots=True)
class Reader:
    """One kind of file. Cutting is sequential and cheap; reading a piece is the work, and needs nothing but the piece."""

    recognises: Callable[[bytes], bool]
    pieces: Callable[[BinaryIO, Limits], Iterator[Piece]]
    read: Callable[[Piece, ReadContext], Patent]


# Asked in this order. A new kind of file is one file and one line here.
READERS: Mapping[str, Reader] = {
    "xml": Reader(xml_documents.recognises, xml_documents.pieces, xml_documents.read),
    "jsonl": Reader(jsonl.recognises, jsonl.pieces, jsonl.read),
    "csv": Reader(csv_table.recognises, csv_table.pieces, csv_table.read),
}
