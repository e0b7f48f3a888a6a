"""Ranking by centers, words and vectors at once: ours beside Qdrant with the same three parts, bm25s for words and FAISS for vectors.

    python benchmarks/search_combined.py --quick               a minute, small
    python benchmarks/search_combined.py --units 1000000       with SPARSE_COVERAGE_QDRANT set to the binary of its server

The corpus is made up: passages over 50,000 centers (as in `search.py`), 60 words drawn by a power law from 100,000, a vector of 384
numbers; 20 passages a document. A query has 745 centers, 60 words and one vector. Ours ranks documents by each part and adds them up,
as the ranking `combined` does. Qdrant ranks passages by each part and joins them by its own fusion (reciprocal ranks), in one
request, dense vectors one by one (`exact`, no graph), as ours; the CPU time of its server is told apart. Peers for single parts:
bm25s and FAISS (float32, and 8 bits). All take turns query by query, one thread each. `--folder` keeps what was built.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table
from search_corpus import Corpus, V, make_corpus, make_queries
from search_whole import clocked

from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter, PassageRecord, open_store
from sparse_coverage.kernels.choosing import use
from sparse_coverage.progress import tracked
from sparse_coverage.search.part_scores import DEPTH, VectorScores, WordScores
from sparse_coverage.search.ranking import Ranker, ScoringConfig

sys.path.append(str(Path(__file__).parent.parent / "tests" / "engines"))
from qdrant_server import REASON, binary, running

DIMENSION, WORDS, PASSAGE_WORDS, PASSAGES = 384, 100_000, 60, 20
K = 100
console = Console()


def word_ids(units: int, seed: int) -> np.ndarray:
    """The words of passages or queries, one row each."""
    falling = 1 / (np.arange(WORDS) + 20.0)
    cumulative = np.cumsum(falling / falling.sum())
    random = np.random.default_rng(seed)
    return np.searchsorted(cumulative, random.random((units, PASSAGE_WORDS))).clip(max=WORDS - 1)


def unit_rows(units: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((units, DIMENSION), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def text_of(ids: np.ndarray) -> str:
    return " ".join(f"x{number}x" for number in ids.tolist())


def write(folder: Path, corpus: Corpus, words: np.ndarray, vectors: np.ndarray) -> None:
    with IndexWriter.create(folder, V, {"by": "passage"}, words=True, dimension=DIMENSION) as writer:
        for first in tracked(range(0, len(corpus), PASSAGES), "Indexing", -(-len(corpus) // PASSAGES)):
            name = f"D{first // PASSAGES}"
            units = range(first, min(first + PASSAGES, len(corpus)))
            records = [PassageRecord(f"{name}/{unit}", name, "description", text_of(words[unit])) for unit in units]
            indexed = [
                IndexedPassage(record, corpus.vector(unit), vectors[unit])
                for unit, record in zip(units, records, strict=True)
            ]
            writer.add(DocumentRecord(name, "", {}), indexed)
            if not writer.pending:
                writer.commit(complete=False)
        writer.merge()


class Ours:
    """Scores by each part, and their sum over documents, on one thread."""

    def __init__(self, folder: Path) -> None:
        store = open_store(folder)
        self.ranker = Ranker(store, ScoringConfig(), threads=1)
        self.words, self.vectors = WordScores(store), VectorScores(store)

    def part(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.ranker.best_documents(scores, None, DEPTH)

    def centers(self, query: Any) -> Any:
        return self.part(self.ranker.passage_scores(query.centers, None, 1))

    def by_words(self, query: Any) -> Any:
        return self.part(self.words.scores(query.text))

    def by_vectors(self, query: Any) -> Any:
        return self.part(self.vectors.scores(query.vector[None]))

    def combined(self, query: Any) -> np.ndarray:
        totals: dict[int, float] = {}
        for numbers, scores in (self.centers(query), self.by_words(query), self.by_vectors(query)):
            spread = float(scores[0] - scores[-1]) or 1.0
            for number, score in zip(numbers.tolist(), ((scores - scores[-1]) / spread).tolist(), strict=True):
                totals[number] = totals.get(number, 0.0) + score
        return np.asarray(sorted(totals, key=lambda number: -totals[number])[:K])


class Query:
    """One query: its centers, its words (as ids and as a text) and its vector."""

    def __init__(self, centers: Any, words: np.ndarray, vector: np.ndarray) -> None:
        self.centers, self.words, self.vector = centers, words, vector
        self.text = text_of(words)


def missing(peers: list[str]) -> Iterator[str]:
    """Tell what a peer needs and is not there, before anything is built."""
    modules = {"bm25s": "bm25s", "faiss": "faiss", "qdrant": "qdrant_client"}
    for name in peers:
        if name not in modules:
            yield f"--peers: there is no {name}; choose from {', '.join(modules)}"
        elif importlib.util.find_spec(modules[name]) is None:
            yield f"--peers: {name} needs the package {modules[name]}: pip install 'sparse-coverage[bench]'"
    if "qdrant" in peers and binary() is None:
        yield REASON


def bm25s_peer(words: np.ndarray) -> Callable[[Query], Any]:
    import bm25s

    retriever, known = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numba"), {str(n): n for n in range(WORDS)}
    retriever.index(bm25s.tokenization.Tokenized(words.tolist(), known), show_progress=False)

    def search(query: Query) -> Any:
        asked = bm25s.tokenization.Tokenized([query.words.tolist()], known)
        return retriever.retrieve(asked, k=K, show_progress=False, n_threads=1)

    return search


def faiss_peers(vectors: np.ndarray) -> dict[str, Callable[[Query], Any]]:
    import faiss

    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatIP(DIMENSION)
    narrow = faiss.IndexScalarQuantizer(DIMENSION, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    narrow.train(vectors[:100_000])
    for index in (flat, narrow):
        index.add(vectors)
    return {
        "FAISS, float32": lambda query: flat.search(query.vector[None], K),
        "FAISS, 8 bits": lambda query: narrow.search(query.vector[None], K),
    }


def qdrant_peer(url: str, corpus: Corpus, words: np.ndarray, vectors: np.ndarray, norms: np.ndarray) -> Any:
    """Load the three parts and return a search by all of them, joined by Qdrant itself."""
    from qdrant_client import QdrantClient, models

    client = QdrantClient(url=url, timeout=600, prefer_grpc=False)
    sparse = models.SparseVectorParams(index=models.SparseIndexParams(on_disk=False))
    client.create_collection(
        "bench",
        vectors_config={
            "vectors": models.VectorParams(
                size=DIMENSION,
                distance=models.Distance.DOT,
                hnsw_config=models.HnswConfigDiff(m=0),
                quantization_config=models.ScalarQuantization(
                    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
                ),
            )
        },
        sparse_vectors_config={"centers": sparse, "words": sparse},
    )
    size, frequencies = 1_000, np.zeros(WORDS, np.int64)
    for first in tracked(range(0, len(corpus), size), "Qdrant takes points", -(-len(corpus) // size)):
        points = []
        for unit in range(first, min(first + size, len(corpus))):
            ids, counts = np.unique(words[unit], return_counts=True)
            frequencies[ids] += 1
            place = slice(corpus.starts[unit], corpus.starts[unit + 1])
            weights = corpus.weights[place] * norms[unit]
            made = {
                "centers": models.SparseVector(indices=corpus.centers[place].tolist(), values=weights.tolist()),
                "words": models.SparseVector(indices=ids.tolist(), values=(counts / (counts + 1.5)).tolist()),
                "vectors": vectors[unit].tolist(),
            }
            points.append(models.PointStruct(id=unit, vector=made, payload={}))
        client.upsert("bench", points, wait=first + size >= len(corpus))
    while client.get_collection("bench").status != models.CollectionStatus.GREEN:
        time.sleep(1)
    idf = np.log(1 + (len(corpus) - frequencies + 0.5) / (frequencies + 0.5))

    def prefetch(query: Query, factors: tuple[np.ndarray, np.ndarray]) -> list[Any]:
        ids, counts = np.unique(query.words, return_counts=True)
        asked = {
            "centers": models.SparseVector(indices=factors[0].tolist(), values=factors[1].tolist()),
            "words": models.SparseVector(indices=ids.tolist(), values=(counts * idf[ids]).tolist()),
            "vectors": query.vector.tolist(),
        }
        exact = models.SearchParams(exact=True)
        return [models.Prefetch(query=one, using=part, limit=DEPTH, params=exact) for part, one in asked.items()]

    def search(query: Query, factors: tuple[np.ndarray, np.ndarray]) -> Any:
        return client.query_points(
            "bench", prefetch=prefetch(query, factors), query=models.FusionQuery(fusion=models.Fusion.RRF), limit=K
        )

    return search


def resident(pid: int | str = "self") -> float:
    """The memory of a process now, in MiB, mapped files included."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def spent(pid: int) -> float:
    """The CPU seconds of another process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(units: int, count: int, folder: Path, peers: list[str]) -> dict[str, Any]:
    corpus, words, vectors = make_corpus(units), word_ids(units, 1), unit_rows(units, 2)
    target = folder / f"combined-{units}"
    if not (target / "manifest.json").exists():
        write(target, corpus, words, vectors)
    before = resident()
    use("machine")
    ours = Ours(target)
    asked = zip(make_queries(count, 745, 3), word_ids(count, 4), unit_rows(count, 5), strict=True)
    queries = [Query(*one) for one in asked]
    ours.combined(queries[0])  # compiled, every page checked
    figures: dict[str, Any] = {"units": units, "ours_MiB": resident() - before}
    runs: dict[str, Callable[[Query], Any]] = {
        "ours, combined": ours.combined,
        "ours, centers": ours.centers,
        "ours, words": ours.by_words,
        "ours, vectors": ours.by_vectors,
    }
    server = 0
    with ExitStack() as stack:
        if "bm25s" in peers:
            runs["bm25s"] = bm25s_peer(words)
        if "faiss" in peers:
            runs |= faiss_peers(vectors)
        if "qdrant" in peers:
            [node] = stack.enter_context(running(Path(tempfile.mkdtemp()), nodes=1))
            norms = ours.ranker.statistics.config.norms(corpus.span_counts)
            search = qdrant_peer(node.url, corpus, words, vectors, norms)
            factors = ours.ranker.statistics.factors
            runs["Qdrant, three parts"] = lambda q: search(q, factors(q.centers.centers, q.centers.weights))
            server = node._process.pid
            figures["qdrant_MiB"] = resident(server)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        there = spent(server) if server else 0.0
        for turn, query in enumerate(tracked(queries, "Searching", len(queries))):
            names = list(runs)
            for name in [*names[turn % len(names) :], *names[: turn % len(names)]]:
                _, cpu, wall = clocked(lambda run=runs[name], query=query: run(query))  # type: ignore[misc]
                times[name].append((cpu, wall))
        if server:
            figures["qdrant_server_cpu_ms"] = 1e3 * (spent(server) - there) / len(queries)
    figures["engines"] = {name: dict(_figures(one)) for name, one in times.items()}
    return figures


def _figures(times: list[tuple[float, float]]) -> Iterator[tuple[str, float]]:
    for name, place in (("cpu", 0), ("wall", 1)):
        own = [1e3 * one[place] for one in times[1:]]
        yield f"{name}_p50_ms", float(np.percentile(own, 50))
        yield f"{name}_p99_ms", float(np.percentile(own, 99))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--peers", default="qdrant,bm25s,faiss")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.quick:
        options.units, options.queries = 20_000, 8
    peers = [name for name in options.peers.split(",") if name]
    if lacking := list(missing(peers)):
        parser.error("\n".join(lacking))
    folder = options.folder or Path(tempfile.mkdtemp(prefix="search-benchmark-"))
    try:
        figures = measure(options.units, options.queries, folder, peers)
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    console.print(describe())
    table = Table("what ranks", "CPU p50 ms", "p99", "clock p50 ms", "p99", title=f"{options.units:,} passages")
    for name, row in figures["engines"].items():
        table.add_row(name, *(f"{row[column]:.1f}" for column in row))
    console.print(table)
    console.print({name: value for name, value in figures.items() if name != "engines"})
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
