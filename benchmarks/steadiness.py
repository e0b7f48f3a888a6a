"""How much of a ranking is chance, and what makes it steadier: vocabularies of several seeds, chosen and weighted in several ways.

    python benchmarks/steadiness.py path/to/cranfield path/to/cacm path/to/patsnap -V 1500
    python benchmarks/steadiness.py demo -V 500 --seeds 2

For each way: R@100 and MAP x 100 (mean and standard deviation over the seeds) of centers alone and of centers, words and vectors
together, each scaled to 0..1 over its first 1,000 documents and added. A seed draws four fifths of the passages to learn from, 30
spans a center at the most, and the first center; so a way that only fixes the first center still has a spread. For abstracts, where a
document is a passage. Settings are those of the preset `default` and do not change, nor does the number of postings, but for
the last two ways, which search two and four vocabularies.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev

import numpy as np
import numpy.typing as npt
from machine import describe
from scipy.sparse import csr_matrix

from sparse_coverage.evaluation.collection import Collection, corpus_passages
from sparse_coverage.evaluation.loading import load_collection
from sparse_coverage.evaluation.measures import parse_measure
from sparse_coverage.evaluation.protocol import evidence, rank_scores
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.systems import vector_system, word_system
from sparse_coverage.kernels import Doubles, Floats
from sparse_coverage.presets import get_preset
from sparse_coverage.search.ranking import CenterStatistics
from sparse_coverage.spans import Spans, get_unit
from sparse_coverage.vectors import Activations, SparseVector, aggregate
from sparse_coverage.vectors.activation import activate_all
from sparse_coverage.vocabulary import Vocabulary, VocabularyConfig
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.points import CommonPart, Points
from sparse_coverage.vocabulary.vocabulary import Anchor

PRESET = get_preset("default")
MEASURES = tuple(parse_measure(name) for name in ("R@100", "MAP"))
SPANS_A_CENTER = 30
DEPTH = 1_000
Halves = npt.NDArray[np.float16]
Weigh = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Texts:
    """A collection encoded once: the spans of passages and queries, and what words and vectors say of each query."""

    collection: Collection
    bench: Workbench
    passages: list[Spans]
    queries: list[Spans]
    others: list[tuple[Doubles, Doubles]]


def encoded(bench: Workbench) -> Texts:
    """Encode a collection; scores of words and vectors are those of what an index keeps."""
    collection, encoder, unit = bench.collection, bench.encoder("minilm"), get_unit("token")
    texts = [passage.text for passage in corpus_passages(collection.documents(), collection.by)]
    asked = [query.text for query in collection.judged]
    passages = list(unit.pool_many(texts, list(encoder.encode(texts))))
    queries = list(unit.pool_many(asked, list(encoder.encode(asked))))
    words, vectors = (make(bench, SystemOptions()) for make in (word_system, vector_system))
    others = [(words.scores(query), vectors.scores(query)) for query in collection.judged]
    return Texts(collection, bench, passages, queries, others)


def sampled(texts: Texts, seed: int, spans: int) -> tuple[Halves, CommonPart]:
    """Draw spans to learn from, passage by passage; return them without their common part, and that part."""
    order = np.random.default_rng(seed).permutation(len(texts.passages))[: len(texts.passages) * 4 // 5]
    matrix = np.concatenate([texts.passages[number].vectors for number in order])[:spans]
    matrix = matrix[matrix.any(axis=1)].astype(np.float16)
    common = CommonPart.of(Points(matrix), PRESET.common or 0)
    return common.remove(matrix.astype(np.float32)).astype(np.float16), common


def from_the_mean(points: Halves, common: CommonPart, size: int) -> Floats:
    """Choose centers, the first of which is the span nearest to the mean of all: no chance but that of the sample."""
    nearest = int(np.argmax(points.astype(np.float32) @ points.mean(axis=0, dtype=np.float32)))
    drawn = int(np.random.default_rng(0).integers(len(points)))  # where the traversal of seed 0 begins
    points = points.copy()
    points[[drawn, nearest]] = points[[nearest, drawn]]
    return chosen(points, size, 0)


def chosen(points: Halves, size: int, seed: int) -> Floats:
    """Choose centers as `fit` does."""
    return points[farthest_first(Points(points), size, seed=seed).rows].astype(np.float32)


def moved(points: Halves, centers: Floats, *, medoid: bool = False) -> Floats:
    """Move each center to the direction of the mean of its cell, or to the span nearest to that."""
    nearest = nearest_centers(Points(points), centers, quiet=True)[len(centers)].nearest
    shape = (len(centers), len(nearest))
    cells = csr_matrix((np.ones(len(nearest), np.float32), (nearest, np.arange(len(nearest)))), shape)
    means = np.asarray(cells @ points.astype(np.float32))
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means = np.where(lengths > 1e-6, means / np.maximum(lengths, 1e-6), centers).astype(np.float32)
    if not medoid:
        return means
    likeness = np.einsum("ij,ij->i", points.astype(np.float32), means[nearest])
    order = np.lexsort((-likeness, nearest))
    firsts = order[np.minimum(np.searchsorted(nearest[order], np.arange(len(centers))), len(order) - 1)]
    filled = np.bincount(nearest, minlength=len(centers)) > 0
    return np.where(filled[:, None], points[firsts].astype(np.float32), centers)


def above_the_next(similarities: Floats) -> Floats:
    """Return weights that fall to 0 where the first center that is left out is as near."""
    left_out = similarities[:, -1:]
    return np.maximum((similarities[:, :-1] - left_out) / np.maximum(1 - left_out, 1e-6), 1e-6)


def halfway(similarities: Floats) -> Floats:
    """Return the mean of a similarity and of what it is above that of the first center that is left out."""
    return (similarities[:, :-1] + above_the_next(similarities)) / 2


def scores(
    texts: Texts, centers: Floats, common: CommonPart, k: int = PRESET.activation.k, weigh: Weigh | None = None
) -> list[Doubles]:
    """Return the scores of all passages for each query by their centers."""
    size = len(centers)
    config = VocabularyConfig("", "", "", centers.shape[1], "token", size, 99.0, "farthest-first", 0, 0)
    vocabulary = Vocabulary(centers, np.ones(size, np.float32), (Anchor("", "", ""),) * size, config, common=common)
    activation = replace(PRESET.activation, k=k)
    both = [*texts.passages, *texts.queries]
    active = activate_all([spans.vectors for spans in both], vocabulary, replace(activation, k=k + 1), threads=None)
    weights = weigh(active.similarities) if weigh else active.similarities[:, :k]
    passages, queries, first = [], [], 0
    for number, spans in enumerate(both):
        last = first + len(spans)
        part, query = Activations(active.centers[first:last, :k], weights[first:last]), number >= len(texts.passages)
        (queries if query else passages).append(aggregate(spans, part, activation, query=query))
        first = last
    held = rows_of(passages, size)
    statistics = CenterStatistics.compute(np.bincount(held.indices, minlength=size), len(passages), PRESET.scoring)
    asked = rows_of(queries, size).multiply(statistics.worth[None, :]).tocsr()
    found = np.asarray((asked @ held.T).todense())
    return list(found * PRESET.scoring.norms([len(spans) for spans in texts.passages])[None, :])


def rows_of(vectors: Sequence[SparseVector], size: int) -> csr_matrix:
    starts = np.concatenate(([0], np.cumsum([len(vector.centers) for vector in vectors])))
    weights = np.concatenate([vector.weights for vector in vectors]).astype(np.float64)
    return csr_matrix((weights, np.concatenate([vector.centers for vector in vectors]), starts), (len(vectors), size))


def scaled(scores: Doubles) -> Doubles:
    """Return scores from 0 to 1 over the best documents, 0 for the others: as `search.combined` does."""
    best = np.sort(scores[scores > 0])[::-1][:DEPTH]
    if not len(best):
        return np.zeros_like(scores)
    return np.maximum((scores - best[-1]) / max(best[0] - best[-1], 1e-12), 0)


def measured(texts: Texts, found: list[Doubles]) -> dict[str, float]:
    """Return R@100 and MAP of centers alone and of the three parts together."""
    together = [sum(map(scaled, (mine, *others))) for mine, others in zip(found, texts.others, strict=True)]
    values: dict[str, float] = {}
    for name, every in (("centers", found), ("combined", together)):
        per_query: dict[str, list[float]] = {str(measure): [] for measure in MEASURES}
        for query, one in zip(texts.collection.judged, every, strict=True):
            excluded = texts.collection.excluded.get(query.id, frozenset())
            ranking = rank_scores(evidence(np.asarray(one)), texts.bench.corpus, excluded)
            for measure in MEASURES:
                per_query[str(measure)].append(measure(texts.collection.judgements[query.id], ranking))
        values |= {f"{name} {measure}": 100 * mean(listed) for measure, listed in per_query.items()}
    return values


def of_one_seed(texts: Texts, size: int, seed: int) -> dict[str, dict[str, float]]:
    """Measure every way with one seed."""
    spans = SPANS_A_CENTER * size
    points, common = sampled(texts, seed, spans)
    centers = chosen(points, size, seed)
    today = scores(texts, centers, common)
    smaller, its_common = sampled(texts, seed, spans // 3)
    found = {
        "as it is": today,
        "a third of the spans": scores(texts, chosen(smaller, size, seed), its_common),
        "first center nearest to the mean": scores(texts, from_the_mean(points, common, size), common),
        "centers moved to the means of their cells": scores(texts, moved(points, centers), common),
        "centers moved to the medoids": scores(texts, moved(points, centers, medoid=True), common),
        "weights above the next center": scores(texts, centers, common, weigh=above_the_next),
        "halfway to that": scores(texts, centers, common, weigh=halfway),
    }
    summed = [today]
    for other in range(1, 4):
        points, common = sampled(texts, seed + 100 * other, spans)
        summed.append(scores(texts, chosen(points, size, seed + 100 * other), common))
    for count in (2, 4):
        found[f"{count} vocabularies, {count} times the postings"] = [
            sum(one) for one in zip(*summed[:count], strict=True)
        ]
    return {name: measured(texts, one) for name, one in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("-V", "--size", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    print(describe(), flush=True)
    columns = [f"{part} {measure}" for part in ("centers", "combined") for measure in MEASURES]
    for spec in options.collections:
        with Workbench(load_collection(spec), default_cache()) as bench:
            texts = encoded(bench)
            every = []
            for seed in range(options.seeds):
                every.append(of_one_seed(texts, options.size, seed))
                print(f"{bench.collection.name}, seed {seed}:", every[-1], flush=True)
        print(f"\n**{bench.collection.name}, V={options.size:,}, {options.seeds} seeds**\n")
        print("| | " + " | ".join(columns) + " |\n| --- |" + " ---: |" * len(columns))
        for name in every[0]:
            cells = []
            for column in columns:
                values = [one[name][column] for one in every]
                cells.append(f"{mean(values):.1f} ± {stdev(values):.2f}" if len(values) > 1 else f"{values[0]:.1f}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
