"""The text of an XML element, as a reader of the page would see it.

Inline markup vanishes without a trace (`CO<sub>2</sub>` is `CO2`); list items, table cells, line breaks and other blocks
are set apart by a space; drawings are left out. What is raised keeps its meaning: `10<sup>3</sup>` is `10³`, never `103`,
and so do fractions in formulae: `a/b`, never `ab`.

A document is prepared once: the few elements that matter get their spaces and characters in the tree itself. Afterwards
the text of any element is what it holds, and lxml collects it at its own speed.
"""

from __future__ import annotations

import re
from typing import Any, cast

from lxml import etree

from sparse_coverage.patents.characters import SUPERSCRIPTS, entity_text

_BLOCKS = frozenset(
    # ST.36 and its relatives, then USPTO before 2005
    (
        "br li ul ol sl dl dt dd tables table tgroup thead tbody row entry tr td th claim-text heading math maths "
        "chemistry pre PTEXT CLMSTEP CWU TABLE ROW ENTRY UL OL LI BR H EQUATION"
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
            _empty(element)


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


def _empty(element: Any) -> None:
    if element.tag == "number":
        # The printed number of a paragraph (USPTO 1.x) is kept where ST.36 has it.
        element.getparent().set("num", "".join(element.itertext()).strip(" \n.[]"))
    del element[:]
    element.text = None
