"""Documents and passages in SQLite: what a hit is shown with. Postings know units and documents by number only."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.types import DocumentRecord, UnitRecord

_SCHEMA = """
CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, metadata TEXT NOT NULL);
CREATE TABLE units (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document INTEGER NOT NULL REFERENCES documents (number),
    section TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX units_of_document ON units (document);
"""
_UNIT = "SELECT u.number, u.id, d.id, u.section, u.text FROM units u JOIN documents d ON d.number = u.document"


class TextStore:
    """Reads and writes the documents and units of an index by number or id."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    def create(cls, path: Path) -> TextStore:
        """Start an empty store in a new file."""
        connection = sqlite3.connect(path)
        connection.executescript(_SCHEMA)
        return cls(connection, path)

    @classmethod
    def open(cls, path: Path) -> TextStore:
        """Open a store for reading, from any thread."""
        if not path.is_file():
            raise IndexStoreError(f"{path}: the file is missing. The index is damaged; build it again.")
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        return cls(connection, path)

    def add_document(self, number: int, record: DocumentRecord) -> None:
        """Add a document; its id must be new."""
        try:
            row = (number, record.id, record.title, json.dumps(dict(record.metadata), ensure_ascii=False))
            self._connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise IndexStoreError(
                f"The document '{record.id}' comes twice in the input. Remove one of the two, or give them different ids."
            ) from None

    def add_unit(self, number: int, record: UnitRecord, document: int) -> None:
        """Add a unit of a document; its id must be new."""
        try:
            row = (number, record.id, document, record.section, record.text)
            self._connection.execute("INSERT INTO units VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise IndexStoreError(f"The passage '{record.id}' comes twice in the input.") from None

    def document(self, number: int) -> DocumentRecord:
        """Return a document by number."""
        row = self._one("SELECT id, title, metadata FROM documents WHERE number = ?", number)
        if row is None:
            raise IndexStoreError(f"{self._path}: document {number} is missing. The index is damaged; build it again.")
        return DocumentRecord(row[0], row[1], json.loads(row[2]))

    def unit(self, number: int) -> UnitRecord:
        """Return a unit by number."""
        row = self._one(f"{_UNIT} WHERE u.number = ?", number)
        if row is None:
            raise IndexStoreError(f"{self._path}: unit {number} is missing. The index is damaged; build it again.")
        return UnitRecord(*row[1:])

    def document_number(self, id_: str) -> int | None:
        """Return the number of a document, or None."""
        row = self._one("SELECT number FROM documents WHERE id = ?", id_)
        return None if row is None else int(row[0])

    def unit_number(self, id_: str) -> int | None:
        """Return the number of a unit, or None."""
        row = self._one("SELECT number FROM units WHERE id = ?", id_)
        return None if row is None else int(row[0])

    def units_of(self, document: int) -> list[int]:
        """Return the numbers of a document's units, in corpus order."""
        found = self._query("SELECT number FROM units WHERE document = ? ORDER BY number", document)
        return [int(row[0]) for row in found]

    def close(self) -> None:
        """Commit what was written and close the file."""
        self._connection.commit()
        self._connection.close()

    def _one(self, statement: str, value: int | str) -> tuple[str, ...] | None:
        rows = self._query(statement, value)
        return rows[0] if rows else None

    def _query(self, statement: str, value: int | str) -> list[tuple[str, ...]]:
        try:
            return self._connection.execute(statement, (value,)).fetchall()
        except sqlite3.DatabaseError as error:
            raise IndexStoreError(
                f"{self._path}: cannot be read ({error}). The index is damaged; build it again."
            ) from None
