"""From documents, as a user gives them, to their passages, which are indexed and found.

A document is a patent, a plain text, or a text with an id of its own. Also here: the keys that tell equal texts, those documents that
come twice, and counts of all.
"""

from __future__ import annotations

import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Literal

from sparse_coverage.errors import InputError
from sparse_coverage.files import ClosesItself
from sparse_coverage.patents.patent import ROOT, Claim, Paragraph, Passage, Patent, Section, passage_id, passage_xpath
from sparse_coverage.text.sentences import cut_text

_LOGGER = logging.getLogger("sparse_coverage")

By = Literal["passage", "paragraph", "title+paragraph", "section", "document"]

LONGEST = 200
"""The most words that a passage has; what is longer is cut at sentence ends."""
SHORT = 20
"""A paragraph of the description with fewer words, such as a heading or an item of a list, is joined with what follows."""
_SECTIONS: tuple[Section, ...] = ("abstract", "description", "claims", "translation")
PARAGRAPHS = "paragraphs "
"""How the number of such a passage begins where no numbers are printed: `paragraphs 2–3`, counted in the description."""


def section_text(patent: Patent, section: Section) -> str:
    """Return the text that the offsets of a section's passages refer to: its paragraphs joined by newlines."""
    if section == "title":
        return patent.title
    if section == "title+abstract":
        return _joined(patent.title, section_text(patent, "abstract"))
    if section == "document":
        return _joined(*(section_text(patent, name) for name in ("title+abstract", "claims", "description")))
    return "\n".join(part.text for part in _parts(patent, section))


def passages(patent: Patent, by: By = "passage") -> Iterator[Passage]:
    """Cut a patent into passages.

    By `passage`: paragraphs of at most 200 words. A longer paragraph or claim is cut at sentence ends into passages that
    follow one another, `p[16]:1`, `p[16]:2`; short paragraphs of the description, such as headings and items of lists, are
    joined with what follows: the passage has the place of the last and the numbers of all, `0007–0008`. By `paragraph`: one
    for each abstract paragraph, description paragraph and claim as the file has them, as in the paper. A patent with nothing
    but a title gives its title.
    By `title+paragraph`: the title too is always a passage. By `section`: title and abstract, claims, description. By
    `document`: everything in one text. Empty ones are left out. What a patent has in other languages too comes last, as passages or
    paragraphs of their own; a whole section or document is in one language.
    """
    if by in ("passage", "paragraph", "title+paragraph"):
        return _by_paragraph(patent, readable=by == "passage", title=by == "title+paragraph")
    if by == "section":
        return _whole_sections(patent, "title+abstract", "claims", "description")
    if by == "document":
        return _whole_sections(patent, "document")
    raise InputError(
        f"a patent is not cut by {by!r}: use 'passage', 'paragraph', 'title+paragraph', 'section' or 'document'."
    )


MOST_PASSAGES = 65_536
"""How many passages of one document an index can hold."""


def too_many(passages: int) -> str:
    """Return what to say of a document with more passages than an index can hold, else nothing."""
    if passages <= MOST_PASSAGES:
        return ""
    return f"it has {passages:,} passages, and an index holds at most {MOST_PASSAGES:,} of a document. Split it, or leave parts out."


def has_too_many(patent: Patent) -> str:
    """Return the same of a patent; its passages are counted only where there may be so many."""
    texts = [part.text for section in _SECTIONS for part in _parts(patent, section)]
    if len(texts) + sum(map(len, texts)) // LONGEST <= MOST_PASSAGES:
        return ""
    return too_many(sum(1 for _ in passages(patent)))


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _parts(patent: Patent, section: Section) -> Sequence[Paragraph | Claim]:
    if section == "abstract":
        return patent.abstract
    if section == "translation":
        return patent.translations
    return patent.claims if section == "claims" else patent.description


def _by_paragraph(patent: Patent, *, readable: bool, title: bool = False) -> Iterator[Passage]:
    found = False
    if title and patent.title:
        found = True
        yield from _whole_sections(patent, "title")
    for section in _SECTIONS:
        whole = _paragraphs(patent, section)
        joined = _joined_with_next(whole) if readable and section == "description" else whole
        for passage in joined:
            found = True
            yield from _cut(passage) if readable else (passage,)
    if not found:
        yield from _whole_sections(patent, "title")


