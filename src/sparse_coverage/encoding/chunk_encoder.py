"""What every local encoder shares: a checkpoint folder, its tokenizer, and the streaming of texts through its model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from sparse_coverage.encoding.batching import Batcher, Hidden, Ids
from sparse_coverage.encoding.encoder import Tokens, TokenVectors
from sparse_coverage.encoding.store import fingerprint_of
from sparse_coverage.encoding.tokenizer import TextTokenizer


class ChunkEncoder(ABC):
    """Encodes texts chunk by chunk; a runtime adds only `_run`, which turns batches of ids into hidden states."""

    def __init__(
        self, folder: Path, *, name: str, precision: str, dimension: int, limit: int, pad_id: int, suffix: str = ""
    ) -> None:
        self._name = name or str(folder)
        self._precision = precision
        self._dimension = dimension
        self._limit = limit
        self._fingerprint = fingerprint_of(folder) + suffix
        self._tokenizer = TextTokenizer.from_folder(folder)
        self.batcher = Batcher(self._tokenizer, self._run, dimension, limit, pad_id)

    @property
    def name(self) -> str:
        """The name, folder or hub id it was asked for by."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """Identifies weights, adapter and tokenizer."""
        return self._fingerprint

    @property
    def precision(self) -> str:
        """The arithmetic in use."""
        return self._precision

    @property
    def dimension(self) -> int:
        """Length of a token vector."""
        return self._dimension

    @property
    def limit(self) -> int:
        """How many tokens one chunk may have, special tokens included."""
        return self._limit

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text without encoding it."""
        return self._tokenizer(text)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order."""
        return self.batcher.encode(texts)

    @abstractmethod
    def _run(self, batches: Iterable[tuple[Ids, Ids]]) -> Iterable[tuple[int, Hidden]]:
        """Take (ids, mask) batches, give (batch number, last hidden state) in any order."""
