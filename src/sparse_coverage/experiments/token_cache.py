"""An encoder that remembers: the token vectors of a text are computed once, whatever units and sizes are tried on them."""

from __future__ import annotations

import hashlib
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from sparse_coverage.encoding import Encoder, Tokens, TokenVectors
from sparse_coverage.encoding.batching import windows
from sparse_coverage.encoding.encoder import FloatMatrix, IntArray
from sparse_coverage.errors import InputError
from sparse_coverage.experiments.cache import code_key
from sparse_coverage.files import ClosesItself

DEFAULT_BUDGET = 8 << 30
_WINDOW = 500_000  # characters: some hundred megabytes of vectors at most
_SCHEMA = """
CREATE TABLE IF NOT EXISTS texts (
    key BLOB PRIMARY KEY, vectors BLOB NOT NULL, starts BLOB NOT NULL, ends BLOB NOT NULL, chunks BLOB NOT NULL,
    special BLOB
) WITHOUT ROWID
"""


class RememberingEncoder(ClosesItself):
    """Wraps an encoder; vectors go, as they are, into one SQLite file until it holds `budget` bytes.

    What does not fit any more is computed each time. On a GPU an encoder's last bits (about 1e-6) depend on which texts share a
    batch, and so on what was known before: two caches with different histories may differ there, one cache never does.
    """

    def __init__(self, inner: Encoder, folder: Path, budget: int = DEFAULT_BUDGET) -> None:
        self._inner = inner
        self.name, self.fingerprint = inner.name, inner.fingerprint
        self.precision, self.dimension = inner.precision, inner.dimension
        self._budget = budget
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"tokens-{inner.fingerprint}-{inner.precision}-{code_key('encoding')}.sqlite"
        try:
            self._store = sqlite3.connect(self._path, timeout=60, isolation_level=None)
            self._store.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise InputError(
                f"{self._path}: the cache of token vectors cannot be opened ({error}). Remove it."
            ) from None

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text without encoding it."""
        return self._inner.tokenize(text)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order, from the cache where they are in it."""
        for window in windows(texts, len, _WINDOW):
            yield from self._encode(window)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _encode(self, texts: list[str]) -> Iterator[TokenVectors]:
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        absent = {key: text for key, text in zip(keys, texts, strict=True) if not self._holds(key)}
        fresh = dict(zip(absent, self._inner.encode(absent.values()), strict=True))
        self._keep(fresh)
        for key in keys:
            yield fresh[key] if key in fresh else self._read(key)

    def _holds(self, key: bytes) -> bool:
        return self._store.execute("SELECT 1 FROM texts WHERE key = ?", (key,)).fetchone() is not None

    def _read(self, key: bytes) -> TokenVectors:
        query = "SELECT vectors, special, starts, ends, chunks FROM texts WHERE key = ?"
        vectors, special, *places = self._store.execute(query, (key,)).fetchone()
        starts, ends, chunks = (np.frombuffer(place, dtype=np.int32) for place in places)
        shaped = np.frombuffer(vectors, dtype=np.float32).reshape(-1, self.dimension)
        return TokenVectors(shaped, starts, ends, chunks, _special(special, chunks, self.dimension))

    def _keep(self, fresh: dict[bytes, TokenVectors]) -> None:
        if not fresh or self._path.stat().st_size >= self._budget:
            return
        rows = [(key, *_blobs(tokens)) for key, tokens in fresh.items()]
        try:
            self._store.execute("BEGIN IMMEDIATE")
            self._store.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._store.execute("COMMIT")
        except sqlite3.OperationalError as error:  # a full disk, or another process that writes for very long
            self._budget = 0
            if self._store.in_transaction:
                self._store.execute("ROLLBACK")
            print(f"Token vectors are no longer kept ({error}): everything takes longer from here.", file=sys.stderr)


def _blobs(tokens: TokenVectors) -> list[bytes | None]:
    places = (tokens.starts, tokens.ends, tokens.chunks)
    special = None if tokens.special is None else tokens.special.astype(np.float32).tobytes()
    vectors = tokens.vectors.astype(np.float32).tobytes()
    return [vectors, *(place.astype(np.int32).tobytes() for place in places), special]


def _special(content: bytes | None, chunks: IntArray, dimension: int) -> FloatMatrix | None:
    if content is None:
        return None
    count = int(chunks.max(initial=-1)) + 1
    vectors = np.frombuffer(content, dtype=np.float32)
    return vectors.reshape(count, -1, dimension) if count else vectors.reshape(0, 0, dimension)
