"""Texts through a model, one thing kept of each chunk: a pooled vector, a sparse vector.

The chunks are those of every encoder here: at sentence ends where they can be, no token dropped, none twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import numpy as np

from sparse_coverage.encoding.batching import Batcher, Hidden, Ids
from sparse_coverage.encoding.tokenizer import TextTokenizer

T = TypeVar("T")
Reduce = Callable[[Iterable[tuple[Ids, Ids]]], Iterable[tuple[int, list[T]]]]
"""Takes (ids, mask) batches, gives (batch number, one thing for each chunk of it) in any order."""


class ChunkReducer(Generic[T]):
    """Cuts texts into chunks, batches them by length, and gives what `reduce` makes of each chunk, in order."""

    def __init__(self, tokenizer: TextTokenizer, reduce: Reduce[T], limit: int, pad_id: int) -> None:
        self._reduce = reduce
        self._kept: dict[int, T] = {}
        # Where an encoder puts the vector of a token, there is the number of the chunk's thing instead.
        self._batcher = Batcher(tokenizer, self._run, 1, limit, pad_id)
        self._special = len(tokenizer.prefix) + len(tokenizer.suffix)

    def __call__(self, texts: Iterable[str]) -> Iterator[list[tuple[T, int]]]:
        """Yield for each text one thing a chunk, with the number of the chunk's tokens, special ones included."""
        for tokens in self._batcher.encode(texts):
            _, firsts, counts = np.unique(tokens.chunks, return_index=True, return_counts=True)
            numbers = tokens.vectors[firsts, 0].astype(np.int64).tolist()
            yield [
                (self._kept.pop(number), count + self._special)
                for number, count in zip(numbers, counts.tolist(), strict=True)
            ]

    def _run(self, batches: Iterable[tuple[Ids, Ids]]) -> Iterator[tuple[int, Hidden]]:
        widths: list[int] = []

        def noted() -> Iterator[tuple[Ids, Ids]]:
            for ids, mask in batches:
                widths.append(ids.shape[1])
                yield ids, mask

        next_number = max(self._kept, default=-1) + 1
        for batch, things in self._reduce(noted()):
            numbers = np.arange(next_number, next_number + len(things), dtype=np.float32)
            self._kept.update(zip(range(next_number, next_number + len(things)), things, strict=True))
            next_number += len(things)
            yield batch, np.broadcast_to(numbers[:, None, None], (len(things), widths[batch], 1))
