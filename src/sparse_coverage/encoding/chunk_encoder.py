"""What every local encoder shares: a checkpoint folder, its tokenizer, and the streaming of texts through its model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from sparse_coverage.encoding.batching import Batcher, Batches, Hidden
from sparse_coverage.encoding.encoder import Tokens, TokenVectors
from sparse_coverage.encoding.store import fingerprint_of
from sparse_coverage.encoding.tokenizer import TextTokenizer
from sparse_coverage.kernels.threads import usable_cores


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

    @abstractmethod
    def _run(self, batches: Batches) -> Iterable[tuple[int, Hidden]]:
        """Take (ids, mask) batches, give (batch number, last hidden state) in any order."""
