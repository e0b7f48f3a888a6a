"""The text of an XML element, as a reader of the page would see it.

Inline markup vanishes without a trace (`CO<sub>2</sub>` is `CO2`); list items, table cells, line breaks and other blocks
are set apart by a space; drawings and comments are left out. What is raised keeps its meaning: `10<sup>3</sup>` is `10³`,
never `103`, and so do fractions in formulae: `a/b`, never `ab`.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from sparse_coverage.patents.entities import entity_text

_BLOCKS = frozenset(
    # ST.36 and its relatives, then USPTO before 2005
    (
        "p br li ul ol sl dl dt dd tables table tgroup thead tbody row entry tr td th claim-text heading math maths "
        "chemistry pre text section PARA PTEXT BTEXT CLMSTEP CWU TABLE ROW ENTRY UL OL LI BR H EQUATION paragraph"
    ).split()
)
_SKIPPED = frozenset("img image EMI figure drawings doc-page abstract-figure number".split())
_RAISED = frozenset({"sup", "SP", "superscript"})
_SUPERSCRIPTS = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
_RAISABLE = frozenset("0123456789+-−()n")
# Signs that tell a formula's renderer something and its reader nothing.
_INVISIBLE = dict.fromkeys([0x2061, 0x2062, 0x2063, 0x2064])


def element_text(element: Any) -> str:
    """Return the text of an element with single spaces."""
    if not len(element):
        return " ".join((element.text or "").split())
    return " ".join(_inner(element).split())


def _inner(element: Any) -> str:
    pieces: list[str] = []
    _gather(element, pieces)
    return "".join(pieces)


def _gather(element: Any, pieces: list[str]) -> None:
    if element.text:
        pieces.append(element.text)
    for child in element:
        tag = child.tag
        if tag is etree.Entity:
            pieces.append(entity_text(child.name))
        elif tag in _BLOCKS:
            pieces.append(" ")
            if tag == "math":
                pieces.append(_inner(child).translate(_INVISIBLE))
            else:
                _gather(child, pieces)
            pieces.append(" ")
        elif tag in _RAISED:
            pieces.append(_raised(_inner(child)))
        elif tag in ("msup", "mfrac") and len(child) == 2:
            first, second = (_inner(part) for part in child)
            pieces.append(f"{first}/{second}" if tag == "mfrac" else first + _raised(second))
        elif tag not in _SKIPPED:
            _gather(child, pieces)
        if child.tail:
            pieces.append(child.tail)


def _raised(text: str) -> str:
    """Raise a number or a sign; anything else (a footnote, a word) stays as it is, as does white space around it."""
    core = text.strip()
    return text.translate(_SUPERSCRIPTS) if core and _RAISABLE.issuperset(core) else text
