"""Caches keyed by content: what was computed from the same things is found again, whatever it was called."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from platformdirs import user_cache_path


def default_cache() -> Path:
    """Return the folder of the caches; `SPARSE_COVERAGE_CACHE` moves it."""
    chosen = os.environ.get("SPARSE_COVERAGE_CACHE")
    base = Path(chosen) if chosen else user_cache_path("sparse-coverage")
    return base / "experiments"


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
