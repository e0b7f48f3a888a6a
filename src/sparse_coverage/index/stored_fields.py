"""Stored fields: the documents and passages of a segment in SQLite, which a hit is shown with. Postings know them by number only.

Each row carries a checksum of its content, checked whenever it is read."""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.kernels import Floats
from sparse_coverage.patents.patent import Passage
from sparse_coverage.vectors.activation import SparseVector


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document's id, title and metadata (anything JSON can hold).

    Filters read these entries of the metadata, where they are: `publication_date`, `priority_date`, `ipc`, `cpc`,
    `country`, `kind`, `language`, `family`, `family_members`, `applicants`, `inventors`.
    """

    id: str
    title: str
    metadata: Mapping[str, Any]


def strings(value: Any) -> list[str]:
    """Return an entry of the metadata as a list, whether it is one text, several, or not there."""
    if isinstance(value, str):
        return [value] if value else []
    return [str(part) for part in value or ()]


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """One indexed passage: a paragraph or claim or a part of one, or a section or whole document where the index was built by these.

    `number` is that of the paragraph (`0034`) or claim, where one is printed.
    """

    id: str
    document: str
    section: str
    text: str
    number: str = ""

    @classmethod
    def of(cls, passage: Passage) -> PassageRecord:
        """Return what an index keeps of a passage of a patent."""
        return cls(passage.id, passage.document, passage.section, passage.text, passage.number)


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage together with its sparse vector, and one vector of the whole where the index keeps these."""

    passage: PassageRecord
    vector: SparseVector
    whole: Floats | None = None


_SCHEMA = """
PRAGMA page_size = 16384;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, metadata TEXT NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE passages (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, document TEXT NOT NULL, section TEXT NOT NULL, text TEXT NOT NULL,
    printed TEXT NOT NULL, checksum INTEGER NOT NULL
);
"""
_DOCUMENT = "SELECT number, id, title, metadata, checksum FROM documents"
_PASSAGE = "SELECT number, id, document, section, text, printed, checksum FROM passages"


class StoredFieldsWriter:
    """Writes the documents and passages of a new segment. Nothing here is durable: the segment is synced as a whole."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.executescript(_SCHEMA)
        self._connection.execute("BEGIN")

    def add_document(self, number: int, record: DocumentRecord) -> None:
        """Add a document."""
        metadata = json.dumps(dict(record.metadata), ensure_ascii=False)
        row = (number, record.id, record.title, metadata)
        self._connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", (*row, _checksum(row)))

    def add_passages(self, first: int, records: Sequence[PassageRecord]) -> None:
        """Add passages with rising numbers."""
        rows = [
            (first + n, passage.id, passage.document, passage.section, passage.text, passage.number)
            for n, passage in enumerate(records)
        ]
        sums = ((*row, _checksum(row)) for row in rows)
        self._connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", sums)

    def finish(self) -> None:
        """Write everything to the file."""
        self._connection.execute("COMMIT")
        self._connection.close()

    def abandon(self) -> None:
        """Let go of the file."""
        self._connection.close()


class StoredFieldsReader:
    """Reads the documents and passages of a segment, from any thread. Holds its file open, so a merge cannot take it away."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        # Immutable: no other process may ever change the file, so SQLite needs neither locks nor a journal.
        uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        except sqlite3.OperationalError as error:
            if not path.exists():  # SQLite does not say why it cannot open a file
                raise FileNotFoundError(errno.ENOENT, "No such file", str(path)) from None
            raise self._damaged(str(error)) from None
        self._query("SELECT number FROM documents LIMIT 1")

    def document(self, number: int) -> DocumentRecord:
        """Return a document by number."""
        row = self._sound(self._query(f"{_DOCUMENT} WHERE number = ?", number), number)
        return DocumentRecord(row[1], row[2], json.loads(row[3]))

    def passage(self, number: int) -> PassageRecord:
        """Return a passage by number."""
        return self.passages_between(number, number + 1)[0]

    def passages_between(self, first: int, last: int) -> list[PassageRecord]:
        """Return the passages from `first` up to `last`."""
        found = self._query(f"{_PASSAGE} WHERE number >= ? AND number < ? ORDER BY number", first, last)
        rows = [self._sound(found[place : place + 1], first + place) for place in range(last - first)]
        return [PassageRecord(*row[1:-1]) for row in rows]

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

    def _query(self, statement: str, *values: int) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, cause: str) -> IndexStoreError:
        return IndexStoreError(
            f"{self._path}: damaged ({cause}). Restore the file from a copy, or build the index again."
        )


def require_storable(document: DocumentRecord, passages: Sequence[PassageRecord]) -> None:
    """Refuse what the files cannot hold: halves of characters, and metadata that JSON does not know."""
    try:
        json.dumps([dict(document.metadata), document.id, document.title], ensure_ascii=False).encode()
        for passage in passages:
            f"{passage.id}{passage.document}{passage.section}{passage.text}{passage.number}".encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        printable = document.id.encode("utf-8", "backslashreplace").decode()
        raise IndexStoreError(
            f"The document '{printable}' holds {half}, half of a character. Its file was not decoded rightly: "
            "save it as UTF-8, or leave such characters out."
        ) from None
    except (TypeError, ValueError) as error:
        raise IndexStoreError(
            f"The metadata of the document '{document.id}' cannot be kept as JSON ({error})."
        ) from None


def _checksum(row: Sequence[Any]) -> int:
    return zlib.crc32("\x1f".join(map(str, row)).encode("utf-8", "surrogatepass"))
