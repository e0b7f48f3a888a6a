"""Dense retrieval: one vector a text, the best of a query's chunks against it, exhaustively."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder, load_encoder
from sparse_coverage.retrievers.pooling import Matrix, PooledEncoder, Pooling, pooling_of
from sparse_coverage.retrievers.side import Array, Block, Mask, Scores, Side

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

    def rows(self, texts: Iterable[str]) -> Iterator[Matrix]:
        """Yield the vector of each text."""
        return self.encoder.vectors(texts)

    def pack(self, rows: Iterable[Matrix]) -> dict[str, Array]:
        """Return the vectors as one matrix."""
        empty = np.zeros((0, self.encoder.encoder.dimension), dtype=np.float32)
        return {"vectors": np.concatenate([empty, *(row[None] for row in rows)])}

    def unpack(self, arrays: Mapping[str, Array]) -> Sequence[Matrix]:
        """Return the vectors."""
        return arrays["vectors"]  # type: ignore[return-value]

    def scorer(self, blocks: Sequence[Block]) -> DenseScorer:
        """Return a scorer over blocks."""
        return DenseScorer(self.encoder, [block.arrays["vectors"] for block in blocks])


class DenseScorer:
    """Compares a query with every vector, some thousand at a time."""

    def __init__(self, encoder: PooledEncoder, matrices: Sequence[Matrix]) -> None:
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
                    found[place] = (rows @ chunks.T).max(axis=1)
                elif len(chosen := np.flatnonzero(allowed[place])):
                    found[place.start + chosen] = (rows[chosen] @ chunks.T).max(axis=1)
            first += len(matrix)
        return found

    def cost(self, query: str) -> int:
        """Return the number of similarities computed: every text, once for each chunk of the query."""
        return sum(map(len, self._matrices)) * len(self._query(query))
