"""Cleaning text for an encoder, step by step, without losing the way back: every character knows where it came from.

A step is a function that names the parts of a text to replace. Each has a name and can be switched off:

- `entities`: `&amp;`, `&#8242;` and `&Dgr;`, left over in plain text, become characters;
- `scripts`: the USPTO's `H.sub.2O` and `10.sup.3`, literal `<sub>` tags and Unicode subscripts become `H2O` and `10³`;
- `formulas`: placeholders of drawings of formulae (`##EQU00001##`, `[Math. 1]`) go;
- `hyphenation`: a word that a line end cut in two is put together;
- `tables`: rules, dot leaders, cell borders and `TABLE-US-00001` go;
- `numerals`: reference numerals such as `(10)` and `(10a, 12)` go, but quantities, years, formulae, chemistry and
  enumerations such as `(1) heating` stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.patents.entities import entity_text

Edit = tuple[int, int, str]
Step = Callable[[str], Iterator[Edit]]


@dataclass(frozen=True, slots=True, eq=False)
class CleanText:
    """A cleaned text. Character i stands for `original[starts[i]:ends[i]]`."""

    text: str
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original text of a span of the cleaned one. An empty span has an empty place."""
        if not 0 <= start <= end <= len(self.text):
            raise InputError(
                f"the span {start} to {end} is not inside the text, which has {len(self.text)} characters."
            )
        if start == end:
            place = int(self.starts[start]) if start < len(self.text) else int(self.ends[-1]) if len(self.text) else 0
            return place, place
        return int(self.starts[start]), int(self.ends[end - 1])


def normalize(text: str, steps: Sequence[str] | None = None) -> CleanText:
    """Clean a text by the named steps, in the order of `STEPS`; by default all of them.

    >>> clean = normalize("The pump (10a, 12) lifts H.sub.2O.")
    >>> clean.text
    'The pump lifts H2O.'
    >>> clean.original_span(9, 14)
    (19, 24)
    """
    wanted = list(STEPS) if steps is None else list(steps)
    unknown = [name for name in wanted if name not in STEPS]
    if unknown:
        raise InputError(f"unknown normalisation {', '.join(unknown)}. Known are {', '.join(STEPS)}.")
    starts = np.arange(len(text), dtype=np.int32)
    ends = starts + np.int32(1)
    for name, step in STEPS.items():
        if name in wanted:
            text, starts, ends = _apply(text, starts, ends, step(text))
    return CleanText(text, starts, ends)


IntArray = npt.NDArray[np.int32]


def _apply(text: str, starts: IntArray, ends: IntArray, edits: Iterator[Edit]) -> tuple[str, IntArray, IntArray]:
    """Replace parts of a text; each character of a replacement stands for the whole part."""
    pieces: list[str] = []
    new_starts: list[IntArray] = []
    new_ends: list[IntArray] = []
    position = 0
    for start, end, replacement in edits:
        pieces += (text[position:start], replacement)
        new_starts += (starts[position:start], np.full(len(replacement), starts[start], dtype=np.int32))
        new_ends += (ends[position:start], np.full(len(replacement), ends[end - 1], dtype=np.int32))
        position = end
    if not pieces:
        return text, starts, ends
    pieces.append(text[position:])
    return (
        "".join(pieces),
        np.concatenate([*new_starts, starts[position:]]),
        np.concatenate([*new_ends, ends[position:]]),
    )


_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|([A-Za-z][A-Za-z0-9]{1,30}));")


def _entities(text: str) -> Iterator[Edit]:
    for match in _ENTITY.finditer(text):
        resolved = entity_text(match[1]) if match[1] else html.unescape(match[0])
        if resolved != match[0]:
            yield match.start(), match.end(), resolved


_SCRIPT = re.compile(r"\.su[bp]\.|</?su[bp]>|[₀-₉₊₋₍₎]", re.I)
_RAISED = re.compile(r"(?:\.sup\.|<sup>)([+-]?\d{1,4}|[+-])(?:</sup>)?(?!\w)", re.I)
_TO_SUPERSCRIPT = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_FROM_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₍₎", "0123456789+-()")


