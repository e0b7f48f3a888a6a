"""Which ids came before? Exact, and in bounded memory: they are kept in a temporary file, not in a set."""

from __future__ import annotations

import sqlite3

_MOST_EXAMPLES = 10


class Duplicates:
    """Counts ids that were seen before, and keeps the first few as examples."""

    def __init__(self) -> None:
        # The empty name is SQLite's for a private database that moves to a temporary file once it outgrows its cache.
        self._seen = sqlite3.connect("", isolation_level=None)
        self._seen.execute("PRAGMA synchronous = OFF")
        self._seen.execute("PRAGMA journal_mode = OFF")
        self._seen.execute("CREATE TABLE seen (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self.count = 0
        self.examples: list[str] = []

    def add(self, identifier: str) -> None:
        """Take note of one id."""
        if self._seen.execute("INSERT OR IGNORE INTO seen VALUES (?)", (identifier,)).rowcount:
            return
        self.count += 1
        if identifier not in self.examples and len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(identifier)

    def close(self) -> None:
        """Let go of the temporary file."""
        self._seen.close()
