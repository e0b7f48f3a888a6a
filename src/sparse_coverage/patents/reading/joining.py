"""Parts that belong together become one document: the answers of a service, or a table of metadata beside full texts.

What is waiting to be joined lies in a temporary file, not in memory.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import fields, replace

from sparse_coverage.patents.claims import make_claims
from sparse_coverage.patents.numbers import number_key, parse_number
from sparse_coverage.patents.patent import Patent, Problem, passage_xpath
from sparse_coverage.patents.readers.records import PARTS
from sparse_coverage.patents.reading.context import Report
from sparse_coverage.patents.values import distinct

PART_FORMATS = frozenset({"EPO OPS", PARTS})
"""Formats of which a document is often a part, and others are elsewhere: these are always joined."""
_KEPT = frozenset({"id", "source", "format", "claims"})
_LISTS = ("ipc", "cpc", "family_members", "applicants", "inventors", "citations")


def merged(first: Patent, other: Patent) -> Patent:
    """Return a patent with what it lacks taken from another of the same number; nothing that it has is replaced.

    >>> whole = merged(Patent("EP-1-A1", title="Valve"), Patent("EP-1-A1", title="Pump", ipc=("F16K 31/06",)))
    >>> whole.title, whole.ipc
    ('Valve', ('F16K 31/06',))
    """
    lacking = {
        field.name: getattr(other, field.name)
        for field in fields(Patent)
        if field.name not in _KEPT and not getattr(first, field.name) and getattr(other, field.name)
    }
    if first.format == other.format == PARTS:  # a row each
        for name in _LISTS:
            lacking[name] = distinct([*getattr(first, name), *getattr(other, name)])
        if first.description and other.description:
            texts = [*first.description, *other.description]
            lacking["description"] = tuple(
                replace(part, xpath=passage_xpath("description", "p", place)) for place, part in enumerate(texts, 1)
            )
    claims = first.claims or other.claims
    if first.claims and other.claims:
        by_number = {claim.number: claim.text for claim in (*other.claims, *first.claims)}
        claims = make_claims((place, number, by_number[number]) for place, number in enumerate(sorted(by_number), 1))
    return replace(first, id=other.id if other.kind and not first.kind else first.id, claims=claims, **lacking)


class Parts:
    """Parts of patents by number, each joined with what came before; given back in the order in which they first came."""

    def __init__(self) -> None:
        # The empty name is SQLite's for a private database that moves to a temporary file once it outgrows its cache.
        self._kept = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._kept.execute("PRAGMA synchronous = OFF")
        self._kept.execute("PRAGMA journal_mode = OFF")
        self._kept.execute("CREATE TABLE part (key TEXT UNIQUE, place INTEGER PRIMARY KEY, content BLOB, used INTEGER)")

    def add(self, patent: Patent) -> None:
        """Take one part."""
        number = parse_number(patent.id) if patent.format == PARTS else None  # most of its tables name no kind
        key = f"{number.country}-{number.number}" if number else number_key(patent.id)
        if (before := self._get(key)) is not None:
            content = pickle.dumps(merged(before, patent))
            self._kept.execute("UPDATE part SET content = ? WHERE key = ?", (content, key))
        else:
            self._kept.execute("INSERT INTO part (key, content, used) VALUES (?, ?, 0)", (key, pickle.dumps(patent)))

    def of(self, id_: str) -> Patent | None:
        """Return the part for a document, and remember that it was asked for. A kind may be missing on either side."""
        number = parse_number(id_)
        keys = [number_key(id_), *([f"{number.country}-{number.number}"] if number else [])]
        for key in keys:
            if (found := self._get(key)) is not None:
                self._kept.execute("UPDATE part SET used = 1 WHERE key = ?", (key,))
                return found
        return None

    def unused(self) -> list[str]:
        """Return the numbers that no document asked for."""
        return [key for (key,) in self._kept.execute("SELECT key FROM part WHERE used = 0 ORDER BY place")]

    def __iter__(self) -> Iterator[Patent]:
        for (content,) in self._kept.execute("SELECT content FROM part ORDER BY place"):
            yield pickle.loads(content)  # written by this object a moment ago

    def close(self) -> None:
        """Let go of the temporary file."""
        self._kept.close()

    def _get(self, key: str) -> Patent | None:
        row = self._kept.execute("SELECT content FROM part WHERE key = ?", (key,)).fetchone()
        return pickle.loads(row[0]) if row else None


def joined(patents: Iterable[Patent], *, everything: bool = False) -> Iterator[Patent]:
    """Yield patents, and at the end those that came in parts: of the formats that do, or `everything` of one number."""
    with closing(Parts()) as parts:
        waiting = False
        for patent in patents:
            if everything or patent.format in PART_FORMATS:
                parts.add(patent)
                waiting = True
            else:
                yield patent
        if waiting:
            yield from parts


def with_metadata(patents: Iterable[Patent], metadata: Iterable[Patent], source: str, note: Report) -> Iterator[Patent]:
    """Yield patents with what they lack taken from a list of metadata, by number. What did not match is counted in a note."""
    with closing(Parts()) as parts:
        for row in metadata:
            parts.add(row)
        matched = without = 0
        for patent in patents:
            row_or_none = parts.of(patent.id)
            matched += row_or_none is not None
            without += row_or_none is None
            yield patent if row_or_none is None else merged(patent, row_or_none)
        left = parts.unused()
        named = f" ({', '.join(left[:5])}{', …' if len(left) > 5 else ''})" if left else ""
        told = f"metadata: {matched:,} documents matched, {without:,} have none, {len(left):,} rows belong to no document{named}"
        note(Problem(source, 0, told))