def _scripts(text: str) -> Iterator[Edit]:
    position = 0
    while match := _SCRIPT.search(text, position):
        if raised := _RAISED.match(text, match.start()):
            yield raised.start(), raised.end(), raised[1].translate(_TO_SUPERSCRIPT)
            position = raised.end()
        else:
            lowered = match[0].translate(_FROM_SUBSCRIPT) if len(match[0]) == 1 else ""
            yield match.start(), match.end(), lowered
            position = match.end()


_FORMULA = re.compile(r"\s?(?:##[A-Z]{3}\d{1,6}(?:\.\d+)?##|\[(?:Math|Chem|Formula|Equation|Num)\.?\s*\d{1,4}\])", re.I)


def _formulas(text: str) -> Iterator[Edit]:
    return ((match.start(), match.end(), "") for match in _FORMULA.finditer(text))


_SOFT_HYPHEN = "\u00ad"
_BROKEN = re.compile(r"([^\W\d_]+)(-|\u00ad)([ \t]*\n\s*| )([^\W\d_]+)|\u00ad")


def _hyphenation(text: str) -> Iterator[Edit]:
    """Join broken words. Where the text itself writes the word with its hyphen elsewhere, the hyphen stays.

    A hyphen before a space, not a line end, is joined only if the text has the whole word elsewhere: "two- and
    three-dimensional" is no broken word.
    """
    words: set[str] | None = None
    for match in _BROKEN.finditer(text):
        if match[0] == _SOFT_HYPHEN:
            yield match.start(), match.end(), ""
            continue
        head, hyphen, gap, tail = match.groups()
        if words is None:
            words = {word.lower() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)}
        line_end = "\n" in gap
        if not tail[0].islower() or not (line_end or f"{head}{tail}".lower() in words):
            continue
        keep = hyphen == "-" and f"{head}-{tail}".lower() in words
        yield match.start(2), match.end(3), "-" if keep else ""


_TABLE = re.compile(r"\s?\bTABLE-US-\d{5}\b|\s*[-_=*~.·…]{4,}\s*|\s*\|[\s|]*|[ \t]*\t[ \t]*| {2,}")


def _tables(text: str) -> Iterator[Edit]:
    for match in _TABLE.finditer(text):
        yield match.start(), match.end(), "" if "TABLE" in match[0] else " "


_ONE = r"\d{1,4}[a-f]?['’′]{0,3}"
_NUMERAL = re.compile(
    rf"\s?\(\s*{_ONE}(?:\s*(?:,|;|-|–|/|\band\b|\bor\b|\bto\b|\bund\b|\bet\b)\s*{_ONE})*\s*\)(?![\w-])"
)
_YEAR = re.compile(r"\(\s*(?:19|20)\d\d\s*\)")
_LABELLED = re.compile(
    r"(?:formula[es]?|formulae|eqs?\.?|equations?|expressions?|examples?|compounds?|steps?|claims?|figs?\.?|figures?"
    r"|nos?\.?|tables?|rules?|inequalit(?:y|ies)|conditions?|and|or|und|oder|et|ou)\s*$",
    re.I,
)


def _numerals(text: str) -> Iterator[Edit]:
    """Find reference numerals: they follow the word they number, after a space."""
    for match in _NUMERAL.finditer(text):
        before = text[max(0, match.start() - 20) : match.start()]
        follows_a_word = match[0][0].isspace() and before[-1:].isalnum()
        if follows_a_word and not _YEAR.fullmatch(match[0].strip()) and not _LABELLED.search(before):
            yield match.start(), match.end(), ""


STEPS: Mapping[str, Step] = {
    "entities": _entities,
    "scripts": _scripts,
    "formulas": _formulas,
    "hyphenation": _hyphenation,
    "tables": _tables,
    "numerals": _numerals,
}
