"""Serving engines, measured on the same passages and the same long claims: the local index and Qdrant.

    python benchmarks/engines.py --quick                          a minute, 5,000 passages
    python benchmarks/engines.py                                  100,000 passages, about 10 minutes
    python benchmarks/engines.py --engines local,qdrant-2         some of local, qdrant-1, qdrant-2

For each engine: load time and size; how exact it is against float64 sums over the stored weights; latency of the 100 best
passages with one client; and queries a second with eight. Qdrant needs its server, see tests/engines/qdrant_server.py. `--folder`
keeps the local index for the next run, `--json` writes the figures to a file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import machine
import numpy as np
from rich.console import Console
from rich.table import Table
from search import deviation, reference, rounded
from search_corpus import V, make_corpus, make_queries, write_index

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engines"))
from qdrant_server import binary, running

from sparse_coverage.engines.points import point_id
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.engines.ranking import EngineRanker
from sparse_coverage.engines.sync import push
from sparse_coverage.index import IndexStore, open_store
from sparse_coverage.search.explaining import TracedQuery
from sparse_coverage.search.ranking import Ranker as LocalRanker
from sparse_coverage.search.ranking import ScoringConfig
from sparse_coverage.vectors import Activations, SparseVector

K = 100
CLIENTS = 8
ENGINES = ("local", "qdrant-1", "qdrant-2")
console = Console(width=120)
Search = Callable[[SparseVector], list[tuple[str, float]]]


def size_of(folder: Path) -> int:
    """Bytes on disk, as the file system counts them: logs are kept in large files that are mostly empty."""
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # an engine clears away what it has rearranged
            size += path.stat().st_blocks * 512
    return size


def cpu_of(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def asked(vector: SparseVector) -> TracedQuery:
    """Return a query of which there are centers alone."""
    none = np.zeros((0, 0), np.float32)
    return TracedQuery("", vector, (), Activations(none.astype(np.int32), none), none)


class Bench:
    """The passages, the claims, and what an exact engine would answer."""

    def __init__(self, units: int, queries: int, folder: Path) -> None:
        corpus = make_corpus(units)
        self.folder = folder
        if not (folder / "local" / "manifest.json").exists():
            write_index(folder / "local", [corpus], words=60)
        self.store: IndexStore = open_store(folder / "local")
        self.local = LocalRanker(self.store, ScoringConfig(), threads=1)
        for segment in self.store.segments:
            segment.packed.check_all()
        self.vectors = make_queries(queries, 745, seed=1)
        self._exact = [reference(rounded(corpus), self.local, vector) for vector in self.vectors]
        self._numbers = self._point_numbers()

    def _point_numbers(self) -> dict[str, int]:
        numbers = {}
        for number in range(self.store.state.documents):
            units = self.store.passages_of(number)
            document = self.store.document(number).id
            for place, unit in enumerate(units):
                numbers[point_id(document, place, self.store.passage(unit).id)] = unit
        return numbers

    def quality(self, search: Search) -> tuple[float, float]:
        """The largest relative difference of a score, and how much of the exact list is found."""
        differences, overlaps = [], []
        for vector, exact in zip(self.vectors, self._exact, strict=True):
            found = search(vector)
            numbers = np.asarray([self._numbers[id_] for id_, _ in found])
            scores = np.asarray([score for _, score in found])
            differences.append(float(np.abs(scores / exact[numbers] - 1).max()))
            overlaps.append(deviation(exact, numbers, K)[1])
        return max(differences), float(np.mean(overlaps))

    def local_search(self) -> Search:
        names = {number: id_ for id_, number in self._numbers.items()}

        def search(vector: SparseVector) -> list[tuple[str, float]]:
            ranking = self.local.rank_passages(vector, K)
            return list(
                zip([names[number] for number in ranking.numbers.tolist()], ranking.scores.tolist(), strict=True)
            )

        return search


def latencies(search: Search, vectors: list[SparseVector], seconds: float) -> list[float]:
    """Seconds of single queries, one after the other, for about so many seconds and each query at least once."""
    taken: list[float] = []
    begun = time.perf_counter()
    while len(taken) < len(vectors) or (time.perf_counter() - begun < seconds and len(taken) < 2000):
        before = time.perf_counter()
        search(vectors[len(taken) % len(vectors)])
        taken.append(time.perf_counter() - before)
    return taken


def throughput(search: Search, vectors: list[SparseVector], seconds: float) -> float:
    """Queries a second with eight clients."""
    stop, counts = threading.Event(), [0] * CLIENTS

    def client(number: int) -> None:
        place = number
        while not stop.is_set():
            search(vectors[place % len(vectors)])
            counts[number] += 1
            place += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begun)


def measure(bench: Bench, search: Search, pids: list[int], seconds: float) -> dict[str, Any]:
    search(bench.vectors[0])
    difference, overlap = bench.quality(search)
    cpu, own = sum(map(cpu_of, pids)), time.process_time()
    taken = latencies(search, bench.vectors, seconds)
    cpu, own = sum(map(cpu_of, pids)) - cpu, time.process_time() - own
    return {
        "largest_difference": difference,
        "overlap": overlap,
        "queries": len(taken),
        "p50_ms": float(np.percentile(taken, 50)) * 1e3,
        "p99_ms": float(np.percentile(taken, 99)) * 1e3,
        "server_cpu_ms": cpu / len(taken) * 1e3,
        "client_cpu_ms": own / len(taken) * 1e3,
        "queries_per_second": throughput(search, bench.vectors, seconds),
    }


def remote(
    bench: Bench,
    collection: QdrantCollection,
    settle: Callable[[], None],
    folder: Path,
    pids: list[int],
    seconds: float,
) -> dict[str, Any]:
    begun, cpu, own = time.perf_counter(), sum(map(cpu_of, pids)), time.process_time()
    push(collection, bench.store)
    sent, own = time.perf_counter() - begun, time.process_time() - own
    settle()
    figures: dict[str, Any] = {
        "upload_s": sent,
        "load_s": time.perf_counter() - begun,
        "load_client_cpu_s": own,
        "load_server_cpu_s": sum(map(cpu_of, pids)) - cpu,
    }
    ranker = EngineRanker(collection, ranking="centers")
    figures |= measure(
        bench,
        lambda vector: [(point.id, point.score) for point in ranker.rank_passages(asked(vector), K)],
        pids,
        seconds,
    )
    figures["documents_p50_ms"] = 1e3 * float(
        np.median([_clocked(lambda v=vector: ranker.rank_documents(asked(v), 10, 3)) for vector in bench.vectors])  # type: ignore[misc]
    )
    figures["bytes"] = size_of(folder)
    return figures


def _clocked(function: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


@contextmanager
def qdrant(nodes: int, folder: Path) -> Iterator[tuple[QdrantCollection, Callable[[], None], list[int]]]:

    with running(folder, nodes) as started:
        urls = [node.url for node in started]
        collection = QdrantCollection(urls, "bench", shards=2, replicas=nodes)

        def settle() -> None:
            """Wait until the engine has nothing left to rearrange."""
            while str(collection.information().status.value) != "green":
                time.sleep(0.2)

        yield collection, settle, [node.pid for node in started]
        collection.close()


def run(name: str, bench: Bench, seconds: float) -> dict[str, Any] | str:
    if name == "local":
        search = bench.local_search()
        return {"bytes": size_of(bench.folder / "local"), **measure(bench, search, [], seconds)}
    folder = bench.folder / f"{name}-{os.getpid()}"
    try:
        if binary() is None:
            return "no Qdrant server: set SPARSE_COVERAGE_QDRANT"
        with qdrant(int(name[-1]), folder) as (collection, settle, pids):
            return remote(bench, collection, settle, folder, pids, seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def show(figures: dict[str, Any]) -> None:
    units = figures["units"]
    table = Table(
        title=f"{units:,} passages, {figures['postings']:,} postings, {figures['centers']:.0f} centers a query"
    )
    for heading in ("engine", "load s", "MB", "difference", "overlap", "p50 ms", "p99 ms", "CPU ms", "1/s, 8 clients"):
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    for name, row in figures["engines"].items():
        if isinstance(row, str):
            table.add_row(name, row)
            continue
        table.add_row(
            name,
            f"{row['load_s']:.1f}" if "load_s" in row else "–",
            f"{row['bytes'] / 1e6:.0f}",
            f"{row['largest_difference']:.1e}",
            f"{row['overlap']:.4f}",
            f"{row['p50_ms']:.1f}",
            f"{row['p99_ms']:.1f}",
            f"{row['server_cpu_ms'] + row['client_cpu_ms']:.1f}",
            f"{row['queries_per_second']:.1f}",
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--units", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each measurement may take")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.quick:
        options.units, options.queries, options.seconds = 5_000, 4, 2.0
    wanted = options.engines.split(",")
    if unknown := set(wanted) - set(ENGINES):
        parser.error(f"no such engine: {', '.join(sorted(unknown))}; there are {', '.join(ENGINES)}")
    folder = options.folder or Path(tempfile.mkdtemp(prefix="engines-benchmark-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        bench = Bench(options.units, options.queries, folder)
        kept = [bench.local.lists_read(vector)[0] for vector in bench.vectors]
        figures: dict[str, Any] = {
            "machine": machine.describe(),
            "units": options.units,
            "vocabulary": V,
            "postings": int(bench.store.frequencies.sum()),
            "centers": float(np.mean(kept)),
            "engines": {},
        }
        for name in wanted:
            console.print(f"[dim]{name} …[/dim]")
            figures["engines"][name] = run(name, bench, options.seconds)
        show(figures)
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
