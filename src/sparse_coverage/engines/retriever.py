"""Searching an engine as one searches an index: the same protocol, the same documents, the same scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sparse_coverage.engines.engine import Condition, condition_of
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.engines.ranking import EngineRanker, FoundDocument
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.model import SparseCoverage
from sparse_coverage.search.explaining import TracedQuery, trace_query
from sparse_coverage.search.own_model import MODEL_FOLDER, vocabulary_digest
from sparse_coverage.search.ranking import ScoringConfig
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import PassageSearcher

T = TypeVar("T")
_THREADS = 8


class EngineRetriever(PassageSearcher):
    """Ranks what a collection on an engine holds.

        retriever = EngineRetriever(QdrantCollection(["http://127.0.0.1:6333"], "patents"), model)
        for hit in retriever.search("A valve comprising a plunger biased by a spring"):
            print(hit.document, hit.score, hit.passages[0].text)

    Needs the model, since queries are encoded here, and no index: document frequencies come from the engine, as they were
    when this was made or last refreshed. `ranking` is that of an index: `combined`, or one of its parts.
    """

    def __init__(
        self,
        collection: QdrantCollection,
        model: SparseCoverage,
        *,
        scoring: ScoringConfig | None = None,
        ranking: str = "combined",
    ) -> None:
        self.collection = collection
        self.model = model
        self.ranker = EngineRanker(collection, scoring, ranking)
        self._require_model()

    def refresh(self) -> None:
        """Take the newest document frequencies."""
        self.ranker.refresh()
        self._require_model()

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        wanted = self._condition(condition)
        return self._each(queries, lambda query: self._hits(self.ranker.rank_documents(query, k, passages, wanted)))

    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        if k > self.collection.limit:
            raise InputError(
                f"This engine returns at most {self.collection.limit:,} passages at once; {k:,} were asked for."
            )
        wanted = self._condition(condition)

        def one(query: TracedQuery) -> list[PassageHit]:
            found = self.ranker.rank_passages(query, k, wanted)
            shown = self.collection.show([point.id for point in found]) if found else {}
            return [_passage(shown[point.id], point.score) for point in found if point.id in shown]

        return self._each(queries, one)

    def _each(self, queries: list[str], function: Callable[[TracedQuery], T]) -> list[T]:
        """Apply a function to each query when it is encoded, several at a time."""
        traced = [trace_query(self.model, query) for query in queries]
        if len(traced) == 1:
            return [function(traced[0])]
        with ThreadPoolExecutor(_THREADS) as pool:
            return list(pool.map(function, traced))

    def _require_model(self) -> None:
        self.ranker.known.require(vocabulary_digest(self.model), self.collection.name)

    def _condition(self, filter_: Filter | None) -> Condition | None:
        return None if filter_ is None else condition_of(filter_, self.collection.facts_of)

    def _hits(self, ranking: Sequence[FoundDocument]) -> list[Hit]:
        ids = [point.id for found in ranking for point in found.points]
        shown = self.collection.show(ids) if ids else {}
        hits = []
        for found in ranking:
            # Something may have been deleted between the two requests.
            there = [(shown[point.id], point.score) for point in found.points if point.id in shown]
            if there:
                best = tuple(_passage(point, score) for point, score in there)
                first = there[0][0]
                hits.append(Hit(first["document"], first["title"], found.score, first["metadata"], best))
        return hits


def load_model(folder: str | Path) -> SparseCoverage:
    """Read the model that a collection is searched with: from an index, or from a folder of its own."""
    folder = Path(folder)
    inside = folder / MODEL_FOLDER
    return SparseCoverage.load(inside if inside.is_dir() else folder)


def _passage(shown: Mapping[str, Any], score: float) -> PassageHit:
    return PassageHit(shown["passage"], shown["document"], shown["section"], shown["text"], score, shown["number"])
