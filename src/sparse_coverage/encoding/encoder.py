"""Token vectors with character offsets, and the protocol that every encoder follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.catalogue import CATALOGUE, Pooling
from sparse_coverage.errors import InputError
from sparse_coverage.files import read_json

_DECLARED: dict[str, Pooling] = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


def pooling_of(folder: Path, name: str) -> Pooling:
    """Return the pooling of an encoder: what its own `1_Pooling/config.json` says, else what is known of it, else the mean."""
    path = folder / "1_Pooling" / "config.json"
    if path.is_file():
        return _declared(path, read_json(path))
    return CATALOGUE[name].pooling if name in CATALOGUE else "mean"


def _declared(path: Path, settings: dict[str, Any]) -> Pooling:
    modes = [key for key, value in settings.items() if key.startswith("pooling_mode_") and value is True]
    if isinstance(settings.get("pooling_mode"), str):  # how newer versions of sentence-transformers write it
        modes = [
            {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token"}.get(settings["pooling_mode"], "")
        ]
    if len(modes) != 1 or modes[0] not in _DECLARED:
        wanted = ", ".join(modes) or settings.get("pooling_mode") or "none"
        raise InputError(
            f"{path}: pooling '{wanted}' is not supported, only the mean of all tokens or the first token."
        )
    return _DECLARED[modes[0]]


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
    chunk's special tokens, those before the text's own and those after; None where the encoder has none. `pooling` says how the
    encoder makes one vector of a text.
    """

    vectors: FloatMatrix
    starts: IntArray
    ends: IntArray
    chunks: IntArray
    special: FloatMatrix | None = None
    pooling: Pooling = "mean"

    def __len__(self) -> int:
        return len(self.vectors)

    def chunk_totals(self) -> FloatMatrix:
        """Return one row for each chunk: the sum of its token vectors (special tokens included), or its first token times their number.

        Its direction is that of the chunk as a whole, the direction of the sum of all rows that of the text.
        """
        count = int(self.chunks[-1]) + 1 if len(self.chunks) else 0
        totals = np.zeros((count, self.vectors.shape[1]), dtype=np.float32)
        if self.special is not None and self.pooling == "cls":
            sizes = np.bincount(self.chunks, minlength=count) + self.special.shape[1]
            return np.asarray(self.special[:, 0] * sizes[:, None].astype(np.float32))
        for chunk in range(count):
            totals[chunk] = self.vectors[self.chunks == chunk].sum(axis=0)
        return totals if self.special is None else np.asarray(totals + self.special.sum(axis=1))


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
