"""Streams texts through a model: chunked, batched with others of their length, and put back in order.

A batch holds chunks of one width, which is a chunk's own length rounded up to a multiple of `STEP`, so what a chunk becomes does not
depend on what else is in its batch: the same text has the same vectors wherever it comes, alone or among others. Where small batches
would leave a GPU idle, chunks of several widths are padded into one; the last bits of a vector then depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.chunking import chunk_bounds
from sparse_coverage.encoding.encoder import Tokens, TokenVectors
from sparse_coverage.encoding.tokenizer import TextTokenizer

T = TypeVar("T")
Ids = npt.NDArray[np.int64]
Hidden = npt.NDArray[np.float32]
Batches = Iterable[tuple[Ids, Ids]]
"""The ids of some chunks, padded to one width, and the mask that tells ids from padding."""
RunBatches = Callable[[Batches], Iterable[tuple[int, Hidden]]]
"""Takes batches, gives (batch number, last hidden state) in any order."""
ReduceBatches = Callable[[Batches], Iterable[tuple[int, Iterable[T]]]]
"""Takes batches, gives (batch number, one thing for each chunk of it) in any order."""

WINDOW_TOKENS = 1 << 15
BATCH_TOKENS = 1 << 10
STEP = 8
"""Three tokens of a hundred are padding then, and batches hold thrice as many chunks (`benchmarks/encoder_profile.py --steps`)."""

_Window = list[tuple[str, Tokens]]


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Batcher:
    """Takes a stream of texts window by window, so that memory stays flat and chunks of one width come together.

    `padded`: put chunks of several widths into one batch.
    """

    tokenizer: TextTokenizer
    limit: int
    pad_id: int
    padded: bool = False

    def encode(self, texts: Iterable[str], run: RunBatches, dimension: int) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order. `dimension` is their length."""
        skip = len(self.tokenizer.prefix)
        for window in self._windows(texts):
            chunks = self._chunks(window)
            vectors = [np.empty((len(tokens), dimension), dtype=np.float32) for _, tokens in window]
            special: dict[_Chunk, Hidden] = {}
            for chunk, hidden in self._run(window, chunks, run):
                end = skip + len(chunk)
                vectors[chunk.text][chunk.first : chunk.last] = hidden[skip:end]
                special[chunk] = np.concatenate([hidden[:skip], hidden[end : len(chunk) + self._special]])
            of_texts: list[list[_Chunk]] = [[] for _ in window]
            for chunk in chunks:
                of_texts[chunk.text].append(chunk)
            for (_, tokens), mine, cut in zip(window, vectors, of_texts, strict=True):
                sizes = np.asarray([len(chunk) for chunk in cut], dtype=np.int64)
                numbers = np.repeat(np.arange(len(cut), dtype=np.int32), sizes)
                around = np.asarray([special[chunk] for chunk in cut], dtype=np.float32)
                yield TokenVectors(
                    mine, tokens.starts, tokens.ends, numbers, around.reshape(len(cut), self._special, dimension)
                )

    def reduce(self, texts: Iterable[str], run: ReduceBatches[T]) -> Iterator[list[tuple[T, int]]]:
        """Yield for each text one thing a chunk, in order, with the number of the chunk's tokens, special ones included."""
        for window in self._windows(texts):
            chunks = self._chunks(window)
            things = dict(self._run(window, chunks, run))
            found: list[list[tuple[T, int]]] = [[] for _ in window]
            for chunk in chunks:
                found[chunk.text].append((things[chunk], len(chunk) + self._special))
            yield from found

    @property
    def _special(self) -> int:
        return len(self.tokenizer.prefix) + len(self.tokenizer.suffix)

    def _windows(self, texts: Iterable[str]) -> Iterator[_Window]:
        pairs = ((text, self.tokenizer(text)) for text in texts)
        return windows(pairs, lambda pair: max(1, len(pair[1])), WINDOW_TOKENS)

    def _chunks(self, window: _Window) -> list[_Chunk]:
        """Return the chunks of all texts, in the order in which they stand there."""
        bounds = [chunk_bounds(text, tokens, self.limit - self._special) for text, tokens in window]
        return [_Chunk(number, first, last) for number, cuts in enumerate(bounds) for first, last in pairwise(cuts)]

    def _run(self, window: _Window, chunks: list[_Chunk], run: ReduceBatches[T]) -> Iterator[tuple[_Chunk, T]]:
        """Yield every chunk with what `run` makes of it, in any order."""
        ordered = sorted(chunks, key=lambda chunk: (len(chunk), chunk.text, chunk.first))
        batches = self._group(ordered)
        for number, things in run(self._padded(batch, window) for batch in batches):
            yield from zip(batches[number], things, strict=True)

    def _width(self, chunk: _Chunk) -> int:
        """Return how many tokens a chunk takes in a batch, special ones and padding included."""
        return min(self.limit, -(-(len(chunk) + self._special) // STEP) * STEP)

    def _group(self, chunks: list[_Chunk]) -> list[list[_Chunk]]:
        """Cut length-sorted chunks into batches of at most BATCH_TOKENS tokens (at least one chunk each)."""
        batches: list[list[_Chunk]] = []
        for chunk in chunks:
            width = self._width(chunk)
            fits = batches and (len(batches[-1]) + 1) * width <= BATCH_TOKENS
            if fits and (self.padded or width == self._width(batches[-1][0])):
                batches[-1].append(chunk)
            else:
                batches.append([chunk])
        return batches

    def _padded(self, batch: list[_Chunk], window: _Window) -> tuple[Ids, Ids]:
        prefix, suffix = self.tokenizer.prefix, self.tokenizer.suffix
        width = max(map(self._width, batch))
        ids = np.full((len(batch), width), self.pad_id, dtype=np.int64)
        mask = np.zeros((len(batch), width), dtype=np.int64)
        for row, chunk in enumerate(batch):
            full = [*prefix, *window[chunk.text][1].ids[chunk.first : chunk.last], *suffix]
            ids[row, : len(full)] = full
            mask[row, : len(full)] = 1
        return ids, mask


def windows(items: Iterable[T], size: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Cut a stream into lists of neighbours; each is full once the sizes of its items reach the limit.

    >>> list(windows(["a", "bcd", "e", "f"], len, 3))
    [['a', 'bcd'], ['e', 'f']]
    """
    window: list[T] = []
    held = 0
    for item in items:
        window.append(item)
        held += size(item)
        if held >= limit:
            yield window
            window, held = [], 0
    if window:
        yield window
