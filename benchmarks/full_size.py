"""The whole life of a large index, on real full texts and on made-up ones of every size; time, CPU, memory, disk, answers.

    python benchmarks/full_size.py build FILES... --folder WORK --first 254 --week 50 --minutes 60
    python benchmarks/full_size.py keep --folder WORK
    python benchmarks/full_size.py use --folder WORK --queries TOPICS.tsv
    python benchmarks/full_size.py serve --index INDEX --queries TOPICS.tsv --clients 32
    python benchmarks/full_size.py quality --folder WORK COLLECTION.toml...
    python benchmarks/full_size.py grow FILE --folder WORK --queries TOPICS.tsv
    python benchmarks/full_size.py plot --folder WORK -o docs/images/growth.svg

`build` takes the documents of FILES in order. It builds an index of the first ones, is killed (kill -9) on the way and goes on, and
then adds the others, a batch a week, until the minutes are over or all are in. `keep` deletes a week, merges and verifies, on a copy.
`use` searches, charts, combines and serves 8 clients; `serve` says what more clients get. `quality` ranks the topics of test collections.
`grow` does all of this with made-up passages, and fits how each figure grows with the size. Every step is a process of
its own, so that its memory is its own. All figures are kept in WORK/figures.json, and steps that are there are not made again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from full_size_growth import plot, show_growth
from full_size_made import peak_memory
from machine import describe

from sparse_coverage.files import read_toml
from sparse_coverage.index import open_store
from sparse_coverage.index.manifest import read_manifest


class Figures:
    """The figures measured so far, kept in a file after every step."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "figures.json"
        self.steps: dict[str, dict[str, Any]] = {}
        self.read()

    def read(self) -> None:
        if self.path.exists():
            self.steps = json.loads(self.path.read_text())

    def keep(self, step: str, **figures: Any) -> None:
        self.read()  # another run may have kept something meanwhile
        self.steps[step] = {**figures, "load": os.getloadavg()[0], "at": time.strftime("%Y-%m-%d %H:%M")}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.steps, indent=1), encoding="utf-8")
        part.replace(self.path)
        print(step, json.dumps(self.steps[step]), flush=True)


