"""A whole index of the paper's size: built by one process, opened and searched by another, both fresh.

`search.py whole` calls this; by itself it is the process that builds (`builder`) or searches (`searcher`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from search_corpus import UNITS_PER_DOCUMENT, Corpus, make_blocks, make_queries, write_index

from sparse_coverage.index import open_store
from sparse_coverage.search.ranking import Ranker, ScoringConfig

K = 1000


def clocked(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result of a call, its CPU seconds and its seconds on the clock."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def whole(documents: int, folder: Path) -> dict[str, Any]:
    """Build an index of the paper's size through the writer, then open and search it in fresh processes."""
    units = documents * UNITS_PER_DOCUMENT
    figures: dict[str, Any] = {"documents": documents, "units": units}
    target = folder / "whole"
    if not (target / "manifest.json").exists():
        figures |= _in_a_fresh_process("builder", target, units)
    files = [path for path in target.rglob("*") if path.is_file()]
    postings = sum(json.loads(path.read_text())["postings"] for path in target.glob("segments/*/segment.json"))
    sizes = {path.name: 0 for path in files}
    for path in files:
        sizes[path.name] += path.stat().st_size
    total = sum(sizes.values())
    figures |= {"bytes": total, "postings": postings, "bytes_per_posting": (total - sizes["texts.sqlite"]) / postings}
    for path in files:
        _evict(path)
    figures |= _in_a_fresh_process("searcher", target, units)
    figures["memory_per_index_byte"] = figures["peak_memory_bytes"] / total
    return figures


def _in_a_fresh_process(part: str, target: Path, units: int) -> dict[str, Any]:
    arguments = [sys.executable, __file__, part, "--folder", str(target), "--units", str(units)]
    answer: dict[str, Any] = json.loads(subprocess.run(arguments, stdout=subprocess.PIPE, check=True).stdout)
    return answer


def builder(target: Path, units: int) -> None:
    """Build, block by block; the time that making up the blocks takes is left out."""
    making = [0.0, 0.0]

    def blocks() -> Iterator[Corpus]:
        source = make_blocks(units)
        while True:
            block, cpu, wall = clocked(lambda: next(source, None))
            making[0] += cpu
            making[1] += wall
            if block is None:
                return
            yield block

    base = _peak_memory()
    _, cpu, wall = clocked(lambda: write_index(target, blocks(), words=84))
    print(json.dumps({
        "build_s": wall - making[1], "build_cpu_s": cpu - making[0],
        "build_peak_memory_bytes": _peak_memory(), "build_memory_before_bytes": base,
    }))  # fmt: skip


def searcher(target: Path) -> None:
    """In a fresh process: how long until the index is open, until the first answer, and what the others take."""
    base = _peak_memory()
    ranker, _, opening = clocked(lambda: Ranker(open_store(target), ScoringConfig(), threads=1))
    queries = make_queries(200, 745, 3)
    _, _, first = clocked(lambda: ranker.rank_passages(queries[0], K))
    times = [clocked(lambda v=query: ranker.rank_passages(v, K))[2] for query in queries]  # type: ignore[misc]
    times = [clocked(lambda v=query: ranker.rank_passages(v, K))[2] for query in queries]  # type: ignore[misc]
    peak = _peak_memory()
    print(json.dumps({
        "open_cold_s": opening, "first_query_cold_s": first, "p50_ms": float(np.percentile(times, 50)) * 1e3,
        "p99_ms": float(np.percentile(times, 99)) * 1e3, "postings_scanned": ranker.lists_read(queries[0])[2],
        "peak_memory_bytes": peak, "memory_before_opening_bytes": base,
    }))  # fmt: skip


def _peak_memory() -> int:
    """The most memory that this process ever had, mapped files included. (What getrusage says includes its parent.)"""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(found[1]) if found else 0


def _evict(path: Path) -> None:
    """Drop a file from the system's cache, so that opening it is cold."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["builder", "searcher"])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--units", type=int, required=True)
    options = parser.parse_args()
    if options.part == "builder":
        builder(options.folder, options.units)
    else:
        searcher(options.folder)


if __name__ == "__main__":
    main()
