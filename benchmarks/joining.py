"""Ways to join centers, words and vectors, on the same scores: weights, scales, ranks.

    python benchmarks/joining.py path/to/patsnap path/to/cranfield path/to/cacm
    python benchmarks/joining.py path/to/claims-to-papers.toml --index INDEX        # one of up to 1,000 documents

R@100 / MAP x 100, on all queries, on every second one (`tuned`) and on the others (`held out`). `1:1:1` is what `combined` does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.table import Table

from sparse_coverage import Index, load_collection
from sparse_coverage.aggregation import document_scores
from sparse_coverage.evaluation.collection import Collection
from sparse_coverage.experiments import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.options import SystemOptions, concerning
from sparse_coverage.experiments.systems import CombinedSystem


def scaled(scores: np.ndarray, depth: int = 1000, lowest: float | None = None) -> np.ndarray:
    best = np.sort(scores[scores > 0])[::-1][:depth]
    if not len(best):
        return np.zeros(len(scores))
    low = best[-1] if lowest is None else lowest
    return np.maximum((scores - low) / (best[0] - low), 0) if best[0] > low else (scores >= best[0]).astype(float)


def standardised(scores: np.ndarray) -> np.ndarray:
    best = np.sort(scores[scores > 0])[::-1][:1000]
    if len(best) < 2:
        return np.zeros(len(scores))
    return np.where(scores > 0, np.maximum((scores - best.mean()) / (best.std() + 1e-9), -2), -2)


def by_rank(scores: np.ndarray) -> np.ndarray:
    made = np.empty(len(scores))
    made[np.argsort(-scores, kind="stable")] = 1 / (60 + np.arange(1, len(scores) + 1))
    return np.where(scores > 0, made, 0)


def ways(parts: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the joined scores of documents by each way."""
    own = [scaled(part) for part in parts]
    weights = {"1:1:1": (1, 1, 1), "2:1:1": (2, 1, 1), "1:2:1": (1, 2, 1), "1:1:2": (1, 1, 2), "1.5:1:1": (1.5, 1, 1)}
    found = {name: np.dot(given, own) for name, given in weights.items()}
    found["over the first 100"] = np.sum([scaled(part, 100) for part in parts], axis=0)
    found["from 0"] = np.sum([scaled(part, lowest=0.0) for part in parts], axis=0)
    found["standardised"] = np.sum([standardised(part) for part in parts], axis=0)
    found["reciprocal ranks"] = np.sum([by_rank(part) for part in parts], axis=0)
    return dict(zip(("centers", "words", "vectors"), parts, strict=True)) | found


def measured(scores: np.ndarray, relevant: np.ndarray) -> tuple[float, float]:
    order = np.argsort(-scores, kind="stable")[:1000]
    there = relevant[order]
    precision = np.cumsum(there) / np.arange(1, len(order) + 1)
    return there[:100].sum() / relevant.sum(), (precision * there).sum() / relevant.sum()


def of_collection(
    collection: Collection, size: int, encoder: str
) -> Iterator[tuple[str, Sequence[str], list[np.ndarray]]]:
    """Give each query with the ids of all documents and the scores of each part, from a vocabulary of its own."""
    with Workbench(collection, default_cache(), token_budget=40 << 30) as bench:
        system = CombinedSystem(bench, concerning("combined", SystemOptions(size=size, encoder=encoder)))
        starts = bench.corpus.starts[:-1]
        for query in collection.judged:
            parts = [document_scores(part.scores(query), starts, part.aggregation) for part in system.parts]
            yield query.id, bench.corpus.documents, parts


def of_index(collection: Collection, folder: str) -> Iterator[tuple[str, Sequence[str], list[np.ndarray]]]:
    """Give the same from an index of the collection that is there already."""
    index = Index.open(folder)
    documents = [index.store.document(number).id for number in range(index.store.state.documents)]
    for query in collection.judged:
        parts = []
        for part in index._combined.rank(query.text, ("centers", "words", "vectors"), None, None).parts:
            parts.append(np.zeros(len(documents)))
            parts[-1][part.documents] = part.document_scores
        yield query.id, documents, parts


def values_of(spec: str, size: int, encoder: str, index: str | None) -> dict[str, np.ndarray]:
    """Return R@100 and MAP of each query by each way."""
    collection = load_collection(spec)
    collection = replace(collection, by="passage") if collection.by != "document" else collection
    found: dict[str, list[tuple[float, float]]] = {}
    every = of_index(collection, index) if index else of_collection(collection, size, encoder)
    for query, documents, scores_of_parts in every:
        left_out = collection.no_candidates(query, documents)
        out = np.array([document in left_out for document in documents])
        judged = collection.judgements[query].documents
        relevant = np.array([document in judged for document in documents]) & ~out
        if not relevant.any():
            continue
        parts = [np.where(out, -1.0, np.where(np.isfinite(part), part, 0)) for part in scores_of_parts]
        for name, scores in ways(parts).items():
            found.setdefault(name, []).append(measured(np.where(out, -np.inf, scores), relevant))
    return {name: 100 * np.asarray(values) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--index", help="the scores of this index of the collection, instead of encoding it again")
    options = parser.parse_args()
    for spec in options.collections:
        table = Table("", "all", "tuned", "held out", title=f"{spec}, {options.index or options.encoder}: R@100 / MAP")
        for name, values in values_of(spec, options.size, options.encoder, options.index).items():
            halves = (values, values[::2], values[1::2])
            table.add_row(name, *(" / ".join(f"{one:.1f}" for one in half.mean(axis=0)) for half in halves))
        Console(width=120).print(table)


if __name__ == "__main__":
    main()
