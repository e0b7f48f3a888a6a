"""The index a user holds: built from patents, searched with a claim, asked why, kept up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import IndexStoreError, InputError, MismatchError
from sparse_coverage.index import (
    DEFAULT_MEMORY,
    Filter,
    IndexStore,
    IndexWriter,
    Manifest,
    WeightBits,
    allowed_passages,
    delete_documents,
    merge_index,
    open_store,
)
from sparse_coverage.index.forward import load_passage_vector
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Patent
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import waiting
from sparse_coverage.search.aggregation import Aggregation, Best
from sparse_coverage.search.building import MODEL_FOLDER, add_documents, build_index, vocabulary_digest
from sparse_coverage.search.explaining import Explainer
from sparse_coverage.search.feedback import Enriched, with_feedback
from sparse_coverage.search.ranking import Allowed, RankedDocument, Ranker
from sparse_coverage.search.results import Answers, Explanation, Hit, PassageHit, QueryCost
from sparse_coverage.search.searcher import PassageSearcher, as_filter, one_or_several, require_counts
from sparse_coverage.search.statistics import CenterStatistics, ScoringConfig
from sparse_coverage.search.tracing import trace_query
from sparse_coverage.vectors import SparseVector

# Below this many passages a query takes less time than waking a second thread pays for.
_WORTH_SHARING = 200_000

T = TypeVar("T")


class Index(PassageSearcher):
    """Patents on disk, ready to be searched.

        index = Index.build("my-index", model, read_patents("patents/"))
        for hit in index.search("A valve comprising a plunger biased by a spring"):
            print(hit.document, hit.score, hit.passages[0].text)

    Open it again with `Index.open("my-index")`. What it shows is a snapshot: changes that others commit become visible with
    `refresh`.
    """

    def __init__(
        self, store: IndexStore, model: SparseCoverage, scoring: ScoringConfig, threads: int | None = None
    ) -> None:
        self.model = model
        self._threads = threads
        self._scoring = scoring
        self._ranker = Ranker(store, scoring, threads)
        # Many hits of one query are explained one after the other; it need not be encoded for each.
        self._traced = lru_cache(4)(partial(trace_query, model))
        self._last_enriched: tuple[tuple[Ranker, str, Filter | str | None], Enriched] | None = None

    @classmethod
    def build(
        cls,
        folder: str | Path,
        model: SparseCoverage,
        documents: Iterable[Patent],
        *,
        by: By = "passage",
        scoring: ScoringConfig | None = None,
        weight_bits: WeightBits = 16,
        memory: int = DEFAULT_MEMORY,
    ) -> Index:
        """Index patents into a new folder, by passage (the default), section or whole document.

        Streams: `memory` bounds, in bytes, the postings held before they are written. After an interruption, building into
        the same folder again passes over what is in it already.
        """
        build_index(Path(folder), model, documents, by=by, weight_bits=weight_bits, memory=memory)
        index = cls.open(folder, scoring=scoring, encoder=model.encoder)
        index.warm_up()
        return index

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        scoring: ScoringConfig | None = None,
        encoder: Encoder | None = None,
        threads: int | None = None,
    ) -> Index:
        """Open an index. `scoring` changes how it ranks; nothing on disk depends on it.

        By default it ranks as its model says, on all cores.
        """
        folder = Path(folder)
        store = open_store(folder)
        model = SparseCoverage.load(folder / MODEL_FOLDER, encoder=encoder, threads=threads)
        _require_fit(folder, store.state, model)
        return cls(store, model, scoring or model.scoring, threads)

    def __len__(self) -> int:
        """Return the number of indexed passages."""
        return self.store.state.passages

    @property
    def store(self) -> IndexStore:
        """The files behind the index, as they were when it was opened or refreshed."""
        return self._ranker.store

    @property
    def statistics(self) -> CenterStatistics:
        """The idf of each center and which are stop centers."""
        return self._ranker.statistics

    @one_or_several
    def search(
        self,
        queries: list[str],
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        aggregation: Aggregation = Best(),  # noqa: B008 - immutable
    ) -> list[list[Hit]]:
        """Return the `k` best documents of a query, each with its best `passages`; for several queries, a list each.

        `filter` says what may be found at all, `aggregation` how passages make a document's score. One query is shared out
        over the cores; of several, each core takes its own.
        """
        require_counts(k=k, passages=passages)
        return self._documents(queries, k, passages, filter, aggregation)

    def _documents(
        self,
        queries: list[str],
        k: int,
        passages: int,
        condition: Filter | str | None,
        aggregation: Aggregation = Best(),  # noqa: B008 - immutable
    ) -> list[list[Hit]]:
        ranker = self._ranker  # once: a refresh by another thread must not come between
        allowed = _allowed(ranker, condition)

        def one(vector: SparseVector, threads: int = 1) -> list[Hit]:
            vector = with_feedback(ranker, vector, allowed, threads).vector
            return self._hits(ranker, ranker.rank_documents(vector, k, aggregation, allowed, passages, threads)[0])

        return self._each(ranker, queries, one)

    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        ranker = self._ranker
        allowed = _allowed(ranker, condition)

        def one(vector: SparseVector, threads: int = 1) -> list[PassageHit]:
            vector = with_feedback(ranker, vector, allowed, threads).vector
            ranking = ranker.rank_passages(vector, k, allowed, threads)
            return _passages(ranker.store, ranking.numbers, ranking.scores)

        return self._each(ranker, queries, one)

    def _each(self, ranker: Ranker, queries: list[str], function: Callable[..., list[T]]) -> list[list[T]]:
        """Apply a function to the vector of each query: one is shared out over the cores, of several each core takes its own."""
        if len(queries) == 1:
            return [function(self.model.encode_query(queries[0]), self._shares(ranker))]
        return ranker.in_parallel(function, list(self.model.encode_queries(queries)))

    def rerank_passages(
        self,
        query: str,
        documents: int = 100,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        aggregation: Aggregation = Best(),  # noqa: B008 - immutable
    ) -> list[PassageHit]:
        """Rank all passages of the best `documents` by their own scores: the paper's two stages.

        Passages without any shared center come last, in corpus order.
        """
        require_counts(documents=documents)
        ranker = self._ranker
        allowed = _allowed(ranker, filter)
        vector = with_feedback(ranker, self.model.encode_query(query), allowed, self._shares(ranker)).vector
        found, _ = ranker.rank_documents(vector, documents, aggregation, allowed, None, self._shares(ranker))
        passages = np.concatenate([np.zeros(0, np.int64), *(document.passages for document in found)])
        scores = np.concatenate([np.zeros(0, np.float32), *(document.passage_scores for document in found)])
        order = np.lexsort((passages, -scores))
        return _passages(ranker.store, passages[order], scores[order])

    def profile(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        aggregation: Aggregation = Best(),  # noqa: B008 - immutable
    ) -> tuple[list[Hit], QueryCost]:
        """Search, and say what it cost: lists read and time per stage."""
        require_counts(k=k, passages=passages)
        ranker, begun = self._ranker, perf_counter()
        vector = self.model.encode_query(query)
        encoded = perf_counter()
        allowed = _allowed(ranker, filter)
        filtered = perf_counter()
        vector = with_feedback(ranker, vector, allowed, self._shares(ranker)).vector
        enriched = perf_counter()
        found, work = ranker.rank_documents(vector, k, aggregation, allowed, passages, self._shares(ranker))
        ranked = perf_counter()
        hits = self._hits(ranker, found)
        ended = perf_counter()
        centers, stop_centers, postings = ranker.lists_read(vector)
        return hits, QueryCost(
            centers=centers,
            stop_centers=stop_centers,
            postings=postings,
            encoding=encoded - begun,
            filtering=filtered - encoded,
            feedback=enriched - filtered,
            scoring=work.scoring,
            selecting=work.selecting,
            reading=ended - ranked,
            total=ended - begun,
        )

    def explain(
        self,
        query: str,
        id_: str,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> Explanation:
        """Explain a passage's score, or that of a document's best passage, by id. `filter`: that of the search, if it had one."""
        ranker, traced = self._ranker, self._traced(query)
        enriched = self._enriched(ranker, query, filter)
        passage = ranker.store.find_passage(id_)
        if passage is None:
            passages = ranker.store.passages_of(_document(ranker.store, id_, "neither a passage nor a document"))
            scores = ranker.scores(enriched.vector)[passages.start : passages.stop]
            passage = passages.start + int(np.argmax(scores))
        return Explainer(ranker.store, self.model, ranker.statistics).explain(traced, enriched, passage)

    def answers(self, query: str, document: str) -> Answers:
        """Set a whole document against a query: the strongest match of each span, and the spans that find nothing in it."""
        ranker = self._ranker
        number = _document(ranker.store, document, "no document")
        return Explainer(ranker.store, self.model, ranker.statistics).answers(self._traced(query), number)

    def _enriched(self, ranker: Ranker, query: str, condition: Filter | str | None) -> Enriched:
        """Return a query with its feedback, which is the same for all hits of one search."""
        key = (ranker, query, condition)
        if self._last_enriched is None or self._last_enriched[0] != key:
            enriched = with_feedback(
                ranker, self._traced(query).vector, _allowed(ranker, condition), self._shares(ranker)
            )
            self._last_enriched = (key, enriched)
            return enriched
        return self._last_enriched[1]

    def add(self, documents: Iterable[Patent], *, replace: bool = False) -> int:
        """Add documents, all or none; with `replace`, ones that are there already get their new version. Return how many."""
        with IndexWriter.open(self.store.folder) as writer:
            _require_fit(self.store.folder, writer.manifest, self.model)
            count = add_documents(writer, self.model, documents, writer.manifest.about["by"], replace=replace)
            writer.commit()
        self.refresh()
        return count

    def delete(self, ids: Sequence[str]) -> int:
        """Delete documents by publication id, all or none: an id that is not there is an error. Return how many."""
        delete_documents(self.store.folder, ids)
        self.refresh()
        return len(ids)

    def merge(self) -> None:
        """Rewrite the index with as few segments as possible and without what was deleted. Results stay the same."""
        merge_index(self.store.folder)
        self.refresh()

    def refresh(self) -> None:
        """Show the newest committed state."""
        store = open_store(self.store.folder)
        _require_fit(store.folder, store.state, self.model)
        self._ranker = Ranker(store, self._scoring, self._threads)
        self._last_enriched = None

    def scores(self, vector: SparseVector) -> npt.NDArray[np.float32]:
        """Return the score of every passage for a query vector, in corpus order."""
        return self._ranker.scores(vector)

    def enrich(self, vector: SparseVector, *, without: Iterable[str] = ()) -> SparseVector:
        """Return a query vector with feedback, where the scoring asks for any. The documents `without` lend it nothing."""
        ranker = self._ranker
        allowed = np.ones(ranker.store.size, np.uint8)
        for id_ in without:
            number = ranker.store.find_document(id_)
            if number is not None:
                allowed[ranker.store.passages_of(number)] = 0
        return with_feedback(ranker, vector, allowed).vector

    def warm_up(self) -> None:
        """Compile what searching needs, or load it from the cache, so that the first query does not wait for it."""
        ranker, one = self._ranker, np.zeros(1, np.int32)
        frequencies = np.where(ranker.statistics.worth > 0, ranker.store.frequencies, 0)
        rarest = np.argmin(np.where(frequencies > 0, frequencies, np.iinfo(np.int64).max))  # a short list, but not none
        vector = SparseVector(np.full(1, rarest, np.int32), np.ones(1, np.float32), one, one, one, 1, 0)
        with waiting("Preparing the search; after an installation this compiles it"):
            ranker.rank_passages(vector, 1)
            ranker.rank_documents(vector, 1, Best(), np.ones(ranker.store.size, np.uint8), 1)
            for segment in ranker.store.segments[:1]:
                load_passage_vector(segment)  # for feedback

    def _shares(self, ranker: Ranker) -> int:
        return ranker.threads if ranker.store.size >= _WORTH_SHARING else 1

    def _hits(self, ranker: Ranker, found: Sequence[RankedDocument]) -> list[Hit]:
        return [_hit(ranker.store, document) for document in found]


def _require_fit(folder: Path, state: Manifest, model: SparseCoverage) -> None:
    """Refuse a model that the postings were not made with, as when another index was put in the place of this one."""
    there, here = str(state.about.get("vocabulary")), vocabulary_digest(model)
    if there != here:
        raise MismatchError(
            f"{folder}: the postings were made with vocabulary {there[:12]}, the model is {here[:12]}. Open the index again; if "
            f"that does not help, restore {folder / MODEL_FOLDER} or build the index again."
        )


def _allowed(ranker: Ranker, condition: Filter | str | None) -> Allowed | None:
    wanted = as_filter(condition)
    return None if wanted is None else allowed_passages(ranker.store, wanted)


def _document(store: IndexStore, id_: str, what: str) -> int:
    number = store.find_document(id_)
    if number is None:
        raise InputError(f"The index holds {what} with the id '{id_}'.")
    if not len(store.passages_of(number)):
        raise IndexStoreError(f"The document '{id_}' has no passages.")
    return number


def _hit(store: IndexStore, found: RankedDocument) -> Hit:
    record = store.document(found.number)
    best = tuple(_passages(store, found.passages, found.passage_scores))
    return Hit(record.id, record.title, found.score, record.metadata, best)


def _passages(store: IndexStore, passages: npt.NDArray[np.int64], scores: npt.NDArray[np.float32]) -> list[PassageHit]:
    scored = zip(passages.tolist(), scores.tolist(), strict=True)
    return [PassageHit.of(store.passage(number), score) for number, score in scored]