def run(arguments: list[str], *, kill_after: float = 0.0) -> dict[str, float]:
    """Run a command to its end, or kill it after so many CPU seconds; return seconds, CPU seconds and the peak memory in MiB."""
    begun = time.perf_counter()
    started = subprocess.Popen([sys.executable, "-m", "sparse_coverage", *arguments])
    while kill_after and os.waitid(os.P_PID, started.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if _cpu_seconds(started.pid) > kill_after:
            started.send_signal(signal.SIGKILL)
            break
        time.sleep(0.5)
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = status
    if status and not kill_after:
        raise SystemExit(f"{arguments} failed.")
    wall = time.perf_counter() - begun
    return {"s": wall, "cpu_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def lines(files: list[Path]) -> Iterator[str]:
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as stream:
            yield from (line for line in stream if line.strip())


def build(folder: Path, files: list[Path], first: int, week: int, minutes: float, threads: int) -> None:
    """Build with an interruption, then add batch after batch."""
    figures, index = Figures(folder), folder / "index"
    documents = list(lines(files))
    parts = [documents[:first], *(documents[at : at + week] for at in range(first, len(documents), week))]
    until = time.monotonic() + 60 * minutes
    for number, part in enumerate(parts):
        source = folder / f"part-{number:02}.jsonl"
        source.write_text("".join(part), encoding="utf-8")
        counted = {"documents": len(part), "words": sum(len(line.split()) for line in part)}
        if number == 0:
            command = ["-q", "index", str(source), "-o", str(index), "--threads", str(threads)]
            if "build, killed" not in figures.steps:
                killed = run(command, kill_after=counted["words"] / 9000)  # on the way, at the rate of these machines
                figures.keep("build, killed", **killed, **size(index))
            if "build" not in figures.steps:
                figures.keep("build", **run(command), **counted, **size(index))
        elif f"add {number}" not in figures.steps:
            if time.monotonic() > until:
                break
            command = ["-q", "index", "add", str(index), str(source), "--skip-known", "--threads", str(threads)]
            figures.keep(f"add {number}", **run(command), **counted, **size(index))


def size(index: Path) -> dict[str, int]:
    """How many documents and passages an index holds, how many documents are encoded, and its bytes on disk."""
    found = read_manifest(index)
    return {
        "index_documents": found.documents,
        "encoded_documents": found.encoded_documents,
        "passages": found.passages,
        "segments": len(found.segments),
        "bytes": disk(index),
    }


def keep(index: Path, figures: Figures, name: str, count: int, add: Path | None) -> None:
    """Add a batch, delete documents, merge and verify, on a copy of an index; each is a command of its own."""
    copy = index.with_name(f"{index.name}-kept")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(index, copy)
    store = open_store(copy)
    numbers = np.linspace(0, store.state.documents - 1, min(count, store.state.documents), dtype=int)
    ids = sorted({str(store.passage(int(store.document_starts[number])).document) for number in numbers})
    store.close()
    commands = {} if add is None else {"add": ["index", "add", str(copy), str(add), "--skip-known"]}
    commands |= {"delete": ["index", "delete", str(copy), *ids], "merge": ["index", "merge", str(copy)]}
    for step, command in (commands | {"verify": ["index", "verify", str(copy)]}).items():
        figures.keep(f"{name}{step}", **run(command), documents=len(ids), **size(copy))
    shutil.rmtree(copy)


def queries_in(file: Path, words: int, count: int) -> list[str]:
    """The first so many words of topics (id, tab, text) that have as many."""
    texts = (line.partition("\t")[2].split() for line in file.read_text(encoding="utf-8").splitlines())
    return [" ".join(text[:words]) for text in texts if len(text) >= words][:count]


def use(index: Path, texts: list[str]) -> dict[str, Any]:
    """In a fresh process: open, search with reasons, chart, combine; milliseconds on the clock and of CPU."""
    from sparse_coverage.workspace import ChartRequest, CombineRequest, OpenIndex, SearchRequest

    found: dict[str, Any] = {}

    def clocked(name: str, work: Callable[[str], object], asked: list[str]) -> None:
        times = []
        for text in asked:
            wall, cpu = time.perf_counter(), time.process_time()
            work(text)
            times.append((1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)))
        for kind, mine in zip(("ms", "cpu_ms"), zip(*times, strict=True), strict=True):
            found.update({f"{name}_p{part}_{kind}": float(np.percentile(mine, part)) for part in (50, 99)})

    begun = time.perf_counter()
    with OpenIndex.open(index) as opened:
        found["open_s"] = time.perf_counter() - begun
        search = lambda text: opened.search(SearchRequest(query=text))  # noqa: E731
        clocked("first", search, texts[:1])
        for text in texts[1:11]:
            search(text)
        clocked("search", search, texts[11:])
        clocked("chart", lambda text: opened.chart(ChartRequest(claim=text)), texts[11:14])
        clocked("combine", lambda text: opened.combine(CombineRequest(claim=text)), texts[11:12])
    return found | {"peak_mib": peak_memory(), "queries": len(texts) - 11}


def serve(index: Path, texts: list[str], clients: int, seconds: float) -> dict[str, Any]:
    """Search over HTTP, with reasons, by clients that ask without pause; the first round is to warm up."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engines"))
    from server_load import load, memory_of, served

    bodies = [json.dumps({"query": text}).encode() for text in texts]
    with served(index) as (address, workers):
        path = "/v1/indexes/bench/search"
        load(address, path, bodies[:clients], clients, 1.0, workers)
        found = load(address, path, bodies[clients:], clients, seconds, workers)
        return {
            "clients": clients, "answers": len(found.seconds), "p50_ms": found.part(0.5), "p99_ms": found.part(0.99),
            "answers_a_second": found.rate, "cpu_ms_an_answer": 1000 * found.cpu, "other": dict(found.other),
            "own_mb": memory_of(workers),
        }  # fmt: skip


def fresh(*arguments: str | Path) -> dict[str, Any]:
    """Run a part of these programs in a process of its own; return the figures that it prints last."""
    done = subprocess.run([sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def measure_use(index: Path, figures: Figures, name: str, topics: Path, count: int, seconds: float) -> None:
    if f"{name}use" not in figures.steps:
        figures.keep(
            f"{name}use", **fresh(__file__, "user", "--index", index, "--queries", topics, "--count", str(count))
        )
    if f"{name}serve" not in figures.steps:
        figures.keep(f"{name}serve", **serve(index, queries_in(topics, 150, 400), 8, seconds))


def quality(index: Path, figures: Figures, collections: list[Path]) -> None:
    """Rank the topics of collections whose relevant document is in the index, among all documents of the index.

    Papers (their ids begin with W) are ranked among papers, patents among patents.
    """
    from sparse_coverage import Index

    opened = Index.open(index)
    place = opened.store.find_document
    for file in collections:
        settings = read_toml(file)
        ids = [str(json.loads(line)["id"]) for line in lines([file.parent / settings["documents"]])]
        there = {number for id_ in ids if (number := place(id_)) is not None}
        papers = ids[0].startswith("W")
        topics = dict(line.split("\t", 1) for line in (file.parent / settings["topics"]).read_text().splitlines())
        judged = [line.split() for line in (file.parent / settings["qrels"]).read_text().splitlines()]
        relevant = {row[0]: place(row[2]) for row in judged if place(row[2]) in there}
        asked = [topic for topic in topics if topic in relevant]
        for ranking in ("combined", "centers", "words", "vectors"):
            ranks = []
            for topic in asked:
                hits = opened.search(topics[topic], k=300, passages=1, ranking=ranking)
                found = [place(hit.document) for hit in hits if hit.document.startswith("W") == papers]
                ranks.append(found.index(relevant[topic]) + 1 if relevant[topic] in found else 0)
            scores = {f"R@{k}": sum(0 < rank <= k for rank in ranks) / len(ranks) for k in (1, 10, 100)}
            scores["MAP"] = sum(1 / rank for rank in ranks if rank) / len(ranks)
            figures.keep(
                f"quality {file.stem} {ranking}", topics=len(asked), documents=opened.store.state.documents, **scores
            )


def grow(folder: Path, source: Path, sizes: list[int], topics: Path, seconds: float) -> None:
    """The whole life of indexes of made-up passages, smallest first."""
    figures, base = Figures(folder), folder / "base"
    if not (base / "manifest.json").exists():
        some, week = folder / "base.jsonl", folder / "week.jsonl"
        texts = list(lines([source]))
        some.write_text("".join(texts[:8]), encoding="utf-8")
        week.write_text("".join(texts[8:10]), encoding="utf-8")
        run(["index", str(some), "-o", str(base)])
    for passages in sizes:
        name, index = f"{passages} ", folder / f"made-{passages}"
        if f"{name}build" not in figures.steps:
            shutil.rmtree(index, ignore_errors=True)
            made = fresh(Path(__file__).with_name("full_size_made.py"), base, index, str(passages))
            figures.keep(f"{name}build", **made, **size(index))
        measure_use(index, figures, name, topics, 111, seconds)
        if f"{name}verify" not in figures.steps:
            keep(index, figures, name, 2, folder / "week.jsonl")
    show_growth(figures.steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["build", "keep", "use", "serve", "quality", "grow", "growth", "plot", "user"])
    parser.add_argument("files", type=Path, nargs="*", help="documents to build from, or collections to rank")
    parser.add_argument("--folder", type=Path, default=Path("full-size"), help="where all is kept")
    parser.add_argument("--first", type=int, default=254, help="how many documents the build itself has")
    parser.add_argument("--week", type=int, default=50, help="how many documents are added at a time")
    parser.add_argument("--minutes", type=float, default=60, help="add nothing after so long")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_400_000])
    parser.add_argument("--queries", type=Path, help="topics: id, tab, text; those of 150 words and more are asked")
    parser.add_argument("--count", type=int, default=111, help="how many of them")
    parser.add_argument("--clients", type=int, default=8, help="how many ask the server at a time")
    parser.add_argument("--seconds", type=float, default=15, help="how long the server is asked")
    parser.add_argument("--index", type=Path, help="the index that a process of its own uses")
    parser.add_argument("-o", "--output", type=Path, default=Path("growth.svg"))
    options = parser.parse_intermixed_args()
    if options.part == "user":
        print(json.dumps(use(options.index, queries_in(options.queries, 150, options.count))))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    print(describe(), flush=True)
    figures, index = Figures(options.folder), options.index or options.folder / "index"
    if options.part == "build":
        build(options.folder, options.files, options.first, options.week, options.minutes, options.threads)
    elif options.part == "keep":
        keep(index, figures, "", options.week, None)
    elif options.part == "use":
        measure_use(index, figures, "", options.queries, options.count, options.seconds)
    elif options.part == "serve":
        print(json.dumps(serve(index, queries_in(options.queries, 150, 400), options.clients, options.seconds)))
    elif options.part == "quality":
        quality(index, figures, options.files)
    elif options.part == "grow":
        grow(options.folder, options.files[0], options.sizes, options.queries, options.seconds)
    elif options.part == "growth":
        show_growth(figures.steps)
    else:
        plot(figures.steps, options.output)


if __name__ == "__main__":
    main()
