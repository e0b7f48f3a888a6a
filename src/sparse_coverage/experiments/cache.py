"""Caches keyed by content: what was computed from the same things is found again, whatever it was called."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path


def default_cache() -> Path:
    """Return the folder of the caches; `SPARSE_COVERAGE_CACHE` moves it."""
    chosen = os.environ.get("SPARSE_COVERAGE_CACHE")
    base = Path(chosen) if chosen else user_cache_path("sparse-coverage")
    return base / "experiments"


@cache
def code_key(*rooms: str) -> str:
    """Return a short key of the program text of some rooms: what another version computed is not found again by accident."""
    digest = hashlib.sha256()
    house = Path(__file__).parents[1]
    for room in rooms:
        for path in sorted((house / room).rglob("*.py")):
            digest.update(path.relative_to(house).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def content_key(**facts: Any) -> str:
    """Return a short key of some facts; equal facts, equal key.

    >>> content_key(a=1, b="x") == content_key(b="x", a=1)
    True
    """
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
