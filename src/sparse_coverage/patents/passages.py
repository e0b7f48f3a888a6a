"""From a patent to its passages, which are indexed and found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Claim, Paragraph, Passage, Patent, Section
from sparse_coverage.patents.sentences import cut_text
from sparse_coverage.patents.xpath import ROOT, passage_id

By = Literal["passage", "paragraph", "title+paragraph", "section", "document"]

LONGEST = 200
"""The most words that a passage has; what is longer is cut at sentence ends."""
SHORT = 20
"""A paragraph of the description with fewer words, such as a heading or an item of a list, is joined with what follows."""


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
    joined with what follows, and the passage has the place of the last. By `paragraph`: one for each abstract paragraph,
    description paragraph and claim as the file has them, as in the paper. A patent with nothing but a title gives its title.
    By `title+paragraph`: the title too is always a passage. By `section`: title and abstract, claims, description. By
    `document`: everything in one text. Empty ones are left out.
    """
    if by in ("passage", "paragraph", "title+paragraph"):
        return _by_paragraph(patent, readable=by == "passage", title=by == "title+paragraph")
    if by == "section":
        return _by_section(patent)
    if by == "document":
        return _by_document(patent)
    raise InputError(
        f"a patent is not cut by {by!r}: use 'passage', 'paragraph', 'title+paragraph', 'section' or 'document'."
    )


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _parts(patent: Patent, section: Section) -> Sequence[Paragraph | Claim]:
    if section == "abstract":
        return patent.abstract
    return patent.claims if section == "claims" else patent.description


def _by_paragraph(patent: Patent, *, readable: bool, title: bool = False) -> Iterator[Passage]:
    found = False
    if title and patent.title:
        found = True
        yield _whole(patent, "title", f"/{ROOT}/title", patent.title)
    for section in ("abstract", "description", "claims"):
        whole = _paragraphs(patent, section)
        joined = _joined_with_next(whole) if readable and section == "description" else whole
        for passage in joined:
            found = True
            yield from _cut(passage) if readable else (passage,)
    if not found and patent.title:
        yield _whole(patent, "title", f"/{ROOT}/title", patent.title)


def _paragraphs(patent: Patent, section: Section) -> Iterator[Passage]:
    start = 0
    for part in _parts(patent, section):
        end = start + len(part.text)
        if part.text:
            id_ = passage_id(patent.id, part.xpath)
            yield Passage(id_, patent.id, section, part.xpath, part.text, start, end, str(part.number))
        start = end + 1


def _joined_with_next(paragraphs: Iterable[Passage]) -> Iterator[Passage]:
    """Join what is short with what follows, as long as both fit into one passage; what is short at the end stands alone."""
    held: Passage | None = None
    for passage in paragraphs:
        if held is not None and _words(held) + _words(passage) <= LONGEST:
            text = held.text + "\n" * (passage.start - held.end) + passage.text
            passage = replace(passage, text=text, start=held.start, number=passage.number or held.number)
        elif held is not None:
            yield held
        short = _words(passage) < SHORT
        held = passage if short else None
        if not short:
            yield passage
    if held is not None:
        yield held


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
