"""Parts that belong together become one document: the answers of a service, or a table of metadata beside full texts.

What is waiting to be joined lies in a temporary file, not in memory.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import fields, replace

from sparse_coverage.patents.claims import make_claims
from sparse_coverage.patents.numbers import number_key, parse_number
from sparse_coverage.patents.passages import scratch_database
from sparse_coverage.patents.patent import Note, Patent, passage_xpath
from sparse_coverage.patents.readers.records import PARTS
from sparse_coverage.patents.reading.context import Tell
from sparse_coverage.patents.values import distinct

PART_FORMATS = frozenset({"EPO OPS", PARTS})
"""Formats of which a document is often a part, and others are elsewhere: these are always joined."""
_KEPT = frozenset({"id", "source", "format", "claims"})
_LISTS = ("ipc", "cpc", "family_members", "applicants", "inventors", "citations")


def merged(first: Patent, *others: Patent) -> Patent:
    """Return a patent with what it lacks taken from others of the same number; nothing that it has is replaced.

    >>> whole = merged(Patent("EP-1-A1", title="Valve"), Patent("EP-1-A1", title="Pump", ipc=("F16K 31/06",)))
    >>> whole.title, whole.ipc
    ('Valve', ('F16K 31/06',))
    """
    parts = (first, *others)
    values = {
        field.name: next((value for part in parts if (value := getattr(part, field.name))), getattr(first, field.name))
        for field in fields(Patent)
        if field.name not in _KEPT
    }
    if first.format == PARTS:  # a row each
        rows = [part for part in parts if part.format == PARTS]
        values |= {name: distinct(one for row in rows for one in getattr(row, name)) for name in _LISTS}
        values["description"] = tuple(
            replace(paragraph, xpath=passage_xpath("description", "p", place))
            for place, paragraph in enumerate((one for part in parts for one in part.description), 1)
        )
    with_claims = [part.claims for part in parts if part.claims]
    claims = with_claims[0] if with_claims else ()
    if len(with_claims) > 1:
        texts: dict[int, str] = {}
        for claim in (claim for some in with_claims for claim in some):
            texts.setdefault(claim.number, claim.text)
        claims = make_claims((place, number, texts[number]) for place, number in enumerate(sorted(texts), 1))
    return replace(first, id=next((part.id for part in parts if part.kind), first.id), claims=claims, **values)


class Parts:
    """Parts of patents by number, given back joined, in the order in which their numbers first came."""

    def __init__(self) -> None:
        self._kept = scratch_database(
            "CREATE TABLE part (place INTEGER PRIMARY KEY, number INTEGER, content BLOB); CREATE INDEX of_number ON part (number);"
            "CREATE TABLE number (place INTEGER PRIMARY KEY, key TEXT UNIQUE, used INTEGER);"
        )

    def add(self, patent: Patent) -> None:
        """Take one part."""
        number = parse_number(patent.id) if patent.format == PARTS else None  # most of its tables name no kind
        key = f"{number.country}-{number.number}" if number else number_key(patent.id)
        self._kept.execute("INSERT OR IGNORE INTO number (key, used) VALUES (?, 0)", (key,))
        (place,) = self._kept.execute("SELECT place FROM number WHERE key = ?", (key,)).fetchone()
        self._kept.execute("INSERT INTO part (number, content) VALUES (?, ?)", (place, pickle.dumps(patent)))

    def of(self, id_: str) -> Patent | None:
        """Return what there is for a document, and remember that it was asked for. A kind may be missing on either side."""
        number = parse_number(id_)
        keys = [number_key(id_), *([f"{number.country}-{number.number}"] if number else [])]
        for key in keys:
            if row := self._kept.execute("SELECT place FROM number WHERE key = ?", (key,)).fetchone():
                self._kept.execute("UPDATE number SET used = 1 WHERE place = ?", row)
                return self._joined(row[0])
        return None

    def unused(self) -> list[str]:
        """Return the numbers that no document asked for."""
        return [key for (key,) in self._kept.execute("SELECT key FROM number WHERE used = 0 ORDER BY place")]

    def __iter__(self) -> Iterator[Patent]:
        for (place,) in self._kept.execute("SELECT place FROM number ORDER BY place"):
            yield self._joined(place)

    def close(self) -> None:
        """Let go of the temporary file."""
        self._kept.close()

    def _joined(self, place: int) -> Patent:
        rows = self._kept.execute("SELECT content FROM part WHERE number = ? ORDER BY place", (place,))
        return merged(*(pickle.loads(content) for (content,) in rows))  # written by this object a moment ago


def joined(patents: Iterable[Patent]) -> Iterator[Patent]:
    """Yield patents, and at the end those that came in parts."""
    with closing(Parts()) as parts:
        waiting = False
        for patent in patents:
            if patent.format in PART_FORMATS:
                parts.add(patent)
                waiting = True
            else:
                yield patent
        if waiting:
            yield from parts


def with_metadata(patents: Iterable[Patent], metadata: Iterable[Patent], source: str, note: Tell) -> Iterator[Patent]:
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
        note(Note(source, 0, told, kind="joined"))
