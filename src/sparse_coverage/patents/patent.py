"""What a patent is, once read: immutable, typed, the same whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Section = Literal["title", "abstract", "title+abstract", "claims", "description", "document"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One abstract or description paragraph with its canonical XPath and, if one is printed, its number (`0016`)."""

    text: str
    xpath: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its number, its text, its canonical XPath and the numbers of the claims it refers to directly."""

    number: int
    text: str
    xpath: str
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Patent:
    """A patent publication in one language.

    Dates are ISO strings (`2002-06-12`) or empty. `ipc` and `cpc` hold symbols as `H04N 5/44`. `family` identifies the
    simple family when the source names one; `family_members` lists publication ids of the family when the source lists
    them. Citations are metadata: they are never indexed. `source` is the file it came from and `format` its kind.
    """

    id: str
    title: str = ""
    abstract: tuple[Paragraph, ...] = ()
    claims: tuple[Claim, ...] = ()
    description: tuple[Paragraph, ...] = ()
    country: str = ""
    kind: str = ""
    language: str = ""
    publication_date: str = ""
    application_date: str = ""
    priority_date: str = ""
    ipc: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    family: str = ""
    family_members: tuple[str, ...] = ()
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    source: str = ""
    format: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is indexed and found: one paragraph or claim, or a part of it, traceable to its place in the document.

    `start` and `end` are character offsets into the text of the passage's section (its paragraphs joined by newlines;
    see `section_text`). `number` is that of the paragraph (`0034`) or claim, where one is printed. Title and abstract read
    as one passage have the section `title+abstract`, a whole document has the section `document`.
    """

    id: str
    document: str
    section: Section
    xpath: str
    text: str
    start: int = 0
    end: int = 0
    number: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, or was left out: where, and why.

    `line` is 0 where a line says nothing (a damaged archive). `document` is the publication id when it is known.
    """

    file: str
    line: int
    cause: str
    document: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.document}: {self.cause}" if self.document else f"{place}: {self.cause}"
