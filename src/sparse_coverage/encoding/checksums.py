"""Checksums of large files, computed once: a file whose size and time of change are as they were is not read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import platformdirs

from sparse_coverage.files import sha256_of, write_text


def cache_folder() -> Path:
    """Return the folder that holds fetched models. `SPARSE_COVERAGE_CACHE` moves it."""
    chosen = os.environ.get("SPARSE_COVERAGE_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("sparse-coverage", appauthor=False))


def sha256_once(path: Path) -> str:
    """Return the sha256 of a file, from what is known of it where the file has not changed since."""
    status, name = path.stat(), str(path.absolute())
    book = cache_folder() / "checksums.json"
    known = _read(book)
    facts = [status.st_size, status.st_mtime_ns, status.st_ino]
    if name in known and known[name][:3] == facts:
        return str(known[name][3])
    found = sha256_of(path)
    kept = {other: entry for other, entry in _read(book).items() if Path(other).exists()}
    try:
        book.parent.mkdir(parents=True, exist_ok=True)
        write_text(book, json.dumps({**kept, name: [*facts, found]}))
    except OSError:
        pass  # where nothing can be kept, it is computed each time
    return found


def _read(book: Path) -> dict[str, list[object]]:
    try:
        found = json.loads(book.read_text(encoding="utf-8"))
        return {name: entry for name, entry in found.items() if isinstance(entry, list) and len(entry) == 4}
    except (OSError, ValueError, AttributeError):
        return {}