def _paragraphs(patent: Patent, section: Section) -> Iterator[Passage]:
    start = 0
    for part in _parts(patent, section):
        end = start + len(part.text)
        if part.text:
            id_ = passage_id(patent.id, part.xpath)
            number = str(part.number)
            if section == "abstract" and number.isdigit():
                number = ""  # nobody cites an abstract by it, and the description has the same numbers
            yield Passage(id_, patent.id, section, part.xpath, part.text, start, end, number)
        start = end + 1


def _joined_with_next(paragraphs: Iterable[Passage]) -> Iterator[Passage]:
    """Join what is short with what follows, as long as both fit into one passage; what is short at the end stands alone."""
    held: list[Passage] = []  # paragraphs that are to be one passage
    for passage in paragraphs:
        if held and sum(map(_words, held)) + _words(passage) > LONGEST:
            yield _as_one(held)
            held = []
        held.append(passage)
        if sum(map(_words, held)) >= SHORT:
            yield _as_one(held)
            held = []
    if held:
        yield _as_one(held)


def _as_one(parts: Sequence[Passage]) -> Passage:
    """Return paragraphs as one passage: the place is that of the last, the number says all: `0007–0008`."""
    first, last = parts[0], parts[-1]
    if first is last:
        return first
    text = first.text + "".join("\n" * (b.start - a.end) + b.text for a, b in pairwise(parts))
    return replace(last, text=text, start=first.start, number=_range(parts))


def _range(parts: Sequence[Passage]) -> str:
    """Return what is printed at the first and the last of some paragraphs; where nothing is, which they are in the order."""
    numbers = [part.number for part in parts if part.number]
    if numbers and numbers[0] != numbers[-1] and numbers[-1].isdigit():
        return f"{numbers[0]}–{numbers[-1]}"
    if numbers:
        return numbers[0]  # the page, or column and line, where it begins
    places = [part.xpath.rpartition("[") for part in (parts[0], parts[-1])]
    same = places[0][0] == places[1][0]
    return f"{PARAGRAPHS}{places[0][2].rstrip(']')}–{places[1][2].rstrip(']')}" if same else ""


def _cut(passage: Passage) -> Iterator[Passage]:
    """Cut what is too long; the pieces are numbered behind the place of the paragraph."""
    pieces = cut_text(passage.text, LONGEST)
    if len(pieces) == 1:
        yield passage
        return
    for number, (begin, end) in enumerate(pieces, 1):
        start = passage.start + begin
        piece = passage.text[begin:end]
        yield replace(passage, id=f"{passage.id}:{number}", text=piece, start=start, end=passage.start + end)


def _words(passage: Passage) -> int:
    return len(passage.text.split())


def _whole_sections(patent: Patent, *sections: Section) -> Iterator[Passage]:
    """Yield sections that have a text, each as one passage."""
    places = {"title+abstract": "/abstract" if patent.abstract else "/title", "document": ""}
    for section in sections:
        if text := section_text(patent, section):
            xpath = f"/{ROOT}{places.get(section, f'/{section}')}"
            yield Passage(passage_id(patent.id, xpath), patent.id, section, xpath, text, 0, len(text))


KEY_BYTES = 16


def text_key(text: str) -> bytes:
    """Return the key of a text.

    >>> text_key("A valve.") == text_key("A " + "valve."), len(text_key(""))
    (True, 16)
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


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


def first_of_each(patents: Iterable[Patent], on_repeat: Callable[[Patent], None] | None = None) -> Iterator[Patent]:
    """Yield the first document of each id, in bounded memory. One without any text does not count.

    `on_repeat` is told of those that come again; without it, a warning is logged for each.
    """
    with closing(Duplicates()) as seen:
        for patent in patents:
            has_text = patent.title or patent.abstract or patent.claims or patent.description
            if not (has_text and seen.add(patent.id)):
                yield patent
            elif on_repeat is not None:
                on_repeat(patent)
            else:
                _LOGGER.warning("'%s' came before; the first document of that id is kept.", patent.id)
