"""What every local encoder shares: a checkpoint folder, its tokenizer, and the streaming of texts through its model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from sparse_coverage.encoding.batching import Batcher, Batches, Hidden, Ids
from sparse_coverage.encoding.encoder import Tokens, TokenVectors
from sparse_coverage.encoding.store import fingerprint_of
from sparse_coverage.encoding.tokenizer import TextTokenizer
from sparse_coverage.kernels.threads import usable_cores

T = TypeVar("T")


class ChunkEncoder(ABC):
    """Encodes texts chunk by chunk; a runtime adds only `_run`, which turns batches of ids into hidden states.

    Its `fingerprint` identifies weights, adapter and tokenizer; `limit` is how many tokens one chunk may have, special tokens
    included; `threads` how many cores it may use. For `name`, `precision` and `dimension` see `Encoder`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        precision: str,
        dimension: int,
        limit: int,
        pad_id: int,
        suffix: str = "",
        padded: bool = False,
        threads: int | None = None,
    ) -> None:
        self.name = name or str(folder)
        self.precision = precision
        self.dimension = dimension
        self.limit = limit
        self.threads = threads or usable_cores()
        self.fingerprint = fingerprint_of(folder) + suffix
        self._tokenizer = TextTokenizer.from_folder(folder)
        self._batcher = Batcher(self._tokenizer, limit, pad_id, padded)

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text without encoding it."""
        return self._tokenizer(text)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order."""
        return self._batcher.encode(texts, self._run, self.dimension)

    def reduce(
        self, texts: Iterable[str], reduce: Callable[[Hidden, Ids], Iterable[T]]
    ) -> Iterator[list[tuple[T, int]]]:
        """Yield for each text one thing a chunk, in order, with the number of the chunk's tokens, special ones included.

        `reduce` makes them of the hidden states and the mask of a batch: one thing for each row.
        """
        masks: list[Ids] = []

        def noted(batches: Batches) -> Batches:
            for ids, mask in batches:
                masks.append(mask)
                yield ids, mask

        def run(batches: Batches) -> Iterator[tuple[int, Iterable[T]]]:
            masks.clear()
            for number, hidden in self._run(noted(batches)):
                yield number, reduce(hidden, masks[number])

        return self._batcher.reduce(texts, run)

    @abstractmethod
    def _run(self, batches: Batches) -> Iterable[tuple[int, Hidden]]:
        """Take (ids, mask) batches, give (batch number, last hidden state) in any order."""
