"""What a patent is, once read: immutable, typed, the same whatever file it came from; and how places in it are named.

A place has one XPath, the one that CLEF-IP judgements use. Judgements write it as `/patent-document/abstract/p[1]`,
`/patent-document[1]/abstract[1]/p[1]` or, for a single element, `/patent-document/abstract/p`. One part of each kind is in the
wanted language, so the index of the part says nothing; that of the paragraph or claim does. The same part in German is
`/patent-document/claims-de/claim[1]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.printing import visible
from sparse_coverage.text.languages import NAMES

Section = Literal["title", "abstract", "title+abstract", "claims", "description", "translation", "document"]


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
    """A patent publication: its parts in one language, and what it has in others too.

    `translations` are parts of the same publication in other languages than these, such as the German and French claims of a
    European grant; they are found as its other passages are.
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
    translations: tuple[Paragraph, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """What is indexed and found: one paragraph or claim, or a part of it, traceable to its place in the document.

    `start` and `end` are character offsets into the text of the passage's section (its paragraphs joined by newlines;
    see `section_text`). `number` is that of the paragraph (`0034`) or claim, where one is printed, the first and the last of
    several paragraphs (`0007–0008`), or another place (`page 3`, `paragraphs 2–3`). Title and abstract read
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
        told = f"{place}: {self.document}: {self.cause}" if self.document else f"{place}: {self.cause}"
        return visible(told).replace("\n", " ")


@dataclass(frozen=True, slots=True)
class Note(Problem):
    """Something to know of what was read: what was left out on purpose, say. `names` are the columns or fields that are `unused`.

    A `skipped` file holds no patents; of a document that was `mended`, small damage was put right; `joined` tells what came of metadata.
    """

    kind: Literal["", "skipped", "mended", "unused", "joined"] = ""
    names: tuple[str, ...] = ()


ROOT = "patent-document"
_PARTS = frozenset({"abstract", "description", "claims"})
# `//patent-document` is the root as well, and a slash at the end adds nothing.
_EDGES = re.compile(rf"^//?(?={ROOT}\b)|^/|/$")
_STEP = re.compile(r"([A-Za-z_][\w.-]*)(?:\[(\d{1,9})\])?")


def canonical_xpath(xpath: str) -> str:
    """Bring a judged XPath to its canonical form.

    >>> canonical_xpath("/patent-document[1]/abstract[1]/p")
    '/patent-document/abstract/p[1]'
    >>> canonical_xpath("description/p[16]")
    '/patent-document/description/p[16]'
    """
    steps = []
    for step in _EDGES.sub("", xpath.strip()).split("/"):
        match = _STEP.fullmatch(step.strip())
        misspelled_root = match is not None and match[1].lower() == ROOT != match[1]  # names are case-sensitive in XML
        if match is None or misspelled_root or (match[2] is not None and int(match[2]) < 1):
            raise InputError(
                f"not an XPath of a passage: {xpath!r}. Expected a form like /patent-document/description/p[16]."
            )
        steps.append((match[1], int(match[2] or 1)))
    if steps[0][0] == ROOT:
        del steps[0]
    names = [ROOT]
    for depth, (name, index) in enumerate(steps):
        part = depth == 0 and name.partition("-")[0] in _PARTS
        names.append(name if part else f"{name}[{index}]")
    return "/" + "/".join(names)


def passage_xpath(part: str, leaf: str, index: int) -> str:
    """Return the canonical XPath of a paragraph or claim: `/patent-document/description/p[16]`."""
    return f"/{ROOT}/{part}/{leaf}[{index}]"


def passage_id(document: str, xpath: str) -> str:
    """Return the id of a passage: the document's id, then the canonical XPath without its root."""
    return document + xpath.removeprefix(f"/{ROOT}")


def in_other_language(part: str, language: str, found: Sequence[Paragraph | Claim]) -> tuple[Paragraph, ...]:
    """Return the paragraphs or claims of a part as it stands in another language; each says so where its number is shown.

    >>> german = in_other_language("claims", "de", [Claim(1, "Ventil.", "/patent-document/claims/claim[1]")])
    >>> german[0].xpath, german[0].number
    ('/patent-document/claims-de/claim[1]', 'claim 1, in German')
    """
    place, said = f"/{ROOT}/{part}", f"in {NAMES.get(language, language or 'another language')}"
    return tuple(
        Paragraph(
            one.text,
            f"{place}-{language or 'other'}{one.xpath.removeprefix(place)}",
            f"{f'claim {one.number}' if part == 'claims' else f'{part} {one.number}'.strip()}, {said}",
        )
        for one in found
    )
