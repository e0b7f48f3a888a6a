"""Other engines on the same corpus and the same queries, each on one thread. All are given the document side of the score as
weights, w(d,c) / |S_d|^gamma, and the query side, w(q,c) * idf^alpha, as query weights."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.progress import tracked

Answer = tuple[np.ndarray, np.ndarray]
Engine = Callable[[np.ndarray, np.ndarray, int], Answer]


class Lists:
    """The corpus in float32 as peers want it: by center, and by unit for as long as an index is being built."""

    def __init__(self, corpus: Any, gamma: float, centers: int) -> None:
        self._corpus, self._gamma, self._centers = corpus, gamma, centers
        self.by_center = self.by_unit().tocsc()

    def by_unit(self) -> Any:
        import scipy.sparse

        corpus = self._corpus
        norms = np.maximum(corpus.span_counts, 1).astype(np.float64) ** -self._gamma
        weights = corpus.weights * np.repeat(norms, np.diff(corpus.starts)).astype(np.float32)
        shape = (len(corpus), self._centers)
        return scipy.sparse.csr_array((weights, corpus.centers, corpus.starts.astype(np.int64)), shape=shape)


def best(scores: np.ndarray, k: int) -> Answer:
    """The k best of mostly non-zero scores."""
    nonzero = np.flatnonzero(scores)
    values = scores[nonzero]
    if len(values) > k:
        kept = np.argpartition(-values, k)[:k]
        nonzero, values = nonzero[kept], values[kept]
    order = np.lexsort((nonzero, -values))
    return nonzero[order], values[order]


def scipy_engines(lists: Lists) -> dict[str, Engine]:
    """Center-major, in the two ways SciPy offers: a product of sparse matrices, and the query's columns times a dense vector."""
    import scipy.sparse

    rows = lists.by_center.T.tocsr()

    def product(centers: np.ndarray, weights: np.ndarray, k: int) -> Answer:
        place = np.asarray([0, len(centers)])
        query = scipy.sparse.csr_array((weights.astype(np.float32), centers, place), shape=(1, rows.shape[0]))
        scores = query @ rows
        kept, values = best(scores.data, k)
        return scores.indices[kept], values

    def columns(centers: np.ndarray, weights: np.ndarray, k: int) -> Answer:
        return best(lists.by_center[:, centers] @ weights.astype(np.float32), k)

    return {"SciPy, sparse product": product, "SciPy, columns": columns}


def bm25s_engine(lists: Lists) -> Engine:
    """The scoring and selection kernels of bm25s. They know no query weights, so its ranking is another one; its time counts."""
    from bm25s.numba.selection import _numba_sorted_top_k
    from bm25s.scoring import _compute_relevance_from_scores_jit_ready
    from numba import njit

    score = njit(nogil=True)(_compute_relevance_from_scores_jit_ready)
    matrix = lists.by_center
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)

    def search(centers: np.ndarray, weights: np.ndarray, k: int) -> Answer:
        scores = score(
            query_tokens_ids=centers.astype(np.int32), data=matrix.data, indptr=indptr, indices=indices,
            num_docs=matrix.shape[0], dtype=np.float32,
        )  # fmt: skip
        values, ids = _numba_sorted_top_k(scores, k=k, sorted=True)
        return ids, values

    return search


def qdrant_engine(lists: Lists, folder: Path) -> Engine:
    """Qdrant in process, its sparse index pinned in memory, one search thread."""
    import qdrant_edge as q

    optimizers = q.EdgeOptimizersConfig(default_segment_number=1, max_segment_size=100_000_000, indexing_threshold=1)
    sparse = {"s": q.EdgeSparseVectorParams(full_scan_threshold=1)}
    config = q.EdgeConfig(sparse_vectors=sparse, max_search_threads=1, optimizers=optimizers)
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shard = q.EdgeShard.create(str(folder / "shard"), config)
        matrix, size = lists.by_unit(), 5_000
        for first in tracked(range(0, matrix.shape[0], size), "Qdrant takes points", -(-matrix.shape[0] // size)):
            points = []
            for unit in range(first, min(first + size, matrix.shape[0])):
                place = slice(matrix.indptr[unit], matrix.indptr[unit + 1])
                vector = q.SparseVector(matrix.indices[place].tolist(), matrix.data[place].tolist())
                points.append(q.Point(unit, {"s": vector}))
            shard.update(q.UpdateOperation.upsert_points(points))
        shard.optimize()
        shard.flush()
        shard.close()
        (folder / "done").touch()
    shard = q.EdgeShard.load(str(folder / "shard"), config)

    def search(centers: np.ndarray, weights: np.ndarray, k: int) -> Answer:
        vector = q.SparseVector(centers.tolist(), weights.tolist())
        found = shard.query(q.QueryRequest(limit=k, query=q.Query.Nearest(vector, using="s")))
        return np.asarray([point.id for point in found]), np.asarray([point.score for point in found])

    search.shard = shard  # type: ignore[attr-defined]
    return search
