"""What a user may give as a document: a patent, a plain text, or a text with an id of its own; those that come twice; and counts of all."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from sparse_coverage.errors import InputError
from sparse_coverage.files import ClosesItself
from sparse_coverage.patents.passages import passages
from sparse_coverage.patents.patent import Paragraph, Patent, passage_xpath

_MOST_EXAMPLES = 10


def scratch_database(tables: str) -> sqlite3.Connection:
    """Return a private database with some tables, which moves to a temporary file once it outgrows its cache."""
    made = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    made.executescript(f"PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; {tables}")
    return made


class Duplicates(ClosesItself):
    """Counts ids that were seen before, and keeps the first few as examples.

    Exact, and in bounded memory: they are kept in a temporary file, not in a set.
    """

    def __init__(self) -> None:
        self._seen = scratch_database("CREATE TABLE seen (id TEXT PRIMARY KEY) WITHOUT ROWID")
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


Document = Patent | str | tuple[str, str]
"""A patent, a plain text, or an (id, text) pair."""


def as_patents(documents: Iterable[Document]) -> Iterator[Patent]:
    """Yield each document as a patent. A text becomes a description of one paragraph; without an id, its position is its id.

    >>> [patent.id for patent in as_patents(["A valve.", ("pump", "A pump."), Patent("EP-1-A1")])]
    ['0', 'pump', 'EP-1-A1']
    """
    return (as_patent(document, number) for number, document in enumerate(several(documents)))


def several(documents: Iterable[Document]) -> Iterable[Document]:
    """Return the documents, and refuse a single text, whose letters would be taken for documents."""
    if isinstance(documents, str):
        raise InputError(
            f"Documents are a list of patents, texts or (id, text) pairs; this is one text: '{documents[:40]}'. "
            "Put it into a list, or read the files of that name with read_patents."
        )
    return documents


def as_patent(document: Document, number: int) -> Patent:
    """Return the document at a position as a patent."""
    if isinstance(document, Patent):
        return document
    pair = (str(number), document) if isinstance(document, str) else document
    if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
        raise InputError(f"A document is a patent, a text or an (id, text) pair, not {document!r:.80}.")
    return Patent(pair[0], description=(Paragraph(pair[1], passage_xpath("description", "p", 1)),))


OnDuplicate = Literal["keep", "replace", "error"]
"""What becomes of a document whose id came before: the first is kept, the later one replaces it, or the run ends."""


class Repeats(Duplicates):
    """Tells which documents come again, in bounded memory, and to whom it may concern. One without any text does not count."""

    def __init__(self, rule: OnDuplicate = "error", on_repeat: Callable[[Patent], None] | None = None) -> None:
        if rule not in ("keep", "replace", "error"):
            raise InputError(f"A document that comes twice can be met with keep, replace or error, not '{rule}'.")
        super().__init__()
        self.rule = rule
        self._report = on_repeat

    def again(self, patent: Patent) -> bool:
        """Take note of a document; return whether one with its id came before."""
        if not (patent.title or patent.abstract or patent.claims or patent.description):
            return False
        again = self.add(patent.id)
        if again and self.rule == "error":
            place = f" (the second time in {patent.source})" if patent.source else ""
            raise InputError(
                f"The document '{patent.id}' comes twice in the input{place}. Leave one out, give it another id, or say which one "
                "counts: --on-duplicate keep (the first) or replace (the last)."
            )
        if again and self._report is not None:
            self._report(patent)
        return again
