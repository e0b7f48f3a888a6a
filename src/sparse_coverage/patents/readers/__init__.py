"""The readers: how a kind of file is recognised, cut into pieces, and how a piece becomes a patent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO, Protocol

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import csv_table, jsonl, pdf_file, word_file, xml_documents
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext


class Reader(Protocol):
    """One kind of file: a module with these functions. Cutting is sequential and cheap; reading a piece is the work."""

    def recognises(self, head: bytes, /) -> bool:
        """Tell from the beginning of a file whether it is of this kind."""
        ...

    def pieces(self, stream: BinaryIO, limits: Limits, /) -> Iterator[Piece]:
        """Cut a file into what holds one patent each."""
        ...

    def read(self, piece: Piece, context: ReadContext, /) -> Patent:
        """Read one piece, which may happen in another process. Raise a `ReadError` that says why it cannot be read."""
        ...


# Asked in this order. A new kind of file is one file and one line here.
READERS: Mapping[str, Reader] = {
    "xml": xml_documents,
    "jsonl": jsonl,
    "csv": csv_table,
    "docx": word_file,
    "pdf": pdf_file,
}
