"""Other engines on the same corpus and the same queries, each on one thread. All are given the document side of the score as
weights, w(d,c) / |S_d|^gamma, and the query side, w(q,c) * idf^alpha, as query weights."""

from __future__ import annotations

import json
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


def pisa_engine(lists: Lists, folder: Path, algorithm: str) -> Engine:
    """PISA with 8-bit impacts, as it is used for learned sparse vectors; its lists are written in its own file format."""
    import pyterrier_pisa
    from pyterrier_pisa import _pisathon

    scale = 255 / float(lists.by_center.data.max())
    if not (folder / "pt_meta.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write_pisa(lists.by_center, folder, scale)
        for text, lexicon in (("fwd.documents", "fwd.doclex"), ("fwd.terms", "fwd.termlex")):
            _pisathon.build_binlex(str(folder / text), str(folder / lexicon))
        meta = {"type": "sparse_index", "format": "pisa", "package_hint": "pyterrier-pisa", "stemmer": "none"}
        (folder / "pt_meta.json").write_text(json.dumps(meta))
    index = pyterrier_pisa.PisaIndex(str(folder), stemmer="none", threads=1)
    retrieve = pyterrier_pisa.PisaRetrieve(index, "quantized", stops="none", threads=1, query_algorithm=algorithm)

    def search(centers: np.ndarray, weights: np.ndarray, k: int) -> Answer:
        query = {
            f"{center:06d}": float(weight) for center, weight in zip(centers.tolist(), weights.tolist(), strict=True)
        }
        queries, names = np.empty(k, np.int32), np.empty(k, object)
        ranks, scores = np.empty(k, np.int32), np.empty(k, np.float32)
        size = _pisathon.retrieve(
            retrieve._ctxt, algorithm, [(0, query)], k=k, threads=1, query_weighted=1, pretokenised=True,
            result_qidxs=queries, result_docnos=names, result_ranks=ranks, result_scores=scores,
        )  # fmt: skip
        order = np.argsort(ranks[:size])
        return names[:size][order].astype(np.int64), scores[:size][order]

    return search


def _write_pisa(matrix: Any, folder: Path, scale: float) -> None:
    units = matrix.shape[0]
    used = np.flatnonzero(np.diff(matrix.indptr))
    (folder / "fwd.documents").write_text("".join(f"{unit}\n" for unit in range(units)))
    (folder / "fwd.terms").write_text("".join(f"{center:06d}\n" for center in used.tolist()))
    impacts = np.maximum(np.rint(matrix.data * scale), 1).astype(np.uint32)
    lengths = np.zeros(units, np.int64)
    np.add.at(lengths, matrix.indices, impacts)
    with (folder / "inv.docs").open("wb") as documents, (folder / "inv.freqs").open("wb") as weights:
        documents.write(np.asarray([1, units], np.uint32).tobytes())
        for center in tracked(used.tolist(), "PISA takes lists", len(used)):
            place = slice(matrix.indptr[center], matrix.indptr[center + 1])
            size = np.asarray([place.stop - place.start], np.uint32).tobytes()
            documents.write(size + matrix.indices[place].astype(np.uint32).tobytes())
            weights.write(size + impacts[place].tobytes())
    (folder / "inv.sizes").write_bytes(np.concatenate(([units], lengths)).astype(np.uint32).tobytes())


def seismic_engines(lists: Lists, folder: Path) -> dict[str, Engine]:
    """Seismic, careful and quick: an approximate engine."""
    import seismic

    kind = seismic.get_seismic_string()
    if not list(folder.glob("*.seismic")):
        folder.mkdir(parents=True, exist_ok=True)
        matrix, dataset = lists.by_unit(), seismic.SeismicDataset()
        for unit in tracked(range(matrix.shape[0]), "Seismic takes vectors", matrix.shape[0]):
            place = slice(matrix.indptr[unit], matrix.indptr[unit + 1])
            tokens = np.asarray([str(center) for center in matrix.indices[place].tolist()], dtype=kind)
            dataset.add_document(str(unit), tokens, matrix.data[place])
        seismic.SeismicIndex.build_from_dataset(dataset).save(str(folder / "built"))
    index = seismic.SeismicIndex.load(str(next(folder.glob("*.seismic"))))

    def engine(cut_share: float, heap_factor: float) -> Engine:
        def search(centers: np.ndarray, weights: np.ndarray, k: int) -> Answer:
            tokens = np.asarray([str(center) for center in centers.tolist()], dtype=kind)
            found = index.search(
                query_id="0", query_components=tokens, query_values=weights.astype(np.float32), k=k,
                query_cut=max(1, int(cut_share * len(centers))), heap_factor=heap_factor, sorted=True,
            )  # fmt: skip
            return np.asarray([int(row[2]) for row in found]), np.asarray([row[1] for row in found])

        return search

    return {"Seismic, careful": engine(1.0, 0.95), "Seismic, quick": engine(0.05, 0.7)}
