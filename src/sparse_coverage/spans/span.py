"""The spans of a text with their vectors, and the unit that decides what they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import FloatMatrix, IntArray, Tokens, TokenVectors


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The spans of one text in text order: L2-normalised vectors and character offsets into the original text.

    `totals` are the vectors of whole chunks of the text (see `TokenVectors.chunk_totals`), where they are known.
    """

    vectors: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    totals: npt.NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def whole(self) -> npt.NDArray[np.float32] | None:
        """Return the vector of the text as a whole, of length one; zeros for a text without tokens."""
        return None if self.totals is None else normalise(self.totals.sum(axis=0, keepdims=True))[0]


class SpanUnit(ABC):
    """Decides what the spans of a text are: runs of its tokens. A unit has a `name`, that of its registry, and `runs`.

    A span that was cut by a chunk border keeps its offsets and takes its vector from the chunk that holds most of its tokens
    (the first, if two hold the same).
    """

    name: str

    @abstractmethod
    def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
        """Return the spans as runs of tokens, `first[i]:last[i]`, in text order. No run is empty, none overlap."""

    def locate(self, text: str, tokens: Tokens) -> tuple[IntArray, IntArray]:
        """Return where the spans of a text start and end, in text order, without encoding it."""
        places = token_places(text, tokens)
        first, last = self.runs(text, places)
        return places.starts[first], places.ends[last - 1]

    def pool(self, text: str, tokens: TokenVectors) -> Spans:
        """Return the spans of a text with their vectors, as `locate` finds them: means of token vectors, L2-normalised."""
        places = token_places(text, tokens)
        return pooled(self.runs(text, places), places, tokens)

    def pool_many(self, texts: Iterable[str], tokens: Iterable[TokenVectors]) -> Iterator[Spans]:
        """Yield the spans of each text, in order."""
        for text, vectors in zip(texts, tokens, strict=True):
            yield self.pool(text, vectors)


def pooled(runs: tuple[Indices, Indices], places: TokenPlaces, tokens: TokenVectors) -> Spans:
    """Return runs of tokens as spans."""
    first, last = runs
    vectors = pool_runs(tokens.vectors, *largest_chunk(first, last, tokens.chunks))
    return Spans(vectors, places.starts[first], places.ends[last - 1], tokens.chunk_totals())


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


Indices = npt.NDArray[np.intp]


def normalise(vectors: FloatMatrix) -> FloatMatrix:
    """Return the rows at length one; a row of zeros stays as it is, since it has no direction."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0.0] = 1.0
    unit: FloatMatrix = vectors / lengths[:, None]
    return unit


def pool_runs(vectors: FloatMatrix, first: Indices, last: Indices) -> FloatMatrix:
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


def largest_chunk(first: Indices, last: Indices, chunks: IntArray) -> tuple[Indices, Indices]:
    """Narrow each run to its tokens of one chunk: the one with most of them. One step for every chunk a run can touch."""
    if len(chunks) == 0 or chunks[0] == chunks[-1]:
        return first, last
    best_first, best_last = first.copy(), first.copy()
    left = first.copy()
    while (left < last).any():
        inside = np.minimum(left, len(chunks) - 1)
        right = np.minimum(np.searchsorted(chunks, chunks[inside], side="right"), last)
        better = right - left > best_last - best_first
        best_first, best_last = np.where(better, left, best_first), np.where(better, right, best_last)
        left = np.maximum(right, left)
    return best_first, best_last
