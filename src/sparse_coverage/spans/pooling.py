"""From tokens to spans: where tokens are in the text, and runs of them, averaged and normalised without a Python loop per span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import FloatMatrix, IntArray, Tokens, TokenVectors
from sparse_coverage.kernels import Floats, Int32s, Mask

Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The spans of one text in text order: L2-normalised vectors and character offsets into the original text."""

    vectors: Floats
    starts: Int32s
    ends: Int32s

    def __len__(self) -> int:
        return len(self.starts)


def normalise(vectors: FloatMatrix) -> FloatMatrix:
    """Return the rows at length one; a row of zeros stays as it is, since it has no direction."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0.0] = 1.0
    unit: FloatMatrix = vectors / lengths[:, None]
    return unit


def pool_runs(vectors: FloatMatrix, first: Index, last: Index) -> FloatMatrix:
    """Return the normalised mean of the rows `first[i]:last[i]` of each run; no run is empty."""
    if len(first) == 0:
        return np.empty((0, vectors.shape[1]), dtype=np.float32)
    sizes = last - first
    if sizes.max() == 1:
        return normalise(vectors[first])
    borders = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.repeat(first - borders[:-1], sizes) + np.arange(borders[-1])
    means = np.add.reduceat(vectors[rows], borders[:-1], axis=0)
    means /= sizes[:, None]
    return normalise(means)


@dataclass(frozen=True, slots=True, eq=False)
class TokenPlaces:
    """The tokens of a text: where each starts and ends, blanks around it left out, and whether it is lexical.

    A token is lexical if it holds a letter or digit; punctuation alone is not.
    """

    starts: IntArray
    ends: IntArray
    lexical: Mask


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


def _flags(test: Callable[[str], bool], text: str) -> Mask:
    """Return the answer for every character, and False for the place after the last one."""
    flags = np.zeros(len(text) + 1, dtype=np.bool_)
    flags[:-1] = np.fromiter(map(test, text), dtype=np.bool_, count=len(text))
    return flags
