"""What is known of texts already: their sparse vectors, so that no text is encoded twice.

Publications of one application, members of a family and boilerplate share passages. Their vectors are kept in one file while an
index is built, half of it the newest ones and half the ones before, so that it stays bounded however large a collection is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from sparse_coverage.encoding.batching import windows
from sparse_coverage.files import ClosesItself
from sparse_coverage.patents.text_keys import text_key
from sparse_coverage.vectors import SparseVector

LIMIT = 4 << 30
"""How many bytes of vectors are kept: those of some 700,000 passages."""
_WINDOW = 600_000  # characters that are looked up at once: several windows of the encoder
_FACTS = 2  # numbers before the arrays: all spans, those that no center covers

Vectors = Callable[[Iterable[str]], Iterator[SparseVector]]
"""What turns a stream of texts into their vectors, in order."""


class KnownVectors(ClosesItself):
    """Sparse vectors by the key of their text, in a file; without a path in a temporary one that is gone when it is closed.

    What it gives back lacks the places of spans in the text, which no index keeps.
    """

    def __init__(self, path: Path | None = None, limit: int = LIMIT) -> None:
        self._path = path
        self._held = 0
        self._limit = limit
        try:
            self._open()
        except sqlite3.DatabaseError:
            if path is None:
                raise
            with suppress(AttributeError):  # which it is where it could not even be opened
                self.close()
            _remove(path)  # cut by a power failure: what it knew is made again
            self._open()

    def __enter__(self) -> KnownVectors:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, SparseVector]:
        """Return the vectors of those keys that are known."""
        found = {}
        for key in keys:
            for half in ("newer", "older"):
                row = self._store.execute(f"SELECT content FROM {half} WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = _unpacked(row[0])
                    break
        return found

    def __contains__(self, key: bytes) -> bool:
        return any(
            self._store.execute(f"SELECT 1 FROM {half} WHERE key = ?", (key,)).fetchone() for half in ("newer", "older")
        )

    def add(self, vectors: Mapping[bytes, SparseVector]) -> None:
        """Keep some vectors; the oldest are dropped when there are too many."""
        rows = [(key, _packed(vector)) for key, vector in vectors.items()]
        self._held += sum(len(content) for _, content in rows)
        try:
            with self._store:
                self._store.execute("BEGIN")
                self._store.executemany("INSERT OR IGNORE INTO newer VALUES (?, ?)", rows)
                if self._held > self._limit // 2:
                    self._store.execute("DROP TABLE older")
                    self._store.execute("ALTER TABLE newer RENAME TO older")
                    self._make_tables()
                    self._held = 0
        except sqlite3.OperationalError:  # a full disk: go on without, texts that come again are encoded again
            self._limit = 0

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def remove(self) -> None:
        """Close and delete the file."""
        self.close()
        if self._path is not None:
            _remove(self._path)

    def _open(self) -> None:
        self._store = sqlite3.connect("" if self._path is None else self._path, isolation_level=None)
        # A process that is killed leaves the file sound; only a power failure may not.
        self._store.execute("PRAGMA synchronous = OFF")
        if self._path is not None:
            self._store.execute("PRAGMA journal_mode = WAL")
        self._make_tables()
        self._held = int(self._store.execute("SELECT TOTAL(LENGTH(content)) FROM newer").fetchone()[0])

    def _make_tables(self) -> None:
        for half in ("newer", "older"):
            self._store.execute(f"CREATE TABLE IF NOT EXISTS {half} (key BLOB PRIMARY KEY, content BLOB NOT NULL)")


def knowing(known: KnownVectors, vectors: Vectors) -> Vectors:
    """Return what turns texts into vectors and encodes only those that are not known, each once."""

    def each(texts: Iterable[str]) -> Iterator[SparseVector]:
        for window in windows(texts, lambda text: len(text) + 1, _WINDOW):
            keys = [text_key(text) for text in window]
            found = known.find(dict.fromkeys(keys))
            absent = {key: text for key, text in zip(keys, window, strict=True) if key not in found}
            fresh = dict(zip(absent, vectors(absent.values()), strict=True))
            known.add(fresh)
            yield from (found[key] if key in found else fresh[key] for key in keys)

    return each


def _packed(vector: SparseVector) -> bytes:
    facts = np.asarray([vector.span_count, vector.uncovered], dtype="<i4")
    arrays = (facts, vector.centers.astype("<i4"), vector.weights.astype("<f4"), vector.spans.astype("<i4"))
    return b"".join(array.tobytes() for array in arrays)


def _unpacked(content: bytes) -> SparseVector:
    numbers = np.frombuffer(content, dtype="<i4")
    count = (len(numbers) - _FACTS) // 3
    centers, weights, spans = (numbers[_FACTS + part * count : _FACTS + (part + 1) * count] for part in range(3))
    nowhere = np.zeros(count, dtype=np.int32)
    return SparseVector(centers, weights.view("<f4"), spans, nowhere, nowhere, int(numbers[0]), int(numbers[1]))


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):
            path.with_name(name).unlink(missing_ok=True)
