"""From a patent to its passages, which are indexed and found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Claim, Paragraph, Passage, Patent, Section
from sparse_coverage.patents.xpath import ROOT, passage_id

By = Literal["passage", "section", "document"]


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

    By `passage`: one for each abstract paragraph, description paragraph and claim; a patent with nothing but a title
    gives its title. By `section`: title and abstract, claims, description. By `document`: everything in one text.
    Empty ones are left out.
    """
    if by == "passage":
        return _by_passage(patent)
    if by == "section":
        return _by_section(patent)
    if by == "document":
        return _by_document(patent)
    raise InputError(f"a patent is not cut by {by!r}: use 'passage', 'section' or 'document'.")


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _parts(patent: Patent, section: Section) -> Sequence[Paragraph | Claim]:
    if section == "abstract":
        return patent.abstract
    return patent.claims if section == "claims" else patent.description


def _by_passage(patent: Patent) -> Iterator[Passage]:
    found = False
    for section in ("abstract", "description", "claims"):
        start = 0
        for part in _parts(patent, section):
            end = start + len(part.text)
            if part.text:
                found = True
                yield Passage(passage_id(patent.id, part.xpath), patent.id, section, part.xpath, part.text, start, end)
            start = end + 1
    if not found and patent.title:
        yield _whole(patent, "title", f"/{ROOT}/title", patent.title)


def _by_section(patent: Patent) -> Iterator[Passage]:
    if opening := section_text(patent, "title+abstract"):
        place = "abstract" if patent.abstract else "title"
        yield _whole(patent, "title+abstract", f"/{ROOT}/{place}", opening)
    for name in ("claims", "description"):
        if text := section_text(patent, name):
            yield _whole(patent, name, f"/{ROOT}/{name}", text)


def _by_document(patent: Patent) -> Iterator[Passage]:
    if text := section_text(patent, "document"):
        yield _whole(patent, "document", f"/{ROOT}", text)


def _whole(patent: Patent, section: Section, xpath: str, text: str) -> Passage:
    return Passage(passage_id(patent.id, xpath), patent.id, section, xpath, text, 0, len(text))
