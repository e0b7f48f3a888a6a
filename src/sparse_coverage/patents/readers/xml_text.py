"""The text of XML elements as a reader of the page would see it, and the abstract, description and claims made of it.

Inline markup vanishes without a trace (`CO<sub>2</sub>` is `CO2`); list items, table cells, line breaks and other blocks
are set apart by a space; drawings are left out. What is raised keeps its meaning: `10<sup>3</sup>` is `10³`, never `103`,
and so do fractions in formulae: `a/b`, never `ab`.

A document is prepared once: the few elements that matter get their spaces and characters in the tree itself. Afterwards
the text of any element is what it holds, and lxml collects it at its own speed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, cast

from lxml import etree

from sparse_coverage.patents.claims import make_claims, numbered_claims, split_claims
from sparse_coverage.patents.patent import ROOT, Claim, Paragraph, in_other_language, passage_xpath
from sparse_coverage.patents.reading.context import ReadContext
from sparse_coverage.patents.values import SUPERSCRIPTS, entity_text
from sparse_coverage.text.languages import choose_part, language_of, other_languages

_BLOCKS = frozenset(
    # ST.36 and its relatives, then USPTO before 2005
    (
        "br li ul ol sl dl dt dd tables table tgroup thead tbody row entry tr td th claim-text heading math maths "
        "chemistry pre ClaimText PTEXT CLMSTEP CWU TABLE ROW ENTRY UL OL LI BR H EQUATION"
    ).split()
)
_SKIPPED = frozenset("img image EMI figure drawings doc-page abstract-figure number".split())
_RAISED = frozenset({"sup", "SP", "superscript"})
_FORMULA = frozenset({"msup", "mfrac", "mo"})
_PREPARED = (*_BLOCKS, *_SKIPPED, *_RAISED, *_FORMULA)

_RAISABLE = frozenset("0123456789+-−()n")
# Signs that tell a formula's renderer something and its reader nothing.
_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")


_SINGLE_SPACED = etree.XPath("normalize-space()", smart_strings=False)  # plain strings, not ones that hold their tree
# XML knows four kinds of white space; a typographer knows more.
_WIDE_SPACE = re.compile("[\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]")


def element_text(element: Any) -> str:
    """Return the text of an element of a prepared document, with single spaces.

    Splitting and joining every text in Python would take most of the time of reading; most texts need neither.
    """
    text: str = etree.tostring(element, encoding="unicode", method="text", with_tail=False)
    if "\n" in text or "  " in text or "\t" in text or "\r" in text:
        text = cast(str, _SINGLE_SPACED(element))
    if not text.isascii() and _WIDE_SPACE.search(text):
        text = " ".join(text.split())
    return text.strip()


def text_at(element: Any, path: str) -> str:
    """Return the text of the first element at a path; nothing where there is none."""
    found = element.find(path)
    return "" if found is None else element_text(found)


def texts_at(element: Any, *paths: str) -> str:
    """Return the texts of the first element at each path, with commas between them: Stroke, Ada."""
    return ", ".join(filter(None, (text_at(element, path) for path in paths)))


# Most paragraphs stand alone; a few stand in the cell of a table, and claims of PATDOC are made of them.
_NESTED_PARAGRAPHS = {
    "PATDOC": etree.XPath("//PARA//PARA | //CLM/PARA"),
    "patent-application-publication": etree.XPath("//paragraph//paragraph"),
}
_NESTED_P = etree.XPath("//p//p | //claim//p")


def prepare(root: Any) -> None:
    """Put into the tree what its markup means for the text."""
    for entity in list(root.iter(etree.Entity)):
        _replace_by_text(entity, entity_text(entity.name))
    nested = _NESTED_PARAGRAPHS.get(root.tag, _NESTED_P)
    for element in cast(list[Any], nested(root)):
        element.tail = " " + (element.tail or "")
        element.text = " " + (element.text or "")
    for element in list(root.iter(*_PREPARED)):
        tag = element.tag
        if tag in _BLOCKS:
            element.text = " " + (element.text or "")
            element.tail = " " + (element.tail or "")
        elif tag in _RAISED:
            _raise(element)
        elif tag == "mfrac" and len(element) == 2:
            element[0].tail = "/"
        elif tag == "msup" and len(element) == 2:
            _raise(element[1])
        elif tag == "mo" and element.text in _INVISIBLE:
            element.text = ""
        elif tag in _SKIPPED:
            if tag == "number":  # the printed number of a paragraph (USPTO 1.x) is kept where ST.36 has it
                element.getparent().set("num", "".join(element.itertext()).strip(" \n.[]"))
            del element[:]
            element.text = None


def _replace_by_text(node: Any, text: str) -> None:
    text += node.tail or ""
    previous, parent = node.getprevious(), node.getparent()
    if previous is not None:
        previous.tail = (previous.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
    node.tail = None
    parent.remove(node)


def _raise(element: Any) -> None:
    """Raise a number or a sign; anything else (a footnote, a word) stays as it is."""
    text = "".join(element.itertext()).strip()
    if text and _RAISABLE.issuperset(text):
        for inner in element.iter():
            inner.text = (inner.text or "").translate(SUPERSCRIPTS)
            if inner is not element and inner.tail:
                inner.tail = inner.tail.translate(SUPERSCRIPTS)


_PARTS = ("abstract", "description", "claims")
_HAS_NESTED = {tag: etree.XPath(f"boolean(.//{tag}//{tag})") for tag in ("p", "P", "PARA", "paragraph")}


@dataclass(frozen=True, slots=True)
class Body:
    """The three parts in one language, and what there is in others."""

    abstract: tuple[Paragraph, ...]
    description: tuple[Paragraph, ...]
    claims: tuple[Claim, ...]
    language: str
    translations: tuple[Paragraph, ...] = ()


def read_body(
    root: Any, context: ReadContext, document: str, document_language: str, *, nested_paths: bool = False
) -> Body:
    """Read the parts that are children of the root.

    `nested_paths` gives a paragraph inside a subsection its full XPath, as a MAREC judgement would; otherwise paragraphs
    are numbered in document order, whatever encloses them.
    """
    numbering = nested_paragraphs if nested_paths else flat_paragraphs
    found = {part: [(language_of(e) or document_language, e) for e in root.iterchildren(part)] for part in _PARTS}

    def read(section: Any, part: str) -> Sequence[Any]:
        # Claims that are not marked as elements are split by their printed numbers.
        if part != "claims":
            return numbering(section, part)
        return read_claims(section.iterchildren("claim")) or numbered_claims(split_claims(element_text(section)))

    return chosen_body(found, read, context, document, document_language)


def chosen_body(
    found: Mapping[str, Sequence[tuple[str, Any]]],
    read: Callable[[Any, str], Sequence[Any]],
    context: ReadContext,
    document: str,
    document_language: str,
) -> Body:
    """Read of each part the section in the wanted language, and those in others as translations.

    `found` are the sections of each part with their languages. A second one in the same language is left out, and noted.
    """
    own: dict[str, tuple[Any, ...]] = dict.fromkeys(_PARTS, ())
    left_out: list[str] = []
    translations: list[Paragraph] = []
    language = ""
    for part, sections in found.items():
        position = choose_part(sections, context.language, document_language)
        if position is not None:
            language = language or sections[position][0]
            own[part] = tuple(read(sections[position][1], part))
        kept, others = other_languages(sections, position, context.language)
        for code, section in kept:
            translations += in_other_language(part, code, read(section, part))
        if others:
            left_out.append(f"{part} ({', '.join(others)})")
    if left_out:
        context.report_note(f"left out: {', '.join(left_out)}; wanted: {context.language}", document)
    return Body(**own, language=language, translations=tuple(translations))


def flat_paragraphs(section: Any, part: str, tag: str = "p") -> list[Paragraph]:
    """Number the paragraphs of a section in document order. An empty one counts, and is left out."""
    found = []
    index = 0
    nested = _HAS_NESTED[tag](section)
    for element in section.iter(tag):
        if nested and any(up.tag == tag for up in enclosing(element, section)):
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


def enclosing(element: Any, section: Any) -> Iterator[Any]:
    """Yield the elements of a section that an element stands in, the nearest first."""
    return takewhile(lambda up: up is not section, element.iterancestors())


def read_claims(elements: Iterable[Any]) -> tuple[Claim, ...]:
    """Number the claims by position for their XPath, and by the source's own number where it prints one."""
    raw = []
    for position, element in enumerate(elements, start=1):
        if text := element_text(element):
            number = re.match(r"\s*(\d{1,6})(?!\d)", element.get("num") or "")
            raw.append((position, int(number[1]) or position if number else position, text))
    return make_claims(raw)
