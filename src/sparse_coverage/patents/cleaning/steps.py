"""The steps of cleaning, but for numerals: each finds the parts of a text to replace."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from sparse_coverage.patents.characters import SUPERSCRIPTS, entity_text
from sparse_coverage.patents.cleaning.numerals import Edit

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|([A-Za-z][A-Za-z0-9]{1,30}));")


def entity_edits(text: str) -> Iterator[Edit]:
    """Find entities that were left over in plain text."""
    for match in _ENTITY.finditer(text):
        resolved = entity_text(match[1]) if match[1] else html.unescape(match[0])
        if resolved != match[0]:
            yield match.start(), match.end(), resolved


_SCRIPT = re.compile(r"\.su[bp]\.|</?su[bp]>|[₀-₉₊₋₍₎]", re.I)
_RAISED = re.compile(
    r"\.sup\.([+-]?\d{1,4}(?!\d)(?:[+-](?!\w))?|[+-](?!\w)|n(?!\w))|<sup>([0-9+−()n-]{1,8})</sup>", re.I
)  # fmt: skip
_FROM_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₍₎", "0123456789+-()")


def script_edits(text: str) -> Iterator[Edit]:
    """Find subscripts, which become ordinary characters, and superscripts, which become raised ones."""
    position = 0
    while match := _SCRIPT.search(text, position):
        if raised := _RAISED.match(text, match.start()):
            yield raised.start(), raised.end(), (raised[1] or raised[2]).lower().translate(SUPERSCRIPTS)
            position = raised.end()
        else:
            lowered = match[0].translate(_FROM_SUBSCRIPT) if len(match[0]) == 1 else ""
            yield match.start(), match.end(), lowered
            position = match.end()


_FORMULA = re.compile(r"\s?(?:##[A-Z]{3}\d{1,6}(?:\.\d+)?##|\[(?:Math|Chem|Formula|Equation|Num)\.?\s?\d{1,4}\])", re.I)


def formula_edits(text: str) -> Iterator[Edit]:
    """Find the placeholders of drawings of formulae."""
    return ((match.start(), match.end(), "") for match in _FORMULA.finditer(text))


_SOFT_HYPHEN = "\u00ad"
_BREAK = re.compile(r"(?<=[^\W\d_])-([ \t]*\n\s*| )(?=[^\W\d_])|\u00ad(?:[ \t]*\n\s*)?")
_HEAD = re.compile(r"[^\W\d_]{1,40}$")
_TAIL = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SUSPENDED = frozenset("and or to und oder bis et ou".split())


def hyphenation_edits(text: str) -> Iterator[Edit]:
    """Join words that a line end, or the space that replaced it, cut in two.

    The hyphen goes only where the text has the whole word elsewhere; "state-of-⏎the-art" is nothing to guess about. "two-
    and three-dimensional" is no broken word.
    """
    words: set[str] | None = None
    for match in _BREAK.finditer(text):
        if match[0].startswith(_SOFT_HYPHEN):
            yield match.start(), match.end(), ""
            continue
        tail_match = _TAIL.match(text, match.end())
        head_match = _HEAD.search(text[max(0, match.start() - 40) : match.start()])
        tail = tail_match[0] if tail_match else ""
        if head_match is None or not tail[:1].islower() or tail in _SUSPENDED:
            continue
        if words is None:
            words = {word.lower() for word in _WORD.findall(text.replace(_SOFT_HYPHEN, ""))}
        head = head_match[0].lower()
        if f"{head}{tail}".lower() in words and f"{head}-{tail}".lower() not in words:
            yield match.start(), match.end(), ""
        elif "\n" in match[1]:
            yield match.start(), match.end(), "-"


_BLANK = re.compile(r"[ \t]{2,}|\t")
_BORDER = re.compile(r"TABLE-US-\d{5}\b|[-_=*~.·…]{4,}|(?<!\S)\|+(?!\S)")


def table_edits(text: str) -> Iterator[Edit]:
    """Find rules, dot leaders, tabs and bars that stand alone; the bars of |x| touch their letter and stay."""
    found = [match.span() for match in _BLANK.finditer(text)]
    found += [_with_white_space(text, *match.span()) for match in _BORDER.finditer(text)]
    start = end = -1
    for first, last in sorted(found):
        if first > end:
            if end > 0:
                yield start, end, " "
            start = first
        end = max(end, last)
    if end > 0:
        yield start, end, " "


def _with_white_space(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isspace():
        start -= 1
    while end < len(text) and text[end].isspace():
        end += 1
    return start, end
