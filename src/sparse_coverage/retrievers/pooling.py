"""One vector a chunk: each model with the pooling it was trained with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.batching import Hidden, Ids
from sparse_coverage.encoding.chunk_encoder import ChunkEncoder
from sparse_coverage.encoding.store import model_folder
from sparse_coverage.errors import InputError
from sparse_coverage.files import read_json

Matrix = npt.NDArray[np.float32]
Pooling = Literal["mean", "cls"]

# As published. PatentMap's training takes the first token, SPECTER2's too; BERT-for-Patents is a language model without a
# pooling of its own, and the mean is what PaECTER, made from it, uses.
POOLINGS: dict[str, Pooling] = {
    "minilm": "mean",
    "bert-for-patents": "mean",
    "paecter": "mean",
    "patentmap": "cls",
    "specter2": "cls",
}
_DECLARED: dict[str, Pooling] = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


def pooling_of(name: str) -> Pooling:
    """Return the pooling of an encoder: what its own `1_Pooling/config.json` says, else what is known of it, else the mean."""
    path = model_folder(name) / "1_Pooling" / "config.json"
    if path.is_file():
        return _declared(path, read_json(path))
    return POOLINGS.get(name, "mean")


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


class PooledEncoder:
    """Turns texts into one vector a chunk, of length 1. Special tokens count in the mean, as in sentence-transformers."""

    def __init__(self, encoder: Encoder, pooling: Pooling) -> None:
        if not isinstance(encoder, ChunkEncoder):
            raise InputError(f"The encoder '{encoder.name}' cannot be pooled: it does not run a checkpoint itself.")
        self.encoder = encoder
        self.pooling = pooling

    def chunk_vectors(self, text: str) -> Matrix:
        """Return the vectors of a text's chunks, one row each; a text without tokens has none."""
        rows = [vector for vector, _ in next(self._chunks([text]))]
        return normalised(np.stack(rows)) if rows else np.zeros((0, self.encoder.dimension), dtype=np.float32)

    def vectors(self, texts: Iterable[str]) -> Iterator[Matrix]:
        """Yield one vector a text: the mean of its chunks' vectors, each as heavy as it has tokens, of length 1.

        With mean pooling that is the mean of all tokens, whatever the chunks. A text without tokens gets a zero vector.
        """
        for chunks in self._chunks(texts):
            if not chunks:
                yield np.zeros(self.encoder.dimension, dtype=np.float32)
                continue
            weights = np.asarray([count for _, count in chunks], dtype=np.float32)
            total = (np.stack([vector for vector, _ in chunks]) * weights[:, None]).sum(axis=0, keepdims=True)
            yield normalised(total)[0]

    def _chunks(self, texts: Iterable[str]) -> Iterator[list[tuple[Matrix, int]]]:
        return self.encoder.reduce(texts, lambda hidden, mask: pool(hidden, mask, self.pooling))


def pool(hidden: Hidden, mask: Ids, pooling: Pooling) -> Matrix:
    """Return one vector for each row of a batch."""
    if pooling == "cls":
        return np.array(hidden[:, 0], dtype=np.float32)
    weights = mask.astype(np.float32)
    total: Matrix = np.einsum("blh,bl->bh", hidden, weights)
    total /= weights.sum(axis=1, keepdims=True)
    return total


def normalised(vectors: Matrix) -> Matrix:
    """Return the rows at length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
