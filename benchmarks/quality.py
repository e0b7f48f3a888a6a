"""What each departure of the preset `recall` from the paper is worth: rankings with and without it, on collections by path.

    python benchmarks/quality.py path/to/patsnap path/to/cranfield path/to/cacm
    python benchmarks/quality.py path/to/cacm -V 5000 --systems        beside BM25, dense retrieval and hybrid, with the cost
    python benchmarks/quality.py path/to/patsnap -V 5000 --units       tokens, noun phrases and both: quality, size and time

Values are means over queries x 100. The preset was chosen on every second query (`tuned`) of the first two collections; the
others are `held out`. A row's p is that of a paired randomisation test of its average precision against the preset's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.beir import read_beir
from sparse_coverage.evaluation.corpus import corpus_passages
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.evaluation.significance import compare
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.evaluate import evaluate_system, rank_queries
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems import concerning, get_system
from sparse_coverage.experiments.systems.sparse import HybridSystem, SparseCoverageSystem
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import activate, aggregate

MEASURES = tuple(parse_measure(name) for name in ("R@100", "MAP", "nDCG@10"))
console = Console(width=150)


def rows_of(size: int) -> dict[str, SystemOptions]:
    """The preset, and the preset without each of its departures; then the paper's method, each departure added in turn."""
    recall = concerning("recall", SystemOptions(size=size))
    paper = SystemOptions(size=size)
    steps = {
        "no radius test": {"assignment": "nearest"},
        "common part removed": {"common": recall.common},
        "repeats count": {"repeats": recall.repeats},
        "smoothed length": {"smoothing": recall.smoothing},
        "feedback": {"feedback": recall.feedback},
    }
    rows = {"recall": recall}
    rows |= {
        f"recall but for: {name}": replace(recall, **{field: getattr(paper, field) for field in step})
        for name, step in steps.items()
    }
    rows["paper"] = grown = paper
    for name, step in steps.items():
        grown = replace(grown, **step)
        rows[f"+ {name}"] = grown
    return rows


def ablation(path: Path, size: int, cache: Path) -> None:
    table = Table(title=f"{path.name}, tokens, V={size:,}")
    for name in (
        "",
        "R@100",
        "MAP",
        "nDCG@10",
        "tuned R@100",
        "tuned MAP",
        "held out R@100",
        "held out MAP",
        "p (MAP)",
    ):
        table.add_column(name, justify="left" if not name else "right")
    rows = rows_of(size)
    with Workbench(read_beir(path), cache) as bench:
        bench.plan(rows.values())
        found = {name: evaluate_system(bench, "paper", options, MEASURES) for name, options in rows.items()}
    tests = {
        ({test.first, test.second} - {"recall"}).pop(): test.p
        for test in compare({name: one.values["MAP"] for name, one in found.items()}, "MAP", against="recall")
    }
    for name, one in found.items():
        values = {measure: 100 * np.array(list(by_query.values())) for measure, by_query in one.values.items()}
        cells = [f"{values[measure].mean():.1f}" for measure in ("R@100", "MAP", "nDCG@10")]
        cells += [f"{values[measure][half::2].mean():.1f}" for half in (0, 1) for measure in ("R@100", "MAP")]
        table.add_row(name, *cells, f"{tests[name]:.3f}" if name in tests else "")
    console.print(table)


def files_of(retriever: Any) -> Iterator[Path]:
    """The files that a system searches; texts are not among them."""
    if isinstance(retriever, HybridSystem):
        for part in retriever.parts:
            yield from files_of(part)
    elif isinstance(retriever, SparseCoverageSystem):
        for name in ("postings.bin", "spans.bin", "facts.safetensors"):
            yield from (retriever.index.store.folder / "segments").glob(f"*/{name}")
    else:
        for folder in retriever.folders:
            yield from (path for path in folder.rglob("*") if path.is_file())


def systems(path: Path, size: int, cache: Path) -> None:
    table = Table(title=f"{path.name}, V={size:,}")
    for name in ("", "R@100", "MAP", "nDCG@10", "scanned a query", "bytes a passage", "ms a query"):
        table.add_column(name, justify="left" if not name else "right")
    with Workbench(read_beir(path), cache, threads=1) as bench:
        options = SystemOptions(size=size)
        names = ("bm25", "dense", "paper", "recall", "hybrid")
        bench.plan(concerning(name, options) for name in ("paper", "recall"))
        for name in names:
            found = evaluate_system(bench, name, options, MEASURES)
            retriever = get_system(name).make(bench, concerning(name, options))
            rank_queries(bench, retriever)
            begun = perf_counter()
            rank_queries(bench, retriever)
            spent = (perf_counter() - begun) / len(bench.collection.judged)
            means = [f"{100 * value:.1f}" for value in found.means().values()]
            held = sum(path.stat().st_size for path in files_of(retriever)) / len(bench.corpus)
            table.add_row(name, *means, f"{found.cost:,.0f}", f"{held:,.0f}", f"{1e3 * spent:.2f}")
    console.print(table)


def units(path: Path, size: int, cache: Path) -> None:
    """Time is that of one core from token vectors to a sparse vector: finding and pooling spans, then activating centers."""
    table = Table(title=f"{path.name}, V={size:,}, as published and preset recall")
    for name in ("", "R@100", "MAP", "spans a document", "postings a document", "bytes a document", "ms a document"):
        table.add_column(name, justify="left" if not name else "right")
    with Workbench(read_beir(path), cache, threads=1) as bench:
        rows = {
            (system, unit): concerning(system, SystemOptions(size=size, unit=unit))
            for system in ("paper", "recall")
            for unit in ("token", "np", "np+token")
        }
        bench.plan(rows.values())
        texts = [unit.text for unit in corpus_passages(bench.collection.documents(), bench.collection.by)]
        tokens = list(bench.encoder("minilm").encode(texts[:300]))
        for (system, unit), options in rows.items():
            found = evaluate_system(bench, system, options, MEASURES)
            retriever = SparseCoverageSystem(bench, options)
            held = sum(path.stat().st_size for path in files_of(retriever)) / len(texts)
            facts, model = retriever.index.store.manifest, bench.model(options)
            begun = process_time()
            for spans in get_unit(unit).pool_many(texts[:300], tokens):
                aggregate(spans, activate(spans.vectors, model.vocabulary, model.activation), model.activation)
            spent = (process_time() - begun) / len(tokens)
            counts = [facts["spans"] / len(texts), facts["postings"] / len(texts), held]
            means = [f"{100 * value:.1f}" for value in list(found.means().values())[:2]]
            table.add_row(f"{system}, {unit}", *means, *(f"{count:,.0f}" for count in counts), f"{1e3 * spent:.1f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", type=Path)
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--systems", action="store_true")
    parser.add_argument("--units", action="store_true")
    options = parser.parse_args()
    cache = default_cache()
    for path in options.collections:
        (systems if options.systems else units if options.units else ablation)(path, options.size, cache)


if __name__ == "__main__":
    main()
