"""What Word and PDF files share: from the paragraphs of a text without markup to a patent.

Headings tell the parts: what follows "Claims" are claims, what follows "Abstract" is the abstract, the rest the description.
The name of the file is the id, in its one form where it is a publication number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparse_coverage.patents.claims import begins_with_number, numbered_claims, split_claims
from sparse_coverage.patents.numbers import parse_number, printed_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent
from sparse_coverage.patents.xpath import passage_xpath

_CLAIMS = re.compile(
    r"(?:patent\s+)?claims?|(?:what|that which)\s+is\s+claimed(?:\s+(?:is|as\s+new))?|(?:i|we)\s+claim"
    r"|(?:patent)?ansprüche|revendications?",
    re.I,
)
_ABSTRACT = re.compile(r"abstract(?:\s+of\s+the\s+disclosure)?|zusammenfassung|abrégé", re.I)
_DESCRIPTION = re.compile(r"(?:detailed\s+)?description(?:\s+of\s+.{1,80})?|beschreibung|specification", re.I)
_NUMBERED = re.compile(r"\[0*(\d{1,5})\]\s+")
_LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph of a file: its text, whether it is an item of a list that the file numbers itself, or its title."""

    text: str
    is_item: bool = False
    is_title: bool = False


def patent_of(blocks: Sequence[TextBlock], file: str, format_name: str) -> Patent:
    """Return the patent that a text without markup holds."""
    parts: dict[str, list[TextBlock]] = {"abstract": [], "claims": [], "description": []}
    part, title = "description", ""
    for block in blocks:
        text = " ".join(block.text.split())
        if not text:
            continue
        if block.is_title and not title and len(text) <= _LONGEST_TITLE:
            title = text
        elif (heading := heading_of(text)) and heading != part:
            part = heading
        elif not heading:
            parts[part].append(TextBlock(text, block.is_item))
    stem = file.rpartition("!")[2].replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or file
    number = parse_number(printed_id(stem))
    return Patent(
        id=printed_id(stem) if number else re.sub(r"\s+", "-", stem.strip()),
        title=title or stem,
        abstract=_paragraphs("abstract", parts["abstract"]),
        claims=_claims(parts["claims"]),
        description=_paragraphs("description", parts["description"]),
        country=number.country if number else "",
        kind=number.kind if number else "",
        source=file,
        format=format_name,
    )


def heading_of(text: str) -> str:
    """Return the part of a patent that a line is the heading of, or nothing.

    >>> heading_of("What is claimed is:"), heading_of("CLAIMS"), heading_of("The claims of others.")
    ('claims', 'claims', '')
    """
    line = re.sub(r"^[\dIVX]+\.\s+", "", text).rstrip(" .:")
    for name, pattern in (("claims", _CLAIMS), ("abstract", _ABSTRACT), ("description", _DESCRIPTION)):
        if pattern.fullmatch(line):
            return name
    return ""


def _paragraphs(part: str, blocks: Sequence[TextBlock]) -> tuple[Paragraph, ...]:
    found = []
    for index, block in enumerate(blocks, 1):
        match = _NUMBERED.match(block.text)
        number, text = (match[1].zfill(4), block.text[match.end() :]) if match else ("", block.text)
        if text:
            found.append(Paragraph(text, passage_xpath(part, "p", index), number))
    return tuple(found)


def _claims(blocks: Sequence[TextBlock]) -> tuple[Claim, ...]:
    """Return claims by their printed numbers; where a word processor numbers them, each item of its list is one."""
    if any(begins_with_number(block.text) for block in blocks) or not any(block.is_item for block in blocks):
        return numbered_claims(split_claims("\n".join(block.text for block in blocks)))
    texts: list[str] = []
    for block in blocks:
        if block.is_item or not texts:
            texts.append(block.text)
        else:
            texts[-1] += f" {block.text}"
    return numbered_claims(texts)
