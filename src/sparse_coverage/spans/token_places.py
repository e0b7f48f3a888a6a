"""Where the encoder's tokens are in the text, and which of them are lexical: those that hold a letter or digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import IntArray, Tokens, TokenVectors


@dataclass(frozen=True, slots=True, eq=False)
class TokenPlaces:
    """The tokens of a text: where each starts and ends, blanks around it left out, and whether it is lexical.

    A token is lexical if it holds a letter or digit; punctuation alone is not.
    """

    starts: IntArray
    ends: IntArray
    lexical: npt.NDArray[np.bool_]


def token_places(text: str, tokens: Tokens | TokenVectors) -> TokenPlaces:
    """Return the places of the tokens. Some tokenizers count the blank before a word as part of its token; here it is not."""
    starts, ends = tokens.starts, tokens.ends
    blank = _flags(str.isspace, text)
    if blank[starts].any() or blank[np.maximum(ends - 1, 0)].any():
        here = np.arange(len(text) + 1, dtype=np.int32)
        next_ink = np.minimum.accumulate(np.where(blank, len(text), here)[::-1])[::-1]
        after_ink = np.maximum.accumulate(np.concatenate(([0], np.where(blank[:-1], 0, here[1:]))))
        ink_starts, ink_ends = next_ink[starts], after_ink[ends]
        only_blanks = ink_starts >= ink_ends  # such a token shrinks to nothing, where it begins
        starts = np.where(only_blanks, starts, ink_starts).astype(np.int32)
        ends = np.where(only_blanks, starts, ink_ends).astype(np.int32)
    letters_before = np.concatenate(([0], np.cumsum(_flags(str.isalnum, text)[:-1])))
    return TokenPlaces(starts, ends, letters_before[ends] > letters_before[starts])


def _flags(test: Callable[[str], bool], text: str) -> npt.NDArray[np.bool_]:
    """Return the answer for every character, and False for the place after the last one."""
    flags = np.zeros(len(text) + 1, dtype=np.bool_)
    flags[:-1] = np.fromiter(map(test, text), dtype=np.bool_, count=len(text))
    return flags
