"""Caches keyed by content: a result is found again if it was computed from the same input, under any name.

`RememberingEncoder` keeps the token vectors of texts: computed once, whatever units and sizes are tried on them.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from sparse_coverage.encoding import Encoder, Tokens, TokenVectors
from sparse_coverage.encoding.batching import windows
from sparse_coverage.encoding.catalogue import Pooling
from sparse_coverage.encoding.encoder import FloatMatrix, IntArray
from sparse_coverage.errors import InputError
from sparse_coverage.files import ClosesItself, user_cache
from sparse_coverage.spans import SpanUnit


def default_cache() -> Path:
    """Return the folder of the caches; `SPARSE_COVERAGE_CACHE` moves it."""
    return user_cache() / "experiments"


@contextmanager
def alone(place: Path, what: str) -> Iterator[None]:
    """Make something at a place of the cache while no other process makes it; wait for one that does, and say so."""
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{place}.lock")
    try:
        lock.acquire(timeout=1)
    except Timeout:
        print(f"Another process is making {what}; waiting for it.", file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@cache
def code_key(*parts: str) -> str:
    """Return a short key of the program text of some packages and files: what another version computed is not found again."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for part in parts:
        place = root / part
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def content_key(**facts: Any) -> str:
    """Return a short key of some facts; equal facts, equal key.

    >>> content_key(a=1, b="x") == content_key(b="x", a=1)
    True
    """
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def unit_key(unit: SpanUnit) -> str:
    """Return what identifies a unit: its whole name, with the tagger where there is a choice; of one that is not ours also what it does."""
    if type(unit).__module__.startswith("sparse_coverage."):
        return unit.name
    parts = [(key, value) for base in type(unit).__mro__[:-1] for key, value in sorted(vars(base).items())]
    does = [(key, _bare(value.__code__)) for key, value in parts if isinstance(value, FunctionType)]
    has = [(key, value) for key, value in parts if isinstance(value, str | int | float | tuple) and key[:2] != "__"]
    return content_key(name=unit.name, does=repr(does), has=repr([*has, *sorted(vars(unit).items())]))


def _bare(code: CodeType) -> tuple[Any, ...]:
    """Return what a function does, whatever its file and line."""
    inner = tuple(_bare(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.co_code, code.co_names, inner


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
        self._pooling: Pooling = getattr(inner, "pooling", "mean")
        self._budget = budget
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"tokens-{inner.fingerprint}-{inner.precision}-{code_key('encoding')}.sqlite"
        try:
            self._store = sqlite3.connect(self._path, timeout=60, isolation_level=None)
            self._store.execute(_SCHEMA)
        except (sqlite3.Error, UnicodeDecodeError) as error:
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
        held = "SELECT 1 FROM texts WHERE key = ?"
        pairs = zip(keys, texts, strict=True)
        absent = {key: text for key, text in pairs if self._store.execute(held, (key,)).fetchone() is None}
        fresh = dict(zip(absent, self._inner.encode(absent.values()), strict=True))
        self._keep(fresh)
        for key in keys:
            yield fresh[key] if key in fresh else self._read(key)

    def _read(self, key: bytes) -> TokenVectors:
        query = "SELECT vectors, special, starts, ends, chunks FROM texts WHERE key = ?"
        vectors, special, *places = self._store.execute(query, (key,)).fetchone()
        starts, ends, chunks = (np.frombuffer(place, dtype=np.int32) for place in places)
        shaped = np.frombuffer(vectors, dtype=np.float32).reshape(-1, self.dimension)
        return TokenVectors(shaped, starts, ends, chunks, _special(special, chunks, self.dimension), self._pooling)

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
