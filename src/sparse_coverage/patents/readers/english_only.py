"""What the USPTO's formats before 2005 share: one language that they do not name, and paragraphs under names of their own."""

from __future__ import annotations

from typing import Any

from sparse_coverage.patents.languages import accepts
from sparse_coverage.patents.patent import Paragraph
from sparse_coverage.patents.readers.body import flat_paragraphs
from sparse_coverage.patents.reading.context import ReadContext, ReadError

LANGUAGE = "en"


def require_english(context: ReadContext, document: str) -> None:
    """Refuse the document where another language is wanted."""
    if not accepts(context.language, LANGUAGE):
        cause = f"no part in the wanted language ({context.language}): it is in {LANGUAGE}."
        raise ReadError(cause, document=document)


def section_paragraphs(root: Any, section_tag: str, part: str, tag: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a section in document order, or none where there is no such section."""
    section = root.find(section_tag)
    return () if section is None else tuple(flat_paragraphs(section, part, tag))
