"""Token vectors with character offsets, and the protocol that every encoder follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatMatrix = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The encoder tokens of one text, special tokens left out: ids and character offsets into the original text."""

    ids: IntArray
    starts: IntArray
    ends: IntArray

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """The contextual vectors of one text's tokens, one row a token, in text order.

    `starts[i]:ends[i]` is token i's place in the original text; `chunks[i]` is the number of the chunk that it was encoded
    in (never falling). Every token of the text is there exactly once; special tokens are not. `special` has the vectors of each
    chunk's special tokens, those before the text's own and those after, for whoever makes one vector of a text; None where the
    encoder has none.
    """

    vectors: FloatMatrix
    starts: IntArray
    ends: IntArray
    chunks: IntArray
    special: FloatMatrix | None = None

    def __len__(self) -> int:
        return len(self.vectors)


class Encoder(Protocol):
    """Turns texts into contextual token vectors. Implementations differ in runtime, never in meaning."""

    @property
    def name(self) -> str:
        """The name, folder or hub id it was asked for by."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identifies weights and tokenizer: equal fingerprints mean comparable vectors."""
        ...

    @property
    def precision(self) -> str:
        """The arithmetic in use: `fp32`, `bf16`, `fp16` or `int8`."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a token vector."""
        ...

    def tokenize(self, text: str) -> Tokens:
        """Return the tokens of a text without encoding it."""
        ...

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        """Yield the token vectors of each text, in order. Streams: memory does not grow with the number of texts."""
        ...
