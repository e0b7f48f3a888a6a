"""How long a search takes from the start of its process to the result, in a warm process, and first of all after an installation.

    python benchmarks/latency.py INDEX
    python benchmarks/latency.py INDEX --quick
    python benchmarks/latency.py INDEX --before PATH/TO/CHECKOUT

Claims of 20, 150 and 600 words are cut from the passages of the index. CPU time (user and system) counts; the clock is shown
beside it. The table of stages has those of a cold process, from its start on, and of a warm one. The command line also reads its
options, guesses the language, prints and ends, which is the rest of its time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import describe
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent.parent
WORDS = (20, 150, 600)
ENCODING = """
encoded = 0.0
def timed(trace):
    def traced(*arguments, **settings):
        global encoded
        found, begun = trace(*arguments, **settings), time.process_time()
        for one in found:
            encoded += time.process_time() - begun
            yield one
            begun = time.process_time()
        encoded += time.process_time() - begun
    return traced
"""
STAGES = f"""
import json, sys, time
laps, last = {{}}, 0.0
def lap(name):
    global last
    now = time.process_time()
    laps[name], last = now - last, now
index, query = sys.argv[1], sys.stdin.read()
lap("start Python")
import numpy
lap("import NumPy")
from sparse_coverage.retrievers import open_retriever
import sparse_coverage.present.terminal
lap("import this package")
from sparse_coverage.encoding.graphs import openvino
openvino()
lap("import OpenVINO")
opened = open_retriever(index)
lap("open index, start encoder")
{ENCODING}
type(opened.model).trace = timed(type(opened.model).trace)
hits = opened.search(query)
laps["encode and activate"] = encoded
lap("search")
laps["search"] -= encoded
[opened.explain(query, hit.passages[0].id) for hit in hits if hit.passages]
lap("explain ten documents")
print(json.dumps(laps))
"""
WARM = f"""
import json, sys, time
from sparse_coverage.retrievers import open_retriever
opened = open_retriever(sys.argv[1])
{ENCODING}
type(opened.model).trace = timed(type(opened.model).trace)
queries = json.load(sys.stdin)
for query in queries[:3]:
    opened.search(query)
times, stages = [], []
for query in queries[3:]:
    encoded, wall, cpu = 0.0, time.perf_counter(), time.process_time()
    hits = opened.search(query)
    encode = encoded
    found = time.process_time()
    times.append([time.perf_counter() - wall, found - cpu])
    [opened.explain(query, hit.passages[0].id) for hit in hits if hit.passages]
    explaining = time.process_time() - found
    stages.append(
        {{"encode and activate": encode, "search": found - cpu - encode, "explain ten documents": explaining}}
    )
print(json.dumps([times, stages]))
"""


def claims(index: Path, words: int, count: int) -> list[str]:
    """Texts of so many words, all different, from the passages of an index."""
    from sparse_coverage.index import open_store

    store = open_store(index)
    every: list[str] = []
    number = 0
    while len(every) < words * count:
        every += store.passage(number % store.size).text.split()
        number += 1
    return [" ".join(every[first : first + words]) for first in range(0, words * count, words)]


def environment(package: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(package), **more}


def cold(package: Path, index: Path, query: str, *more: str, **settings: str) -> tuple[float, float]:
    """Search in a new process; return the seconds on the clock and of CPU."""
    before, begun = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "sparse_coverage", "search", str(index), query, *more]
    subprocess.run(command, env=environment(package, **settings), stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - begun, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def shown(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.3f} / {ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--before", type=Path, help="a checkout of another commit to compare cold processes with")
    parser.add_argument("--words", type=int, nargs="+", default=WORDS, help="how many words the claims have")
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    arguments = parser.parse_args()
    console, index = Console(width=150), arguments.index.absolute()
    console.print(describe(), highlight=False)
    times = 3 if arguments.quick else 20
    versions = {"this version": HERE / "src"}
    if arguments.before:
        versions["before"] = arguments.before.absolute() / "src"
    table = Table("claim", "process", "CPU s: p50 / p99", "clock s: p50 / p99", title="One search, text output")
    stages: dict[str, dict[int, list[float]]] = {}
    for words in arguments.words:
        queries = claims(index, words, times)
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in versions}
        for query in queries:
            for name, package in versions.items():
                found[name].append(cold(package, index, query))
            for stage, seconds in laps(STAGES, index, query).items():
                stages.setdefault(f"cold: {stage}", {}).setdefault(words, []).append(seconds)
        for name, runs in found.items():
            table.add_row(
                f"{words} words", f"cold, {name}", shown([cpu for _, cpu in runs]), shown([wall for wall, _ in runs])
            )
        warm, parts = laps(WARM, index, json.dumps(claims(index, words, 3 + 5 * times)))
        table.add_row(f"{words} words", "warm", shown([cpu for _, cpu in warm]), shown([wall for wall, _ in warm]))
        for part in parts:
            for stage, seconds in part.items():
                stages.setdefault(f"warm: {stage}", {}).setdefault(words, []).append(seconds)
    console.print(table)
    by_stage = Table("stage", *(f"{words} words" for words in arguments.words), title="By stage, CPU s: p50 / p99")
    for stage, runs_of in stages.items():
        by_stage.add_row(stage, *(shown(runs_of[words]) for words in arguments.words))
    console.print(by_stage)
    first_search(console, index, claims(index, 150, 1)[0])


def laps(program: str, index: Path, given: str) -> Any:
    """Run one of the programs above in a process of its own; return what it prints."""
    command = [sys.executable, "-c", program, str(index)]
    done = subprocess.run(
        command, input=given, env=environment(HERE / "src"), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def first_search(console: Console, index: Path, query: str) -> None:
    """Search with a copy of the package that has never been run, and an encoder that has never been compiled."""
    from sparse_coverage.encoding.fetching import model_folder

    with tempfile.TemporaryDirectory() as place:
        package, cache = Path(place) / "src", Path(place) / "cache"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HERE / "src" / "sparse_coverage", package / "sparse_coverage", ignore=ignored)
        shutil.copytree(model_folder("minilm"), cache / "models" / "minilm")
        settings = {"SPARSE_COVERAGE_CACHE": str(cache), "NUMBA_CACHE_DIR": str(Path(place) / "numba")}
        for name in ("the very first search", "the second"):
            wall, cpu = cold(package, index, query, **settings)
            console.print(
                f"After an installation, {name}: {cpu:.2f} s of CPU, {wall:.2f} s on the clock", highlight=False
            )


if __name__ == "__main__":
    main()
