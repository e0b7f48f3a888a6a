"""Cleaning text for an encoder by named steps, without losing the way back: every character knows where it came from.

A step is a function that names the parts of a text to replace. Each has a name and can be switched off:

- `entities`: `&amp;`, `&#8242;` and `&Dgr;`, left over in plain text, become characters;
- `scripts`: the USPTO's `H.sub.2O` and `10.sup.3`, literal `<sub>` tags and Unicode subscripts become `H2O` and `10³`;
- `formulas`: placeholders of drawings of formulae (`##EQU00001##`, `[Math. 1]`) go;
- `hyphenation`: a word that a line end cut in two is put together;
- `tables`: rules, dot leaders, cell borders and `TABLE-US-00001` go;
- `numerals`: reference numerals such as `(10)` and `(10a, 12)` go, but quantities, years, formulae, chemistry and
  enumerations such as `(1) heating` stay. A numeral is taken for one only after a word that can name a part: a numeral too
  many costs little, a lost "pH (7)" or "(2) cooling" costs meaning.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.patents.values import SUPERSCRIPTS, entity_text

__all__ = ["STEPS", "CleanedText", "clean", "step_names"]

Edit = tuple[int, int, str]

_JOINT = r"and|or|und|oder|et|ou"
# 10, 10a, 10', 110A, S10; but not 3D, which is a word.
_ONE = r"(?:\d{1,4}[a-f]?|\d{2,4}[A-F]|S\d{2,4})['’′\"″]{0,3}"
_GROUP = re.compile(rf"\(\s?(?P<first>{_ONE})(?:\s?(?:,|;|-|–|\b(?:{_JOINT}|to)\b)\s?{_ONE})*\s?\)(?![\w-])")
_LINK = re.compile(rf" ?(?:, ?)?(?:\b(?:{_JOINT})\b ?)?")
_YEAR = re.compile(r"\(\s?(?:19|20)\d\d\s?\)")
_SENTENCE_END = re.compile(r"[.!?]\s")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
# Words after which a number in brackets says which one, how many, or begins an enumeration.
_NO_PARTS = frozenset(
    (
        "formula formulas formulae eq eqs equation equations expression expressions example examples compound compounds step "
        "steps claim claims fig figs figure figures no nos number numbers table tables rule rules inequality inequalities "
        "condition conditions embodiment embodiments aspect aspects item items option options type types class grade category "
        "ph ratio ratios integer integers value values temperature range percentage amount current voltage charge poly "
        "one two three four five six seven eight nine ten eleven twelve "
        "and or und oder et ou then of by in to from with for at on as is are be being was were the a an that which wherein "
        "whereby comprising comprises comprise comprised including includes include consisting having has containing contains "
        "following followings follows either both namely umfassend umfasst wobei comprenant"
    ).split()
)
_OXIDATION = re.compile(r"\(\s?[1-8]\s?\)\s\w*(?:ide|ate|ite|ions?|salts?|acid|complex|compounds?|catalysts?)\b")
_METALS = frozenset(
    (
        "copper iron tin lead cobalt nickel manganese chromium vanadium titanium mercury gold silver palladium platinum cerium "
        "antimony arsenic molybdenum tungsten ruthenium rhodium iridium bismuth thallium uranium"
    ).split()
)


def numeral_edits(text: str) -> Iterator[Edit]:
    """Find the reference numerals of a text, each with the space before it: "the pump (10) and (12)" loses both."""
    groups = list(_GROUP.finditer(text))
    labels = _labels(text, groups)
    removed_until = 0
    for group in groups:
        start = group.start()
        if start in labels:
            continue
        if removed_until and _LINK.fullmatch(text, removed_until, start):
            yield removed_until, group.end(), ""
            removed_until = group.end()
        elif text[max(0, start - 1) : start] in (" ", "\xa0") and _numbers_a_part(text, group):
            yield start - 1, group.end(), ""
            removed_until = group.end()


def _numbers_a_part(text: str, group: re.Match[str]) -> bool:
    before = text[max(0, group.start() - 40) : group.start()].rstrip()
    match = _LAST_WORD.search(before)
    if match is None or _YEAR.fullmatch(group[0]):
        return False
    word = match[0]
    lower = word.lower()
    is_symbol = len(word) < 3 and word[0].isupper()  # C (1-4) alkyl, Fe (2)
    if is_symbol or lower in _NO_PARTS or lower.endswith("yl"):  # alkyl (1-4)
        return False
    if lower in _METALS and _OXIDATION.match(text, group.start()):
        return False
    return UNIT.match(text[group.end() : group.end() + 20].lower()) is None


def _labels(text: str, groups: list[re.Match[str]]) -> set[int]:
    """Return where the labels of enumerations are: "(1) heating; (2) cooling" within one sentence.

    They count from one, and from the second on they follow a comma or "and", not the name of a part.
    """
    labels: set[int] = set()
    run: list[int] = []
    end = 0
    for group in groups:
        if run and _SENTENCE_END.search(text, end, group.start()):
            run = []
        end = group.end()
        if group[0].strip("( )") == "1":
            run = [group.start()]
        elif run and group[0].strip("( )") == str(len(run) + 1) and not _numbers_a_part(text, group):
            run.append(group.start())
            labels.update(run)
    return labels


# To be matched where the number ends, on lower-case text.
UNIT = re.compile(
    r"""\s*-?(?:mm|cm|dm|km|m|[µμu]m|nm|pm|inch(?:es)?|feet|foot|ft|mils?|ml|[µμu]l|l|cl|dl|lit(?:er|re)s?|g|kg|mg|[µμ]g|ng
        |tons?|s|ms|ns|[µμ]s|secs?|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmg]?hz|volts?|[mk]?v
        |amps?|amperes?|watts?|[mk]?w|ohms?|degrees?|celsius|kelvin|percent|per\s+cent|wt|vol|m?mol|moles?|ppm|ppb|m?bars?
        |[kmgh]?pa|psi|newtons?|[kmg]?bits?|[kmg]?bytes?|[kmg]b|db|dpi|rpm|times|fold|parts?|carbon|atoms?|layers?
        |prozent|stunden?|tage|minuten|sekunden|teile|heures?|jours?|fois)\b | \s*[%°‰å]
        | \s+(?:or\s+(?:more|fewer|less|greater|higher)(?!\s+\w+ly\b)|oder\s+mehr|ou\s+plus)\b""",
    re.X,
)


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


Step = Callable[[str], Iterator[Edit]]
IntArray = npt.NDArray[np.int32]

STEPS: Mapping[str, Step] = {
    "entities": entity_edits,
    "scripts": script_edits,
    "formulas": formula_edits,
    "hyphenation": hyphenation_edits,
    "tables": table_edits,
    "numerals": numeral_edits,
}


@dataclass(frozen=True, slots=True, eq=False)
class CleanedText:
    """A cleaned text. Character i stands for `original[starts[i]:ends[i]]`."""

    text: str
    starts: IntArray
    ends: IntArray

    def original(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> tuple[IntArray, IntArray]:
        """Return the places in the original text of spans of the cleaned one, all at once.

        An empty span has an empty place.
        """
        first, last = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        length = len(self.text)
        wrong = np.flatnonzero((first < 0) | (first > last) | (last > length))
        if wrong.size:
            start, end = first.flat[wrong[0]], last.flat[wrong[0]]
            raise InputError(f"the span {start} to {end} is not inside the text, which has {length} characters.")
        end_of_text = self.ends[-1:] if length else np.zeros(1, dtype=np.int32)
        places = np.concatenate([self.starts, end_of_text])[first]
        return places, np.where(last > first, np.concatenate([end_of_text, self.ends])[last], places)


def clean(text: str, steps: Sequence[str] | None = None) -> CleanedText:
    """Clean a text by the named steps, in the order of `STEPS`; by default all of them.

    >>> cleaned = clean("The pump (10a, 12) lifts H.sub.2O.")
    >>> cleaned.text
    'The pump lifts H2O.'
    >>> starts, ends = cleaned.original([4, 9], [8, 14])
    >>> starts.tolist(), ends.tolist()
    ([4, 19], [8, 24])
    """
    wanted = step_names(steps)
    starts = np.arange(len(text), dtype=np.int32)
    ends = starts + np.int32(1)
    for name in wanted:
        text, starts, ends = _apply(text, starts, ends, STEPS[name](text))
    return CleanedText(text, starts, ends)


def step_names(steps: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the names of steps in the order they are carried out; an unknown name is an error that lists the known."""
    wanted = set(STEPS) if steps is None else {steps} if isinstance(steps, str) else set(steps)
    if unknown := sorted(wanted - STEPS.keys()):
        raise InputError(f"unknown cleaning step {', '.join(unknown)}. Known are {', '.join(STEPS)}.")
    return tuple(name for name in STEPS if name in wanted)


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
