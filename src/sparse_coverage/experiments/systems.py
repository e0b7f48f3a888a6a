"""The systems of an experiment: what ranks a collection, made from a workbench (the collection and its caches) and options.

Which there are, and what each needs and reads, stands in the registry of `sparse_coverage.systems`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from sparse_coverage.aggregation import Aggregation, Best, document_scores
from sparse_coverage.evaluation.collection import Query, corpus_passages
from sparse_coverage.evaluation.protocol import evidence
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import alone, code_key, content_key
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.index.postings import MAX_PASSAGES
from sparse_coverage.index.sides import open_block, write_block
from sparse_coverage.kernels import Doubles
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers import Colbert, RankingSide, Splade
from sparse_coverage.retrievers.colbert import PlaidConfig
from sparse_coverage.search import Retriever
from sparse_coverage.search.part_scores import DEPTH, PartScores, VectorScores, WordScores
from sparse_coverage.spans.span import normalise
from sparse_coverage.systems import System, get_system, load_maker


@dataclass(frozen=True, slots=True)
class PartSystem:
    """A part of what an index keeps, or a side of it, over all passages of a collection: a `PassageScorer`."""

    aggregation: Aggregation
    scores: Callable[[Query], Doubles]
    cost: Callable[[Query], int]
    stamps: Mapping[str, Any] = field(default_factory=dict)


def word_system(bench: Workbench, options: SystemOptions, row: System | None = None) -> PartSystem:
    """Rank by the words of passages, as an index keeps them, by BM25; a claim is a query in full."""
    words = WordScores(bench.words(), options.k1, options.b)
    return PartSystem(
        options.scoring.aggregation,
        lambda query: evidence(words.scores(query.text)),
        lambda query: words.cost(query.text),
    )


def vector_system(bench: Workbench, options: SystemOptions, row: System | None = None) -> PartSystem:
    """Rank by one vector a passage, of the row's encoder, pooled as that was trained, in eight bits as an index keeps it."""
    vectors = VectorScores(bench.passage_vectors(options.encoder))
    queries = (query.id for query in bench.collection.judged)
    tokens = dict(zip(queries, bench.query_tokens(options.encoder), strict=True))
    return PartSystem(
        options.scoring.aggregation,
        lambda query: evidence(vectors.scores(normalise(tokens[query.id].chunk_totals()))),
        lambda _: len(bench.corpus),
    )


def side_system(bench: Workbench, options: SystemOptions, row: System) -> PartSystem:
    """Rank by SPLADE or ColBERT, published or another checkpoint, exactly; `colbert-plaid` as the paper: PLAID, texts cut at 512 tokens."""
    model = (options.checkpoint,) if options.checkpoint else ()
    plaid: dict[str, Any] = {"plaid": PlaidConfig(), "cut": 512} if row.name == "colbert-plaid" else {}
    side: RankingSide = Splade(*model) if row.name == "splade" else Colbert(*model, **plaid)
    sizes = [min(MAX_PASSAGES, len(bench.corpus) - first) for first in range(0, len(bench.corpus), MAX_PASSAGES)]
    blocks = [open_block(folder, np.ones(size, bool)) for folder, size in zip(_blocks(bench, side), sizes, strict=True)]
    scorer = side.scorer(blocks)
    return PartSystem(
        options.scoring.aggregation,
        lambda query: scorer.scores(query.text).astype(np.float64),
        lambda query: scorer.cost(query.text),
        {"checkpoint": side.settings},
    )


