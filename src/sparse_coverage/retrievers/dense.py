"""Dense retrieval: one vector a text, the best of a query's chunks against it, exhaustively."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder, TokenVectors, load_encoder
from sparse_coverage.encoding.store import model_folder
from sparse_coverage.errors import InputError
from sparse_coverage.files import read_json
from sparse_coverage.kernels import Array, Floats, Mask
from sparse_coverage.retrievers.side import Block, Evidence, Scores, Side
from sparse_coverage.search.results import Place

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
        self.encoder = encoder
        self.pooling = pooling

    def chunk_vectors(self, text: str) -> Floats:
        """Return the vectors of a text's chunks, one row each; a text without tokens has none."""
        return normalised(self._chunks(next(iter(self.encoder.encode([text]))))[0])

    def vectors(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Yield one vector a text: the mean of its chunks' vectors, each as heavy as it has tokens, of length 1.

        With mean pooling that is the mean of all tokens, whatever the chunks. A text without tokens gets a zero vector.
        """
        return map(self.pooled, self.encoder.encode(texts))

    def pooled(self, tokens: TokenVectors) -> Floats:
        """Return the vector of a text that was encoded."""
        vector: Floats = normalised(self._total(tokens)[None])[0]
        return vector

    def tokens(self, text: str) -> tuple[TokenVectors, float]:
        """Return the vectors of a text's tokens, and the length of the sum of all, special ones included."""
        encoded = next(iter(self.encoder.encode([text])))
        return encoded, float(np.linalg.norm(self._total(encoded))) or 1.0

    def _total(self, tokens: TokenVectors) -> Floats:
        rows, counts = self._chunks(tokens)
        return np.asarray((rows * counts[:, None]).sum(axis=0))

    def _chunks(self, tokens: TokenVectors) -> tuple[Floats, Floats]:
        """Return the vector of each chunk, and how many tokens it has, special ones included."""
        special = tokens.special
        if special is None:
            raise InputError(
                f"The encoder '{self.encoder.name}' cannot be pooled: it does not run a checkpoint itself."
            )
        counts = np.bincount(tokens.chunks, minlength=len(special)) + special.shape[1]
        if self.pooling == "cls":
            return np.asarray(special[:, 0]), counts.astype(np.float32)
        total = special.sum(axis=1)
        for chunk in range(len(special)):
            total[chunk] += tokens.vectors[tokens.chunks == chunk].sum(axis=0)
        return total / counts[:, None].astype(np.float32), counts.astype(np.float32)


def normalised(vectors: Floats) -> Floats:
    """Return the rows at length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)


_ROWS = 8_192  # vectors compared at once: some megabytes, so that they stay in the processor's cache


class Dense(Side):
    """Cosines of pooled vectors. As in the paper, a text's score is its largest cosine over the query's chunks.

    `encoder`: a name of the catalogue, a folder, a hub id, or a running encoder. `pooling`: `mean` or `cls`; without it the
    encoder's own.
    """

    kind = "dense"

    def __init__(
        self,
        encoder: str | Encoder = DEFAULT_ENCODER,
        *,
        pooling: Pooling | None = None,
        runtime: str = "auto",
        threads: int | None = None,
    ) -> None:
        running = load_encoder(encoder, runtime=runtime, threads=threads) if isinstance(encoder, str) else encoder
        self.encoder = PooledEncoder(running, pooling or pooling_of(running.name))

    @property
    def settings(self) -> dict[str, Any]:
        """What the vectors depend on."""
        inner = self.encoder.encoder
        return {
            "encoder": inner.name,
            "fingerprint": inner.fingerprint,
            "pooling": self.encoder.pooling,
            "dimension": inner.dimension,
        }

    def rows(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Yield the vector of each text."""
        return self.encoder.vectors(texts)

    def pack(self, rows: Iterable[Floats]) -> dict[str, Array]:
        """Return the vectors as one matrix."""
        empty = np.zeros((0, self.encoder.encoder.dimension), dtype=np.float32)
        return {"vectors": np.concatenate([empty, *(row[None] for row in rows)])}

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[Floats]:
        """Return the vectors."""
        return arrays["vectors"]  # type: ignore[return-value]

    def scorer(self, blocks: Sequence[Block]) -> DenseScorer:
        """Return a scorer over blocks."""
        return DenseScorer(self.encoder, [block.arrays["vectors"] for block in blocks])


def _largest(rows: Floats, chunks: Floats) -> Floats:
    """Return the largest cosine of each row.

    Each is summed by itself: with a product of matrices, the last bit would depend on which rows stand beside it, and so the order of
    equal texts on segments and filters.
    """
    found: Floats = np.einsum("ij,j->i", rows, chunks[0])
    for chunk in chunks[1:]:
        np.maximum(found, np.einsum("ij,j->i", rows, chunk), out=found)
    return found


class DenseScorer:
    """Compares a query with every vector, some thousand at a time."""

    def __init__(self, encoder: PooledEncoder, matrices: Sequence[Floats]) -> None:
        self._encoder = encoder
        self._matrices = matrices
        self._query = lru_cache(4)(encoder.chunk_vectors)

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the largest cosine of every text; minus infinity for a query without a single token."""
        chunks = self._query(query)
        found = np.full(sum(map(len, self._matrices)), -np.inf, dtype=np.float32)
        if not len(chunks):
            return found
        first = 0
        for matrix in self._matrices:
            for begin in range(0, len(matrix), _ROWS):
                rows = matrix[begin : begin + _ROWS]
                place = slice(first + begin, first + begin + len(rows))
                if allowed is None:
                    found[place] = _largest(rows, chunks)
                elif len(chosen := np.flatnonzero(allowed[place])):
                    found[place.start + chosen] = _largest(rows[chosen], chunks)
            first += len(matrix)
        return found

    def evidence(self, query: str, number: int, text: str) -> Evidence:
        """Return what each token of the text adds to the cosine: with mean pooling, the vector is a sum over tokens.

        A vector of the first token is no sum, so nothing can be said of its parts.
        """
        chunks = self._query(query)
        if not len(chunks) or self._encoder.pooling != "mean":
            return Evidence()
        [vector] = self._encoder.vectors([text])
        best = chunks[int((chunks @ vector).argmax())]
        tokens, length = self._encoder.tokens(text)
        added = (tokens.vectors @ best) / length
        bounds = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        places = [Place(text[start:end], start, end) for start, end in bounds]
        return Evidence(words=tuple(zip(places, added.tolist(), strict=True)))

    def cost(self, query: str) -> int:
        """Return the number of similarities computed: every text, once for each chunk of the query."""
        return sum(map(len, self._matrices)) * len(self._query(query))
