"""What a segment keeps of its documents and passages: stored fields, which a hit is shown with, and columns, which filters ask.

Stored fields are rows of SQLite; postings know them by number only. Each row carries a checksum of its content, checked whenever it is
read.

Columns are two dates for each document, and lists of documents by term. A term is a field and a value, `country=EP`,
`ipc=H04N 5/44`, and so on; terms are kept sorted, so all symbols with a prefix stand next to each other. The family of a document is the
set of its terms of the field `kin`: its own id, the ids of its family members, the applications of these (EP-0049154 of
EP-0049154-A1), and the family's own name (set off by a `=`). Documents that share one are of one family. Terms of the field `number`
find a publication however it is spelled: its number without the kind, and its one form where the id has another.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.kernels import Array, Floats, Int32s, Int64s, Mask, Uint32s
from sparse_coverage.patents.numbers import application_of, number_key, parse_number
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
            self._connection.execute("SELECT number FROM documents LIMIT 1").fetchall()
        except sqlite3.DatabaseError as error:
            with path.open("rb"), path.open("rb"):  # SQLite does not say why it cannot open a file
                raise self._damaged(str(error)) from None

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


DATES = ("publication_date", "priority_date")
FAMILY_FIELD = "kin"
"""The field of the terms that documents of one family share, as it is written on disk and in search engines."""
NUMBER_FIELD = "number"


@dataclass(frozen=True, slots=True)
class TermField:
    """A field of the metadata that filters look up by its values: `country:EP`. One row is all that a new one needs.

    `wanted` is what an error says is missing. A `prefix` finds all values that begin with it: a class always, a letter where it
    stands alone. Values are kept in capitals, unless they are `small`; `counted` fields are counted by `info`.
    """

    name: str
    wanted: str
    prefix: Literal["", "class", "letter"] = ""
    small: bool = False
    counted: bool = True

    def normal(self, value: str) -> str:
        """Return a value in the one spelling that terms use."""
        return value.strip().lower() if self.small else value.strip().upper()


TERM_FIELDS = {
    row.name: row
    for row in (
        TermField("ipc", "a class", "class", counted=False),
        TermField("cpc", "a class", "class", counted=False),
        TermField("country", "a country"),
        TermField("kind", "a kind", "letter"),
        TermField("language", "a language", small=True),
    )
}
_AFTER_ANY = "\U0010ffff"


@dataclass(frozen=True, slots=True, eq=False)
class DocumentColumns:
    """The columns of one segment's documents. A missing date is 0, others are numbers such as 20020612."""

    dates: Int32s
    terms: Sequence[str]
    term_offsets: Uint32s
    term_documents: Uint32s

    def __len__(self) -> int:
        return len(self.dates)

    def with_term(self, field: str, value: str) -> Mask:
        """Return which documents have a term."""
        place = bisect_left(self.terms, f"{field}={value}")
        found = place < len(self.terms) and self.terms[place] == f"{field}={value}"
        return self._having(place, place + found)

    def documents_with(self, field: str, values: Iterable[str]) -> Int64s:
        """Return the documents that have one of some terms, rising."""
        lists: list[Array] = [np.zeros(0, np.int64)]
        for value in values:
            place = bisect_left(self.terms, f"{field}={value}")
            if place < len(self.terms) and self.terms[place] == f"{field}={value}":
                lists.append(self.term_documents[self.term_offsets[place] : self.term_offsets[place + 1]])
        return np.unique(np.concatenate(lists))

    def with_prefix(self, field: str, prefix: str) -> Mask:
        """Return which documents have a term that begins with a prefix."""
        begin = f"{field}={prefix}"
        return self._having(bisect_left(self.terms, begin), bisect_left(self.terms, begin + _AFTER_ANY))

    def _having(self, first: int, last: int) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        mask[self.term_documents[self.term_offsets[first] : self.term_offsets[last]]] = True
        return mask


def collect_columns(records: Iterable[DocumentRecord]) -> DocumentColumns:
    """Gather the columns of documents from their metadata."""
    dates: list[list[int]] = []
    lists: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        dates.append([date_number(str(record.metadata.get(name) or "")) for name in DATES])
        for term in sorted(_terms(record)):
            lists.setdefault(term, []).append(number)
    terms = sorted(lists)
    sizes = [len(lists[term]) for term in terms]
    return DocumentColumns(
        np.asarray(dates, dtype=np.int32).reshape(-1, len(DATES)),
        terms,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32),
        np.asarray([number for term in terms for number in lists[term]], dtype=np.uint32),
    )


def family_names(id_: str, metadata: Mapping[str, Any]) -> set[str]:
    """Return the names under which a document's family is known."""
    family = metadata.get("family")
    publications = [id_, *strings(metadata.get("family_members"))]
    applications = [application_of(one) or number_key(one) for one in publications]
    return {*publications, *applications, *([f"={family}"] if family else [])}


def date_number(date: str) -> int:
    """Return an ISO date as a number that sorts like it; 0 for none.

    >>> date_number("2002-06-12"), date_number("")
    (20020612, 0)
    """
    digits = date.replace("-", "")
    return int(digits) if len(digits) == 8 and digits.isdecimal() else 0


def _terms(record: DocumentRecord) -> set[str]:
    found = {
        f"{name}={field.normal(value)}"
        for name, field in TERM_FIELDS.items()
        for value in strings(record.metadata.get(name))
    }
    found.add(f"id={record.id}")
    number = parse_number(record.id)
    if number is not None:
        names = {f"{number.country}-{number.number}", str(number)} - {record.id}
        found.update(f"{NUMBER_FIELD}={name}" for name in names)
    return found | {f"{FAMILY_FIELD}={name}" for name in family_names(record.id, record.metadata)}