def _blocks(bench: Workbench, side: RankingSide) -> list[Path]:
    """Return the folders of a side's blocks, making those that are not there yet."""
    key = content_key(
        code=code_key("kernels", "encoding", "retrievers"),
        documents=bench.corpus.fingerprint,
        side=side.kind,
        settings=side.settings,
    )
    home = bench.cache / "sides" / f"{side.kind}-{key}"
    folders = [home / f"{number:06d}" for number in range(-(-len(bench.corpus) // MAX_PASSAGES))]
    with alone(home, "this baseline"):
        if not all(folder.is_dir() for folder in folders):
            passages = tracked(
                corpus_passages(bench.collection.documents(), bench.collection.by),
                f"Making {side.kind}",
                len(bench.corpus),
            )
            for folder in folders:
                texts = (passage.text for passage in islice(passages, MAX_PASSAGES))
                if folder.is_dir():
                    for _ in texts:
                        pass
                else:
                    write_block(folder, side.pack(side.rows(texts)))
    return folders


class SparseCoverageSystem:
    """The product's index of the collection, with the query vectors of its queries."""

    def __init__(self, bench: Workbench, options: SystemOptions, row: System | None = None) -> None:
        self.index = bench.index(options)
        self.aggregation = options.scoring.aggregation
        queries = (query.id for query in bench.collection.judged)
        self.vectors = dict(zip(queries, bench.query_vectors(options), strict=True))
        self._frequencies = self.index.store.frequencies

    def scores(self, query: Query) -> Doubles:
        """Return the score of every passage for a query of the collection."""
        return evidence(self.index.scores(self.vectors[query.id]))

    def cost(self, query: Query) -> int:
        """Return the postings scanned: the lengths of the lists of the query's active centers, stop centers left out."""
        centers = self.vectors[query.id].centers
        return int(self._frequencies[centers[~self.index.statistics.stop[centers]]].sum())


_NO_DOCUMENTS = np.zeros(0, np.int64)


class CombinedSystem:
    """Documents are ranked by centers, words and vectors, each scaled to 0..1 over its first documents, and added: see `search.combined`.

    What is no candidate for a query counts in no scale, as if a filter had left it out.
    """

    def __init__(self, bench: Workbench, options: SystemOptions, row: System | None = None) -> None:
        self.parts: tuple[PassageScorer, ...] = (
            SparseCoverageSystem(bench, options),
            word_system(bench, options),
            vector_system(bench, options),
        )
        self._bench = bench
        self._counts = np.diff(bench.corpus.starts)
        self.aggregation = Best()  # of the passages, which have the height of their document already

    def scores(self, query: Query) -> Doubles:
        """Return a score for every passage: that of its document for the best, and their share of it for the others."""
        corpus = self._bench.corpus
        total, passages = np.zeros(len(corpus.documents)), np.zeros(len(corpus))
        left_out = self._bench.collection.no_candidates(query.id, corpus.documents)
        out = np.array([document in left_out for document in corpus.documents])
        for part in self.parts:
            scores = part.scores(query)
            documents = document_scores(scores, corpus.starts[:-1], part.aggregation).astype(np.float64)
            documents[out] = -np.inf
            best = np.sort(documents[documents > 0])[::-1][:DEPTH].astype(np.float32)
            if len(best):
                scale = PartScores("", best, _NO_DOCUMENTS, best, alone=False)
                total += scale.scaled(documents.astype(np.float32))
                passages += scale.scaled(scores.astype(np.float32))
        highest = np.maximum.reduceat(passages, corpus.starts[:-1])
        heights = np.divide(total, highest, out=np.zeros(len(out)), where=highest > 0)
        found: Doubles = passages * np.repeat(heights, self._counts)
        found[found <= 0] = -np.inf
        return found

    def cost(self, query: Query) -> int:
        """Return the cost of the three together."""
        return sum(part.cost(query) for part in self.parts)


@runtime_checkable
class PassageScorer(Protocol):
    """Scores every passage of the collection, in corpus order: the quick way through an evaluation."""

    @property
    def aggregation(self) -> Aggregation:
        """How the scores of passages make those of documents."""
        ...

    def scores(self, query: Query, /) -> Doubles:
        """Return the score of every passage for a query of the collection; minus infinity where there is none."""
        ...

    def cost(self, query: Query, /) -> int:
        """Return what the query costs: postings scanned, or similarities computed."""
        ...


def make_system(name: str, bench: Workbench, options: SystemOptions) -> PassageScorer | Retriever:
    """Make the system of that name, from the registry of systems, over a collection."""
    row = get_system(name, "study")
    made: PassageScorer | Retriever = load_maker(row.study or "")(bench, options, row)
    return made
