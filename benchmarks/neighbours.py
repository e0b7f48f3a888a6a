"""The method beside its neighbours, all on the same token vectors, none trained on judgements: what each finds, keeps and computes.

    python benchmarks/neighbours.py demo path/to/cranfield -V 2000
    python benchmarks/neighbours.py demo --quick

`MaxSim`: late interaction over all tokens, exact (what ColBERT computes, with an encoder that was not trained for it). `PLAID`: its
approximation by clusters and compressed residuals. `clusters`: an inverted index over clustered tokens, k-means++ centers, every span in
the list of its nearest one. `autoencoder`: V latents trained to rebuild the tokens, the five most active of each. `dense`: one vector a
passage. `BM25`: words. Bytes a passage count what a search reads: float16 tokens, PLAID's codes and residual bits, postings of 6 bytes,
float32 vectors. Work a query is the mean number of similarities (of PLAID only those with centroids) or postings. Documents are
ranked by their best passage in every row.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from autoencoder import LatentIndex, trained
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.collection import corpus_passages
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.evaluation.protocol import rank_scores
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.options import SystemOptions, concerning
from sparse_coverage.experiments.systems import SparseCoverageSystem, make_system
from sparse_coverage.kernels import Floats
from sparse_coverage.retrievers.colbert import PlaidTokens, max_sim
from sparse_coverage.spans import get_unit

MEASURES = tuple(parse_measure(name) for name in ("R@10", "R@100", "MAP"))
COLUMNS = ("", *map(str, MEASURES), "bytes a passage", "work a query")


@dataclass(frozen=True)
class System:
    """Scores all passages for a query; what it keeps of a passage, and what a query costs."""

    scores: Callable[[str], Floats]
    held: float
    work: Callable[[str], float]


def token_systems(bench: Workbench, encoder: str, size: int) -> dict[str, System]:
    """Late interaction: exact, and by PLAID; and an index of the latents of an autoencoder."""
    unit = get_unit("token")
    texts = [passage.text for passage in corpus_passages(bench.collection.documents(), bench.collection.by)]
    spans = [one.vectors.astype(np.float16) for one in unit.pool_many(texts, bench.encoder(encoder).encode(texts))]
    vectors, offsets = np.concatenate(spans), np.cumsum([0, *map(len, spans)])
    asked = [query.text for query in bench.collection.judged]
    pooled = unit.pool_many(asked, bench.encoder(encoder).encode(asked))
    queries = {q.id: one.vectors for q, one in zip(bench.collection.judged, pooled, strict=True)}
    plaid = PlaidTokens(vectors, offsets)
    everything = np.ones(len(spans), bool)
    bits = plaid.config.bits * vectors.shape[1] / 8 + 4
    each = len(vectors) / len(spans)
    latents = LatentIndex(trained(vectors, size), vectors, offsets)
    print(f"The autoencoder loses {latents.coder.left:.1%} of the variance of the tokens.")
    return {
        "sparse autoencoder": System(
            lambda id_: latents.scores(queries[id_]),
            6 * latents.postings / len(spans),
            lambda id_: latents.cost(queries[id_]),
        ),
        "MaxSim, exact": System(
            lambda id_: max_sim([queries[id_]], vectors, offsets, everything),
            2 * vectors.shape[1] * each,
            lambda id_: len(queries[id_]) * len(vectors),
        ),
        "PLAID": System(
            lambda id_: plaid.scores(queries[id_]), bits * each, lambda id_: len(queries[id_]) * len(plaid.centroids)
        ),
    }


def sparse_system(bench: Workbench, options: SystemOptions) -> System:
    made = SparseCoverageSystem(bench, options)
    postings = made.index.store.manifest["postings"] / len(bench.corpus)
    return System(made.scores, 6 * postings, made.cost)


def measured(bench: Workbench, system: System) -> list[str]:
    run = {}
    scored = {query.id: system.scores(query) for query in bench.collection.judged}
    for id_, scores in scored.items():
        run[id_] = rank_scores(
            np.asarray(scores, np.float64), bench.corpus, bench.collection.excluded.get(id_, frozenset())
        )
    judged = {query.id: bench.collection.judgements[query.id] for query in bench.collection.judged}
    means = [np.mean([*measure.per_query(judged, run).values()]) for measure in MEASURES]
    work = np.mean([system.work(id_) for id_ in scored])
    return [
        *(f"{100 * mean:.1f}" for mean in means),
        f"{system.held:,.0f}" if system.held else "–",
        f"{work:,.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=2_000)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--quick", action="store_true", help="500 centers")
    options = parser.parse_args()
    size = 500 if options.quick else options.size
    console = Console(width=130)
    console.print(describe())
    for spec in options.collections:
        with Workbench(load_collection(spec), default_cache(), threads=1) as bench:
            plain = SystemOptions(encoder=options.encoder, size=size)
            clusters = SystemOptions(options.encoder, size=size, selection="kmeans++", assignment="hard")
            rows = {"paper": plain, "default": concerning("default", plain), "clusters": clusters}
            bench.plan(rows.values())
            systems = {f"Sparse Coverage, {name}": sparse_system(bench, one) for name, one in list(rows.items())[:2]}
            systems["inverted index of clusters"] = sparse_system(bench, clusters)
            systems |= token_systems(bench, options.encoder, size)
            held = {"dense": 4.0 * bench.encoder(options.encoder).dimension, "bm25": 0.0}
            for name, size_ in held.items():
                one = make_system(name, bench, concerning(name, plain))
                systems[name] = System(one.scores, size_, one.cost)  # type: ignore[union-attr]
            table = Table(*COLUMNS, title=f"{Path(spec).stem}, V={size:,}")
            print("| " + " | ".join(COLUMNS) + " |\n| --- " + "| ---: " * (len(COLUMNS) - 1) + "|")
            for name, system in systems.items():
                cells = [name, *measured(bench, system)]
                table.add_row(*cells)
                print("| " + " | ".join(cells) + " |", flush=True)
            console.print(table)


if __name__ == "__main__":
    main()
