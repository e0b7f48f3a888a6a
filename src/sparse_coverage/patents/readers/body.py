"""Abstract, description and claims under ST.36 names, directly below the root: what most XML formats share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from sparse_coverage.patents.claims import make_claims, numbered_claims, split_claims
from sparse_coverage.patents.languages import choose_part, language_of
from sparse_coverage.patents.patent import Claim, Paragraph
from sparse_coverage.patents.readers.text import element_text
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.xpath import ROOT, passage_xpath

_PARTS = ("abstract", "description", "claims")
_HAS_NESTED = {tag: etree.XPath(f"boolean(.//{tag}//{tag})") for tag in ("p", "PARA", "paragraph")}


@dataclass(frozen=True, slots=True)
class Body:
    """The three parts in one language."""

    abstract: tuple[Paragraph, ...]
    description: tuple[Paragraph, ...]
    claims: tuple[Claim, ...]
    language: str


def read_body(
    root: Any, context: ReadContext, document: str, document_language: str, *, nested_paths: bool = False
) -> Body:
    """Read the parts in the wanted language, and note the others.

    `nested_paths` gives a paragraph inside a subsection its full XPath, as a MAREC judgement would; otherwise paragraphs
    are numbered in document order, whatever encloses them.
    """
    chosen: dict[str, Any] = {}
    left_out: list[str] = []
    language = ""
    for part in _PARTS:
        candidates = [(language_of(e) or document_language, e) for e in root.iterchildren(part)]
        position = choose_part(candidates, context.language, document_language)
        if position is not None:
            chosen[part] = candidates[position][1]
            language = language or candidates[position][0]
        others = [code or "unknown language" for i, (code, _) in enumerate(candidates) if i != position]
        if others:
            left_out.append(f"{part} ({', '.join(others)})")
    if left_out:
        context.report_note(f"left out: {', '.join(left_out)}; wanted: {context.language}", document)
    numbering = nested_paragraphs if nested_paths else flat_paragraphs
    return Body(
        abstract=tuple(numbering(chosen["abstract"], "abstract")) if "abstract" in chosen else (),
        description=tuple(numbering(chosen["description"], "description")) if "description" in chosen else (),
        claims=_claims_of(chosen["claims"]) if "claims" in chosen else (),
        language=language,
    )


def flat_paragraphs(section: Any, part: str, tag: str = "p") -> list[Paragraph]:
    """Number the paragraphs of a section in document order. An empty one counts, and is left out."""
    found = []
    index = 0
    nested = _HAS_NESTED[tag](section)
    for element in section.iter(tag):
        if nested and _inside_another(element, section, tag):
            continue
        index += 1
        if text := element_text(element):
            found.append(Paragraph(text, passage_xpath(part, "p", index), element.get("num") or ""))
    return found or _unmarked(section, part, index)


def nested_paragraphs(section: Any, part: str) -> list[Paragraph]:
    """Give each paragraph its own XPath: children of the section by position, deeper ones by their whole path."""
    found: list[Paragraph] = []
    _descend(section, f"/{ROOT}/{part}", found)
    return found or _unmarked(section, part, sum(1 for _ in section.iter("p")))


def _descend(element: Any, path: str, found: list[Paragraph]) -> None:
    positions: dict[str, int] = {}
    for child in element.iterchildren(etree.Element):
        tag = child.tag
        position = positions[tag] = positions.get(tag, 0) + 1
        here = f"{path}/{tag}[{position}]"
        if tag == "p":
            if text := element_text(child):
                found.append(Paragraph(text, here, child.get("num") or ""))
        elif tag != "heading" and len(child):
            _descend(child, here, found)


def _unmarked(section: Any, part: str, paragraphs: int) -> list[Paragraph]:
    """Return text that stands directly in its section, without any paragraph, as its first paragraph."""
    text = "" if paragraphs else element_text(section)
    return [Paragraph(text, passage_xpath(part, "p", 1))] if text else []


def _inside_another(element: Any, section: Any, tag: str) -> bool:
    parent = element.getparent()
    while parent is not section:
        if parent.tag == tag:
            return True
        parent = parent.getparent()
    return False


def _claims_of(section: Any) -> tuple[Claim, ...]:
    """Read the claims of a section; where they are not marked as elements, they are split by their printed numbers."""
    claims = read_claims(section.iterchildren("claim"))
    return claims or numbered_claims(split_claims(element_text(section)))


def read_claims(elements: Iterable[Any]) -> tuple[Claim, ...]:
    """Number the claims by position for their XPath, and by the source's own number where it prints one."""
    raw = []
    for position, element in enumerate(elements, start=1):
        if text := element_text(element):
            raw.append((position, _claim_number(element, position), text))
    return make_claims(raw)


def _claim_number(element: Any, index: int) -> int:
    match = re.match(r"\s*(\d{1,6})(?!\d)", element.get("num") or "")
    return int(match[1]) or index if match else index
