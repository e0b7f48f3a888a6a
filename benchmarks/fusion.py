"""How hybrid is best joined: by rank or by score, documents or passages, with which weights. On collections by path.

    python benchmarks/fusion.py path/to/patsnap path/to/claims-to-papers.toml

Rows: what joins Sparse Coverage (the default), BM25 and dense retrieval. R@100 / MAP of all queries, of those that the default was
tuned on, and of the others. `weights` are those of Sparse Coverage, BM25 and dense retrieval, of scores divided by the largest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from machine import describe
from rich.console import Console
from rich.table import Table

from sparse_coverage.evaluation.collection import Collection, Ranking
from sparse_coverage.evaluation.corpus import Corpus
from sparse_coverage.evaluation.find_collection import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.evaluation.protocol import rank_scores
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems import concerning
from sparse_coverage.experiments.systems.sparse import HybridSystem
from sparse_coverage.kernels import Doubles
from sparse_coverage.retrievers.fusion import fuse_scores
from sparse_coverage.systems import FusionRule
from sparse_coverage.vectors.aggregation import Best, TopMean, document_scores

WEIGHTS = ((1.0, 1.0, 1.0), (2.0, 1.0, 1.0), (3.0, 2.0, 1.0), (2.0, 1.0, 2.0), (1.0, 1.0, 0.0), (1.0, 0.0, 1.0))
MEASURES = tuple(parse_measure(name) for name in ("R@100", "MAP"))
console = Console(width=130)


def ways(parts: list[Doubles], corpus: Corpus) -> Iterator[tuple[str, Doubles]]:
    """Yield every way to join the scores of three parts with what it makes of the documents."""
    starts = corpus.starts[:-1]
    for rule in (Best(), TopMean(3)):
        documents = [document_scores(part, starts, rule).astype(np.float64) for part in parts]
        for name, scores in zip(("Sparse Coverage", "BM25", "dense"), documents, strict=True):
            yield f"{name} alone, {rule}", scores
        yield f"documents by rank, {rule}", _joined(documents, "rrf", (1.0, 1.0, 1.0))
        for weights in WEIGHTS:
            yield f"documents by score, weights {weights}, {rule}", _joined(documents, "weighted", weights)
        for how in ("rrf", "weighted"):
            passages = _joined(parts, how, (1.0, 1.0, 1.0))  # type: ignore[arg-type]
            yield f"passages {how}, {rule}", document_scores(passages, starts, rule).astype(np.float64)
        if len(corpus) == len(corpus.documents):
            return  # a document is one passage: there is only one rule


def _joined(parts: list[Doubles], how: FusionRule, weights: tuple[float, ...]) -> Doubles:
    used = [(part, weight) for part, weight in zip(parts, weights, strict=True) if weight]
    joined = fuse_scores([part for part, _ in used], how, [weight for _, weight in used])
    return np.where(joined > 0, joined, -np.inf)


def measured(collection: Collection, bench: Workbench, system: HybridSystem) -> dict[str, dict[str, dict[str, float]]]:
    """Return the values of every way, by measure and query."""
    names = bench.corpus.documents
    one_each = Corpus(names, names, np.arange(len(names) + 1), np.zeros(len(names), np.int64), "")
    runs: dict[str, dict[str, Ranking]] = {}
    for query in collection.judged:
        parts = [part.scores(query.id) for part in system.parts]
        for name, scores in ways(parts, bench.corpus):
            excluded = collection.excluded.get(query.id, frozenset())
            runs.setdefault(name, {})[query.id] = rank_scores(scores, one_each, excluded)
    judgements = {query.id: collection.judgements[query.id] for query in collection.judged}
    return {
        name: {str(measure): dict(measure.per_query(judgements, run)) for measure in MEASURES}
        for name, run in runs.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    options = parser.parse_args()
    console.print(describe())
    for spec in options.collections:
        collection = load_collection(spec)
        with Workbench(collection, default_cache(), token_budget=40 << 30) as bench:
            system = HybridSystem(bench, concerning("hybrid", SystemOptions(size=options.size)))
            found = measured(collection, bench, system)
        table = Table("", "all", "tuned", "held out", title=f"{collection.name}: R@100 / MAP")
        for name, values in found.items():
            arrays = [100 * np.array(list(values[str(measure)].values())) for measure in MEASURES]
            halves = (slice(None), slice(0, None, 2), slice(1, None, 2))
            table.add_row(name, *(" / ".join(f"{array[half].mean():.1f}" for array in arrays) for half in halves))
        console.print(table)


if __name__ == "__main__":
    main()
