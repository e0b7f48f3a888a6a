"""Documents and passages of a segment in SQLite: what a hit is shown with. Postings know them by number only.

Each row carries a checksum of its content, checked whenever it is read.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.types import DocumentRecord, UnitRecord

_SCHEMA = """
PRAGMA page_size = 16384;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, metadata TEXT NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE units (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, document TEXT NOT NULL, section TEXT NOT NULL, text TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
"""
# Made after the rows: sorting once is quicker than keeping order.
_INDEXES = "CREATE INDEX document_ids ON documents (id); CREATE INDEX unit_ids ON units (id);"
_DOCUMENT = "SELECT number, id, title, metadata, checksum FROM documents"
_UNIT = "SELECT number, id, document, section, text, checksum FROM units"


class TextWriter:
    """Writes the documents and units of a new segment. Nothing here is durable: the segment is synced as a whole."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.executescript(_SCHEMA)
        self._connection.execute("BEGIN")

    def add_document(self, number: int, record: DocumentRecord) -> None:
        """Add a document."""
        metadata = json.dumps(dict(record.metadata), ensure_ascii=False)
        row = (number, record.id, record.title, metadata)
        self._connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", (*row, _checksum(row)))

    def add_units(self, first: int, records: Sequence[UnitRecord]) -> None:
        """Add units with rising numbers."""
        rows = [(first + n, unit.id, unit.document, unit.section, unit.text) for n, unit in enumerate(records)]
        sums = ((*row, _checksum(row)) for row in rows)
        self._connection.executemany("INSERT INTO units VALUES (?, ?, ?, ?, ?, ?)", sums)

    def finish(self) -> None:
        """Write everything to the file."""
        self._connection.execute("COMMIT")
        self._connection.executescript(_INDEXES)
        self._connection.close()

    def abandon(self) -> None:
        """Let go of the file."""
        self._connection.close()


class TextReader:
    """Reads the documents and units of a segment, from any thread. Holds its file open, so a merge cannot take it away."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise FileNotFoundError(path)
        self._path = path
        self._lock = threading.Lock()
        # Immutable: no other process may ever change the file, so SQLite needs neither locks nor a journal.
        uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._query("SELECT number FROM documents LIMIT 1")

    def document(self, number: int) -> DocumentRecord:
        """Return a document by number."""
        row = self._sound(self._query(f"{_DOCUMENT} WHERE number = ?", number), number)
        return DocumentRecord(row[1], row[2], json.loads(row[3]))

    def unit(self, number: int) -> UnitRecord:
        """Return a unit by number."""
        return self.units_between(number, number + 1)[0]

    def units_between(self, first: int, last: int) -> list[UnitRecord]:
        """Return the units from `first` up to `last`."""
        found = self._query(f"{_UNIT} WHERE number >= ? AND number < ? ORDER BY number", first, last)
        rows = [self._sound(found[place : place + 1], first + place) for place in range(last - first)]
        return [UnitRecord(row[1], row[2], row[3], row[4]) for row in rows]

    def document_numbers(self, id_: str) -> list[int]:
        """Return the numbers of the documents with an id: none, one, or more where a replaced one is not yet merged away."""
        return [int(row[0]) for row in self._query("SELECT number FROM documents WHERE id = ? ORDER BY number", id_)]

    def unit_numbers(self, id_: str) -> list[int]:
        """Return the numbers of the units with an id."""
        return [int(row[0]) for row in self._query("SELECT number FROM units WHERE id = ? ORDER BY number", id_)]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __del__(self) -> None:
        # A snapshot that nobody holds any more, such as the one before a refresh, may end without being closed.
        if hasattr(self, "_connection"):
            self._connection.close()

    def _sound(self, rows: list[tuple[Any, ...]], number: int) -> tuple[Any, ...]:
        if not rows or rows[0][0] != number or _checksum(rows[0][:-1]) != rows[0][-1]:
            raise self._damaged(f"row {number} is missing or has a wrong checksum")
        return rows[0]

    def _query(self, statement: str, *values: int | str) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, cause: str) -> IndexStoreError:
        return IndexStoreError(
            f"{self._path}: damaged ({cause}). Restore the file from a copy, or build the index again."
        )


def _checksum(row: Sequence[Any]) -> int:
    return zlib.crc32("\x1f".join(map(str, row)).encode("utf-8", "surrogatepass"))
