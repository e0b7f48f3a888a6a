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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.patents.cleaning import steps
from sparse_coverage.patents.cleaning.numerals import Edit, numeral_edits

Step = Callable[[str], Iterator[Edit]]
IntArray = npt.NDArray[np.int32]

STEPS: Mapping[str, Step] = {
    "entities": steps.entity_edits,
    "scripts": steps.script_edits,
    "formulas": steps.formula_edits,
    "hyphenation": steps.hyphenation_edits,
    "tables": steps.table_edits,
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
