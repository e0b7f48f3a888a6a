"""Vectors that are known already, by the key of their text, so that no text is encoded twice.

Publications of one application, members of a family and boilerplate share passages. Their vectors are kept in one file while an
index is built, half of it the newest ones and half the ones before, so that it stays bounded however large a collection is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from sparse_coverage.encoding.batching import windows
from sparse_coverage.files import ClosesItself
from sparse_coverage.index.postings import WEIGHT_SCALE
from sparse_coverage.index.segment import Segment
from sparse_coverage.kernels.postings import FAR_SPAN
from sparse_coverage.patents.passages import text_key
from sparse_coverage.vectors import SparseVector

LIMIT = 4 << 30
"""How many bytes of vectors are kept: those of some 700,000 passages."""
_WINDOW = 600_000  # characters that are looked up at once: several windows of the encoder
_FACTS = (
    3  # numbers before the arrays: all spans, those that no center covers, the length of the vector of the whole text
)

T = TypeVar("T")
Vectors = Callable[[Iterable[str]], Iterator[SparseVector]]
"""What turns a stream of texts into their vectors, in order."""


class VectorCache(ClosesItself, Generic[T]):
    """Vectors of some kind by the key of their text, in a file; without a path in a temporary one that is gone when it is closed.

    `pack` and `unpack` turn a vector into bytes and back.
    """

    def __init__(
        self, path: Path | None, pack: Callable[[T], bytes], unpack: Callable[[bytes], T], limit: int = LIMIT
    ) -> None:
        self._path = path
        self._pack, self._unpack = pack, unpack
        self._held = 0
        self._limit = limit
        try:
            self._open()
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            if path is None:
                raise
            with suppress(AttributeError):  # which it is where it could not even be opened
                self.close()
            _remove(path)  # cut by a power failure: what it knew is made again
            self._open()

    def __enter__(self) -> VectorCache[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, key: bytes) -> T | None:
        """Return a vector, if it is known."""
        for half in ("newer", "older"):
            row = self._store.execute(f"SELECT content FROM {half} WHERE key = ?", (key,)).fetchone()
            if row is not None:
                return self._unpack(row[0])
        return None

    def find(self, keys: Iterable[bytes]) -> dict[bytes, T]:
        """Return the vectors of those keys that are known."""
        return {key: vector for key in keys if (vector := self.get(key)) is not None}

    def __contains__(self, key: bytes) -> bool:
        return any(
            self._store.execute(f"SELECT 1 FROM {half} WHERE key = ?", (key,)).fetchone() for half in ("newer", "older")
        )

    def add(self, vectors: Mapping[bytes, T]) -> None:
        """Keep some vectors; the oldest are dropped when there are too many."""
        rows = [(key, self._pack(vector)) for key, vector in vectors.items()]
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


def sparse_cache(path: Path | None = None, limit: int = LIMIT) -> VectorCache[SparseVector]:
    """Return a cache of sparse vectors. What it gives back lacks the places of spans in the text, which no index keeps."""
    return VectorCache(path, _packed, _unpacked, limit)


def encoding_once(known: VectorCache[SparseVector], vectors: Vectors) -> Vectors:
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
    whole = np.zeros(0, np.float32) if vector.whole is None else vector.whole
    facts = np.asarray([vector.span_count, vector.uncovered, len(whole)], dtype="<i4")
    lists = (vector.centers.astype("<i4"), vector.weights.astype("<f4"), vector.spans.astype("<i4"))
    arrays = (facts, whole.astype("<f4"), *lists)
    return b"".join(array.tobytes() for array in arrays)


def _unpacked(content: bytes) -> SparseVector:
    numbers = np.frombuffer(content, dtype="<i4")
    covered = int(numbers[2])
    first = _FACTS + covered
    count = (len(numbers) - first) // 3
    centers, weights, spans = (numbers[first + part * count : first + (part + 1) * count] for part in range(3))
    whole = numbers[_FACTS:first].view("<f4") if covered else None
    nowhere = np.zeros(count, dtype=np.int32)
    return SparseVector(centers, weights.view("<f4"), spans, nowhere, nowhere, int(numbers[0]), int(numbers[1]), whole)


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):
            path.with_name(name).unlink(missing_ok=True)


def stored_vectors(segment: Segment, document: int) -> dict[str, SparseVector]:
    """Return the vectors of a document's passages by their texts: one pass over all lists of its segment.

    They lack the places of spans in the text, which no index keeps. An index knows only of whole documents how many spans no
    center covers: where there are any, nothing is returned.
    """
    if segment.uncovered[document]:
        return {}
    first, last = segment.document_starts[document : document + 2].tolist()
    segment.packed.check_all()
    segment.spans.check_all()
    packed = segment.postings.packed
    places = np.flatnonzero((packed >= np.uint64(first) << np.uint64(16)) & (packed < np.uint64(last) << np.uint64(16)))
    passages = (packed[places] >> np.uint32(16)).astype(np.int64)
    order = np.argsort(passages, kind="stable")
    places, passages = places[order], passages[order]
    centers = (np.searchsorted(segment.postings.offsets, places, side="right") - 1).astype(np.int32)
    weights = (packed[places] & np.uint32(0xFFFF)) / WEIGHT_SCALE
    spans = segment.postings.spans[places].astype(np.int32)
    for row in np.flatnonzero(spans == FAR_SPAN).tolist():
        far = segment.postings.far
        spans[row] = far[(far[:, 0] == centers[row]) & (far[:, 1] == passages[row]), 2][0]
    kept = None if segment.vectors is None else segment.vectors.unpacked(first, last)
    found = {}
    for record, number in zip(segment.texts.passages_between(first, last), range(first, last), strict=True):
        part = slice(*np.searchsorted(passages, [number, number + 1]).tolist())
        nowhere = np.zeros(part.stop - part.start, dtype=np.int32)
        count = int(segment.span_counts[number])
        found[record.text] = SparseVector(
            centers[part],
            weights[part].astype(np.float32),
            spans[part],
            nowhere,
            nowhere,
            count,
            0,
            None if kept is None else kept[number - first],
        )
    return found
