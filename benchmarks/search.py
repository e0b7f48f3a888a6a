"""Searching, measured: ours beside other engines, and a whole index of the paper's size.

    python benchmarks/search.py --quick            a minute, small
    python benchmarks/search.py compare            1M passages, all peers of the extra [bench] that are installed
    python benchmarks/search.py whole              17,000 documents, 1.4M passages: build, size, open, memory, latency

Engines are interleaved query by query on one thread; figures are medians of CPU time, with wall time beside. `--folder` keeps
what was built for the next run, `--json` writes the figures to a file.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.console import Console
from rich.table import Table
from search_corpus import Corpus, V, make_corpus, make_queries, write_index
from search_whole import K, clocked, whole

from sparse_coverage.index import open_store
from sparse_coverage.search.ranking import Ranker, ScoringConfig
from sparse_coverage.vectors import SparseVector

console = Console()


@numba.njit(cache=True)
def _reference(starts, centers, weights, norms, query, scores):  # type: ignore[no-untyped-def]
    for unit in range(len(norms)):
        total = 0.0
        for place in range(starts[unit], starts[unit + 1]):
            total += np.float64(weights[place]) * query[centers[place]]
        scores[unit] = total * norms[unit]


def rounded(corpus: Corpus) -> Corpus:
    """The corpus with the weights that 16 bits hold, which is what our index was given to search."""
    return replace(corpus, weights=(np.rint(corpus.weights.astype(np.float64) * 65_535) / 65_535).astype(np.float32))


def reference(corpus: Corpus, ranker: Ranker, vector: SparseVector) -> np.ndarray:
    """Every score in float64, unit by unit: shares no code with the ranker but the statistics."""
    query = np.zeros(V)
    kept, factors = ranker.statistics.factors(vector.centers, vector.weights)
    query[kept] = factors
    scores = np.empty(len(corpus))
    norms = np.maximum(corpus.span_counts, 1).astype(np.float64) ** -ranker.statistics.config.gamma
    _reference(corpus.starts, corpus.centers, corpus.weights, norms, query, scores)
    return scores


def deviation(exact: np.ndarray, found: np.ndarray, k: int) -> tuple[float, float]:
    """How far a ranking is from the exact one: the largest relative difference of scores at one rank, and the overlap."""
    order = np.lexsort((np.arange(len(exact)), -exact))[:k]
    order = order[exact[order] > 0]
    if len(found) != len(order):
        return 1.0, len(np.intersect1d(order, found)) / max(len(order), 1)
    differences = np.abs(exact[found] - exact[order]) / exact[order]
    return float(differences.max(initial=0)), len(np.intersect1d(order, found)) / max(len(order), 1)


def bandwidth() -> float:
    """How fast one thread reads memory, in bytes a second."""
    data = np.ones(1 << 26, np.int64)
    times = [clocked(lambda: int(data.sum()))[1] for _ in range(7)]
    return data.nbytes / min(times)


def compare(units: int, queries: int, folder: Path, peers: list[str]) -> dict[str, Any]:
    corpus = make_corpus(units)
    stored = rounded(corpus)
    if not (folder / "ours" / "manifest.json").exists():
        write_index(folder / "ours", [corpus], words=8)
    scoring = ScoringConfig()
    ours = Ranker(open_store(folder / "ours"), scoring, threads=2)
    ours.warm_up()  # machine code from the start
    _check_pages(ours)
    kinds = {"long": make_queries(queries, 745, 1), "short": make_queries(queries, 68, 2)}
    engines = _peers(corpus, scoring, folder, peers)

    figures: dict[str, Any] = {"units": units, "postings": len(corpus.centers), "bandwidth_GB_s": bandwidth() / 1e9}
    for kind, vectors in kinds.items():
        times: dict[str, list[tuple[float, float]]] = {}
        quality: dict[str, list[tuple[float, float]]] = {}
        differences: list[float] = []
        scanned = [ours.lists_read(vector) for vector in vectors]
        for repeat in range(3):
            for vector in vectors:
                kept, factors = ours.statistics.factors(vector.centers, vector.weights)
                runs: dict[str, Callable[[], Any]] = {"ours": lambda v=vector: ours.rank_passages(v, K)}  # type: ignore[misc]
                for name, ranker in engines.items():
                    runs[name] = lambda e=ranker, c=kept, f=factors: e(c, f, K)  # type: ignore[misc]
                exact = reference(corpus, ours, vector) if repeat == 0 else None
                held = reference(stored, ours, vector) if repeat == 0 else None
                turn = len(times.get("ours", [])) % len(runs)  # each ranker comes after each other one
                for name in [*list(runs)[turn:], *list(runs)[:turn]]:
                    run = runs[name]
                    result, cpu, wall = clocked(run)
                    times.setdefault(name, []).append((cpu, wall))
                    if exact is not None:
                        ids = result.numbers if name == "ours" else result[0]
                        quality.setdefault(name, []).append(deviation(exact, np.asarray(ids, dtype=np.int64), K))
                        if name == "ours":
                            differences.append(deviation(held, ids, K)[0])
        rows = {name: _row(times[name], quality[name]) for name in times}
        for row in rows.values():
            row["times_ours"] = row["cpu_ms"] / rows["ours"]["cpu_ms"]
        postings = float(np.mean([lists[2] for lists in scanned]))
        figures[kind] = {
            "centers": float(np.mean([lists[0] for lists in scanned])),
            "postings_scanned": postings,
            "postings_per_second": postings / rows["ours"]["cpu_ms"] * 1e3,
            "largest_difference_to_float64_on_the_stored_weights": max(differences),
            "engines": rows,
        }
    return figures


def _check_pages(ranker: Ranker) -> None:
    """Check all pages, which is else done at their first use: what is timed is every later one."""
    for segment in ranker.store.segments:
        segment.packed.check_all()


def _row(times: list[tuple[float, float]], quality: list[tuple[float, float]]) -> dict[str, float]:
    return {
        "cpu_ms": float(np.median([cpu for cpu, _ in times])) * 1e3,
        "wall_ms": float(np.median([wall for _, wall in times])) * 1e3,
        "largest_difference": max(difference for difference, _ in quality),
        "overlap": float(np.mean([overlap for _, overlap in quality])),
    }


def _peers(corpus: Corpus, scoring: ScoringConfig, folder: Path, wanted: list[str]) -> dict[str, Any]:
    import search_peers

    try:
        lists = search_peers.Lists(corpus, scoring.gamma, V) if wanted else None
    except ImportError as error:
        console.print(f"[yellow]left out all peers, which need SciPy: {error}[/yellow]")
        return {}
    makers: dict[str, Callable[[], Any]] = {
        "scipy": lambda: search_peers.scipy_engines(lists),  # type: ignore[arg-type]
        "bm25s": lambda: {"bm25s' kernel": search_peers.bm25s_engine(lists)},  # type: ignore[arg-type]
        "qdrant": lambda: {"Qdrant, in process": search_peers.qdrant_engine(lists, folder / "qdrant")},  # type: ignore[arg-type]
    }
    engines: dict[str, Any] = {}
    for name in wanted:
        if name in makers:
            try:
                engines |= makers[name]()
            except ImportError as error:
                console.print(f"[yellow]left out {name}: {error}[/yellow]")
    return engines


def show(figures: dict[str, Any]) -> None:
    for kind in ("long", "short"):
        if kind in figures:
            part = figures[kind]
            title = (
                f"{kind}: {part['centers']:.0f} centers, {part['postings_scanned'] / 1e6:.2f}M postings of "
                f"{figures['postings'] / 1e6:.0f}M; "
                f"ours {part['postings_per_second'] / 1e6:.0f}M postings/s = "
                f"{part['postings_per_second'] * 4 / 1e9:.1f} GB/s of {figures['bandwidth_GB_s']:.1f}"
            )
            table = Table("ranker", "CPU ms", "wall ms", "times ours", "largest difference", "overlap", title=title)
            for name, row in part["engines"].items():
                table.add_row(name, f"{row['cpu_ms']:.2f}", f"{row['wall_ms']:.2f}", f"{row['times_ours']:.1f}",
                              f"{row['largest_difference']:.1e}", f"{row['overlap']:.4f}")  # fmt: skip
            console.print(table)
            console.print({key: part[key] for key in ("largest_difference_to_float64_on_the_stored_weights",)})
    console.print({key: value for key, value in figures.items() if key not in ("long", "short")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", default="all", choices=["all", "compare", "whole"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument("--documents", type=int, default=17_000)
    parser.add_argument("--queries", type=int, default=12)
    parser.add_argument("--peers", default="qdrant,scipy,bm25s")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.quick:
        options.units, options.documents, options.queries = 20_000, 250, 3
    folder = options.folder or Path(tempfile.mkdtemp(prefix="search-benchmark-"))
    figures: dict[str, Any] = {}
    try:
        if options.part in ("all", "compare"):
            figures["compare"] = compare(
                options.units, options.queries, folder, [name for name in options.peers.split(",") if name]
            )
            show(figures["compare"])
        if options.part in ("all", "whole"):
            figures["whole"] = whole(options.documents, folder)
            console.print(figures["whole"])
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
