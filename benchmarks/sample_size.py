"""How R@100 and MAP depend on the number of spans that a vocabulary is learned from.

    python benchmarks/sample_size.py PATH/TO/patsnap PATH/TO/cranfield PATH/TO/claims-to-papers.toml
    python benchmarks/sample_size.py PATH/TO/patsnap --spans 50000 300000 --seeds 2

The preset `default`, V = 10,000, or a tenth of the spans where that is fewer, by each seed. Texts are encoded once for all rows
(the cache of `evaluate`). The CPU seconds are those of learning, indexing and searching, without encoding what was cached.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from time import process_time

from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.evaluation import evaluate_variant
from sparse_coverage.experiments.options import Variant

MEASURES = tuple(parse_measure(name) for name in ("R@100", "MAP"))
SPANS = (25_000, 50_000, 100_000, 200_000, 300_000)
LARGEST = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("--spans", type=int, nargs="+", default=SPANS, help="how many spans to sample, at most")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--precision", default="auto", help="what the encoder computes in: fp32, bf16, int8")
    arguments = parser.parse_args()
    console = Console(width=120)
    console.print(describe(), highlight=False)
    for spec in arguments.collections:
        collection = load_collection(spec)
        collection = collection if collection.by == "document" else replace(collection, by="passage")
        table = Table("spans sampled", "V", *map(str, MEASURES), "CPU s", title=collection.name)
        with Workbench(collection, default_cache(), token_budget=40 << 30, precision=arguments.precision) as bench:
            for spans in arguments.spans:
                size = min(LARGEST, spans // 10)
                found, begun = [], process_time()
                for seed in range(arguments.seeds):
                    chosen = Variant("default", size=size, max_spans=spans, seed=seed)
                    found.append(evaluate_variant(bench, chosen, MEASURES).means())
                spent = (process_time() - begun) / arguments.seeds
                cells = [", ".join(f"{100 * one[str(measure)]:.1f}" for one in found) for measure in MEASURES]
                table.add_row(f"{spans:,}", f"{size:,}", *cells, f"{spent:.0f}")
        console.print(table)


if __name__ == "__main__":
    main()
