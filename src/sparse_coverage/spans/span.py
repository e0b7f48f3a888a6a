"""The spans of a text with their vectors, and the unit that decides what they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import IntArray, Tokens, TokenVectors
from sparse_coverage.spans.pooling import Index, largest_chunk, pool_runs
from sparse_coverage.spans.token_places import TokenPlaces, token_places


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The spans of one text in text order: L2-normalised vectors and character offsets into the original text."""

    vectors: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts)


class SpanUnit(ABC):
    """Decides what the spans of a text are: runs of its tokens. A unit has a `name`, that of its registry, and `runs`.

    A span that was cut by a chunk border keeps its offsets and takes its vector from the chunk that holds most of its tokens
    (the first, if two hold the same).
    """

    name: str

    @abstractmethod
    def runs(self, text: str, places: TokenPlaces) -> tuple[Index, Index]:
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


def pooled(runs: tuple[Index, Index], places: TokenPlaces, tokens: TokenVectors) -> Spans:
    """Return runs of tokens as spans."""
    first, last = runs
    vectors = pool_runs(tokens.vectors, *largest_chunk(first, last, tokens.chunks))
    return Spans(vectors, places.starts[first], places.ends[last - 1])
