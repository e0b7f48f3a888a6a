"""Counting what a collection holds, one patent at a time: memory does not grow with the collection."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sparse_coverage.files import ClosesItself
from sparse_coverage.patents.passages import passages
from sparse_coverage.patents.patent import Patent

_MOST_EXAMPLES = 10


class Duplicates(ClosesItself):
    """Counts ids that were seen before, and keeps the first few as examples.

    Exact, and in bounded memory: they are kept in a temporary file, not in a set.
    """

    def __init__(self) -> None:
        # The empty name is SQLite's for a private database that moves to a temporary file once it outgrows its cache.
        self._seen = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._seen.execute("PRAGMA synchronous = OFF")
        self._seen.execute("PRAGMA journal_mode = OFF")
        self._seen.execute("CREATE TABLE seen (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self.count = 0
        self.examples: list[str] = []

    def add(self, identifier: str) -> bool:
        """Take note of one id; return whether it was seen before."""
        if self._seen.execute("INSERT OR IGNORE INTO seen VALUES (?)", (identifier,)).rowcount:
            return False
        self.count += 1
        if identifier not in self.examples and len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(identifier)
        return True

    def close(self) -> None:
        """Let go of the temporary file."""
        self._seen.close()


@dataclass(slots=True)
class Survey:
    """Totals, counts by format, language, country, kind and year of publication, and ids that occur again."""

    documents: int = 0
    claims: int = 0
    independent_claims: int = 0
    passages: int = 0
    words: int = 0
    without: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    countries: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    years: Counter[str] = field(default_factory=Counter)
    duplicates: Duplicates = field(default_factory=Duplicates)

    def add(self, patent: Patent) -> None:
        """Count one patent."""
        self.documents += 1
        self.duplicates.add(patent.id)
        self.claims += len(patent.claims)
        self.independent_claims += sum(not claim.depends_on for claim in patent.claims)
        for passage in passages(patent):
            self.passages += 1
            self.words += len(passage.text.split())
        for part in ("title", "abstract", "claims", "description"):
            self.without[part] += not getattr(patent, part)
        self.formats[patent.format] += 1
        self.languages[patent.language or "unknown"] += 1
        self.countries[patent.country or "unknown"] += 1
        self.kinds[patent.kind or "unknown"] += 1
        self.years[patent.publication_date[:4] or "unknown"] += 1

    def record(self) -> dict[str, Any]:
        """Return the counts for programs, keys in a stable order."""
        names = ("without", "formats", "languages", "countries", "kinds", "years")
        totals = ("documents", "claims", "independent_claims", "passages", "words")
        repeated = {"duplicates": self.duplicates.count, "duplicate_ids": self.duplicates.examples}
        counts = {name: dict(sorted((key, n) for key, n in getattr(self, name).items() if n)) for name in names}
        return {name: getattr(self, name) for name in totals} | repeated | counts
