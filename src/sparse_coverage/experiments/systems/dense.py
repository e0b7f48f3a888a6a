"""Dense retrieval: one mean-pooled vector a unit, the best of a query's chunks against it, exhaustively."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding import TokenVectors
from sparse_coverage.evaluation.units import unit_passages
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import code_key, content_key
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.progress import tracked

Matrix = npt.NDArray[np.float32]


class DenseSystem:
    """Vectors of all units, memory-mapped. As in the paper, a unit's score is its largest cosine over the query's chunks."""

    def __init__(self, bench: Workbench, options: SystemOptions) -> None:
        self._vectors = _unit_vectors(bench, options.encoder)
        queries = zip(bench.collection.judged, bench.query_tokens(options.encoder), strict=True)
        self._queries = {query.id: pool_chunks(tokens) for query, tokens in queries}

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of every unit for a query of the collection, by its id."""
        best: Matrix = (self._vectors @ self._queries[query].T).max(axis=1)
        return best.astype(np.float64)

    def cost(self, query: str) -> int:
        """Return the number of similarities computed: every unit, once for each chunk of the query."""
        return len(self._vectors) * len(self._queries[query])


def pool_chunks(tokens: TokenVectors) -> Matrix:
    """Return one normalised mean vector for each chunk of a text."""
    if not len(tokens):
        return np.zeros((1, tokens.vectors.shape[1]), dtype=np.float32)
    parts = [tokens.vectors[tokens.chunks == chunk].mean(axis=0) for chunk in np.unique(tokens.chunks)]
    return _normalised(np.stack(parts))


def _normalised(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def _unit_vectors(bench: Workbench, name: str) -> Matrix:
    encoder = bench.encoder(name)
    key = content_key(
        code=code_key("encoding", "experiments/systems"),
        documents=bench.units.fingerprint,
        encoder=encoder.fingerprint,
        precision=encoder.precision,
    )
    path: Path = bench.cache / "dense" / f"{key}.npy"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial.npy")
        shape = (len(bench.units), encoder.dimension)
        matrix = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float32, shape=shape)
        texts = (unit.text for unit in unit_passages(bench.collection.documents(), bench.collection.by))
        for row, tokens in enumerate(tracked(encoder.encode(texts), "Encoding passages", len(bench.units))):
            if len(tokens):
                matrix[row] = _normalised(tokens.vectors.mean(axis=0, keepdims=True))[0]
        matrix.flush()
        partial.replace(path)
    vectors: Matrix = np.load(path, mmap_mode="r")
    return vectors
