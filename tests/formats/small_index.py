"""A small index of made-up vectors, in several segments and with a deleted document, and queries for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sparse_coverage.formats import Source
from sparse_coverage.formats.source import center_names
from sparse_coverage.index import (
    DocumentRecord,
    IndexedPassage,
    IndexWriter,
    PassageRecord,
    delete_documents,
    open_store,
)
from sparse_coverage.search import ScoringConfig
from sparse_coverage.search.ranking import CenterStatistics, Ranker
from sparse_coverage.vectors import SparseVector

CENTERS = 37


def random_vector(random: np.random.Generator, largest: int = 12) -> SparseVector:
    centers = np.sort(random.choice(CENTERS, size=int(random.integers(0, largest)), replace=False)).astype(np.int32)
    weights = random.uniform(0.2, 1.0, len(centers)).astype(np.float32)
    ordinals = np.arange(len(centers), dtype=np.int32)
    return SparseVector(centers, weights, ordinals, ordinals, ordinals, int(random.integers(1, 60)), 0)


def write_store(folder: Path, seed: int, documents: int = 12) -> None:
    """Documents of one to four units, committed in two parts so that there can be two segments; every fifth is deleted."""
    random = np.random.default_rng(seed)
    with IndexWriter.create(folder, CENTERS, {"by": "passage"}) as writer:
        for number in range(documents):
            id_ = f"XX-{number}-A1"
            units = [
                IndexedPassage(
                    PassageRecord(f"{id_}/p[{place}]", id_, "claims", f"text {place}"), random_vector(random)
                )
                for place in range(int(random.integers(1, 5)))
            ]
            writer.add(DocumentRecord(id_, f"Title {number}", {"country": "XX"}), units)
            if number == documents * 3 // 4:
                writer.commit()
        writer.commit()
    delete_documents(folder, [f"XX-{number}-A1" for number in range(0, documents, 5)])


def made_up_source(folder: Path, seed: int = 0, scoring: ScoringConfig | None = None, documents: int = 12) -> Source:
    """The small index as an export sees it. By default one of its centers is a stop center."""
    write_store(folder, seed, documents)
    store = open_store(folder)
    chosen = scoring or ScoringConfig(rho=0.03)
    statistics = CenterStatistics.compute(store.frequencies, store.state.passages, chosen)
    return Source(store, statistics, center_names(CENTERS))


def our_scores(source: Source, query: SparseVector) -> dict[str, float]:
    """What our own search gives each unit that is not deleted."""
    scores = Ranker(source.store, source.statistics.config, 1).scores(query).tolist()
    live = np.concatenate([segment.live_passages for segment in source.store.segments])
    return {source.store.passage(number).id: scores[number] for number in np.flatnonzero(live).tolist()}


def random_queries(seed: int, count: int = 5) -> list[SparseVector]:
    random = np.random.default_rng([seed, 1])
    return [random_vector(random, largest=25) for _ in range(count)]
