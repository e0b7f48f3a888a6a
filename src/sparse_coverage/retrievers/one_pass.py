"""Dense vectors from the pass that makes spans: an index and its dense side are encoded together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from sparse_coverage.encoding import Encoder, Tokens, TokenVectors
from sparse_coverage.files import ClosesItself
from sparse_coverage.kernels import Floats
from sparse_coverage.patents.text_keys import text_key
from sparse_coverage.retrievers.dense import PooledEncoder, pooling_of


class KeptRows(ClosesItself):
    """Rows of a side by the keys of their texts, in a file beside an index while it is built."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store = sqlite3.connect(path, isolation_level=None)
        try:
            self._prepare()
        except sqlite3.DatabaseError:  # cut by a power failure: what it held is made again
            self.remove()
            self._store = sqlite3.connect(path, isolation_level=None)
            self._prepare()

    def add(self, key: bytes, row: Floats) -> None:
        """Keep a row."""
        self._store.execute("INSERT OR IGNORE INTO rows VALUES (?, ?)", (key, row.astype("<f4").tobytes()))

    def get(self, key: bytes) -> Floats | None:
        """Return a row, if it is there."""
        found = self._store.execute("SELECT content FROM rows WHERE key = ?", (key,)).fetchone()
        return None if found is None else np.frombuffer(found[0], dtype="<f4").astype(np.float32)

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def remove(self) -> None:
        """Close and delete the file."""
        self.close()
        for name in (self._path.name, f"{self._path.name}-wal", f"{self._path.name}-shm"):
            with suppress(OSError):
                self._path.with_name(name).unlink(missing_ok=True)

    def _prepare(self) -> None:
        self._store.execute("PRAGMA synchronous = OFF")
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute("CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, content BLOB NOT NULL)")


class PoolingEncoder:
    """Wraps an encoder: what it encodes is also pooled, and the pooled vectors are kept for a dense side.

    For everything else it is the `encoder` that it wraps.
    """

    def __init__(self, encoder: Encoder, index: Path) -> None:
        self.encoder = encoder
        self.name, self.fingerprint = encoder.name, encoder.fingerprint
        self.precision, self.dimension = encoder.precision, encoder.dimension
        self.threads = getattr(encoder, "threads", 1)
        self._pooled = PooledEncoder(encoder, pooling_of(encoder.name))
        path = index.absolute()
        self.rows = KeptRows(path.with_name(f".{path.name}.dense-{encoder.fingerprint[:16]}.sqlite"))

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text without encoding it."""
        return self.encoder.tokenize(text)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order."""
        waiting: list[bytes] = []

        def noted() -> Iterator[str]:
            for text in texts:
                waiting.append(text_key(text))
                yield text

        for number, tokens in enumerate(self.encoder.encode(noted())):
            self.rows.add(waiting[number], self._pooled.pooled(tokens))
            yield tokens
