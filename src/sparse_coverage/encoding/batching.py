"""Streams texts through a model: chunked, sorted by length, batched, and put back in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.chunking import chunk_bounds
from sparse_coverage.encoding.encoder import Tokens, TokenVectors
from sparse_coverage.encoding.tokenizer import TextTokenizer

Ids = npt.NDArray[np.int64]
Hidden = npt.NDArray[np.float32]
RunBatches = Callable[[Iterable[tuple[Ids, Ids]]], Iterable[tuple[int, Hidden]]]
"""Takes (ids, mask) batches, gives (batch number, last hidden state) in any order."""

WINDOW_TOKENS = 1 << 15
BATCH_TOKENS = 1 << 10


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Batcher:
    """Encodes a stream of texts window by window, so that memory stays flat and batches hold chunks of one length."""

    tokenizer: TextTokenizer
    run: RunBatches
    dimension: int
    limit: int
    pad_id: int

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order."""
        window: list[tuple[str, Tokens]] = []
        held = 0
        for text in texts:
            tokens = self.tokenizer(text)
            window.append((text, tokens))
            held += max(1, len(tokens))
            if held >= WINDOW_TOKENS:
                yield from self._encode_window(window)
                window, held = [], 0
        yield from self._encode_window(window)

    def _encode_window(self, window: list[tuple[str, Tokens]]) -> Iterator[TokenVectors]:
        room = self.limit - len(self.tokenizer.prefix) - len(self.tokenizer.suffix)
        bounds = [chunk_bounds(text, tokens, room) for text, tokens in window]
        chunks = [_Chunk(number, first, last) for number, cuts in enumerate(bounds) for first, last in pairwise(cuts)]
        chunks.sort(key=lambda chunk: (len(chunk), chunk.text, chunk.first))
        batches = _group(chunks, len(self.tokenizer.prefix) + len(self.tokenizer.suffix))
        vectors = [np.empty((len(tokens), self.dimension), dtype=np.float32) for _, tokens in window]
        skip = len(self.tokenizer.prefix)
        for number, hidden in self.run(self._padded(batch, window) for batch in batches):
            for row, chunk in enumerate(batches[number]):
                vectors[chunk.text][chunk.first : chunk.last] = hidden[row, skip : skip + len(chunk)]
        for number, (_, tokens) in enumerate(window):
            sizes = [last - first for first, last in pairwise(bounds[number])]
            yield TokenVectors(
                vectors=vectors[number],
                starts=tokens.starts,
                ends=tokens.ends,
                chunks=np.repeat(np.arange(len(sizes), dtype=np.int32), np.asarray(sizes, dtype=np.int64)),
            )

    def _padded(self, batch: list[_Chunk], window: list[tuple[str, Tokens]]) -> tuple[Ids, Ids]:
        prefix, suffix = self.tokenizer.prefix, self.tokenizer.suffix
        width = len(prefix) + max(map(len, batch)) + len(suffix)
        ids = np.full((len(batch), width), self.pad_id, dtype=np.int64)
        mask = np.zeros((len(batch), width), dtype=np.int64)
        for row, chunk in enumerate(batch):
            full = [*prefix, *window[chunk.text][1].ids[chunk.first : chunk.last], *suffix]
            ids[row, : len(full)] = full
            mask[row, : len(full)] = 1
        return ids, mask


def _group(chunks: list[_Chunk], special: int) -> list[list[_Chunk]]:
    """Cut length-sorted chunks into batches of at most BATCH_TOKENS padded tokens (at least one chunk each)."""
    batches: list[list[_Chunk]] = []
    for chunk in chunks:
        if batches and (len(batches[-1]) + 1) * (len(chunk) + special) <= BATCH_TOKENS:
            batches[-1].append(chunk)
        else:
            batches.append([chunk])
    return batches
