"""The index a user holds: built from patents, searched with a claim, asked why, kept up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np

from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.index import (
    DEFAULT_MEMORY,
    Filter,
    IndexStore,
    WeightBits,
    open_store,
)
from sparse_coverage.kernels import Floats
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Patent
from sparse_coverage.patents.documents import Document, as_patents
from sparse_coverage.patents.passages import By
from sparse_coverage.patents.repeats import OnDuplicate, Repeats
from sparse_coverage.presets import DEFAULT_PRESET, Preset
from sparse_coverage.search.explaining import Explanations
from sparse_coverage.search.feedback import with_feedback
from sparse_coverage.search.marks import Marks, with_marks
from sparse_coverage.search.own_model import MODEL_FOLDER, require_fit
from sparse_coverage.search.ranking import Ranker
from sparse_coverage.search.results import Answers, Explanation, Hit, PassageHit, QueryCost, Reasons
from sparse_coverage.search.searcher import PassageSearcher, as_filter, one_or_several, require_counts
from sparse_coverage.search.statistics import CenterStatistics, ScoringConfig
from sparse_coverage.search.stored import require_document
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.aggregation import Aggregation
from sparse_coverage.vocabulary.sampling import Documents

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
        self._show(store)

    @classmethod
    def build(
        cls,
        folder: str | Path,
        model: SparseCoverage,
        documents: Iterable[Document],
        *,
        by: By | None = None,
        scoring: ScoringConfig | None = None,
        weight_bits: WeightBits = 16,
        memory: int = DEFAULT_MEMORY,
        total: int | None = None,
        on_duplicate: OnDuplicate = "error",
        on_repeat: Callable[[Patent], None] | None = None,
    ) -> Index:
        """Index documents into a new folder, by passage (the default), section or whole document.

        A document is a patent, an (id, text) pair, or a plain text, whose id is its position: "0", "1" and so on. Streams:
        `memory` bounds, in bytes, the postings held before they are written. After an interruption, building into the same
        folder again passes over what is in it already. Equal passages are encoded once. `total`: how many documents there are,
        for the estimate of the time left. An id that comes twice is an error, unless the first is to be kept or replaced
        (`on_duplicate`); `on_repeat` is told of each.
        """
        from sparse_coverage.search.building import build_index
        from sparse_coverage.search.learning import forget_sample, remember_sample

        build_index(
            Path(folder),
            model,
            documents,
            by=by or model.by,
            weight_bits=weight_bits,
            memory=memory,
            total=len(documents) if total is None and isinstance(documents, Sized) else total,
            remember=lambda known: remember_sample(folder, model, known),
            repeats=Repeats(on_duplicate, on_repeat),
        )
        forget_sample(folder)
        return cls.open(folder, scoring=scoring, encoder=model.encoder)

    @classmethod
    def learn(
        cls,
        folder: str | Path,
        documents: Documents,
        *,
        encoder: str | Encoder = DEFAULT_ENCODER,
        preset: str | Preset = DEFAULT_PRESET,
        by: By | None = None,
        threads: int | None = None,
        scoring: ScoringConfig | None = None,
        weight_bits: WeightBits = 16,
        memory: int = DEFAULT_MEMORY,
    ) -> Index:
        """Learn a model from documents and index them with it, each passage encoded once.

        The documents are read twice: give a list, or a function that opens them. What `SparseCoverage.fit` and `build` do one
        after the other, in half the time. Interrupted, the same call goes on where it stopped.
        """
        from sparse_coverage.search.learning import documents_read, learn_for

        if isinstance(documents, Iterator):
            raise InputError(
                "Learning and indexing read the documents twice, but these can be read only once. Give a list, or a function "
                "that opens them: Index.learn(folder, lambda: read_patents(path))."
            )
        model = learn_for(folder, documents, encoder=encoder, preset=preset, by=by, threads=threads)
        again, total = documents() if callable(documents) else documents, documents_read(folder)
        return cls.build(
            folder, model, again, by=by, scoring=scoring, weight_bits=weight_bits, memory=memory, total=total
        )

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
        require_fit(folder, store.state, model)
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
        aggregation: Aggregation | None = None,
        marks: Marks | None = None,
    ) -> list[list[Hit]]:
        """Return the `k` best documents of a query, each with its best `passages`; for several queries, a list each.

        `filter` says what may be found at all, `aggregation` how passages make a document's score (by default as the
        scoring's `rank` says), `marks` what was marked as relevant or not in earlier results. One query is shared out over the
        cores; of several, each core takes its own.
        """
        require_counts(k=k, passages=passages)
        return self._documents(queries, k, passages, as_filter(filter), aggregation, marks)

    def _documents(
        self,
        queries: list[str],
        k: int,
        passages: int,
        condition: Filter | None,
        aggregation: Aggregation | None = None,
        marks: Marks | None = None,
    ) -> list[list[Hit]]:
        ranker = self._ranker  # once: a refresh by another thread must not come between
        allowed = ranker.allowed(condition)

        def one(vector: SparseVector, threads: int = 1) -> list[Hit]:
            richer = with_marks(ranker, vector, marks) if marks else with_feedback(ranker, vector, allowed, threads)
            vector = richer.vector
            return ranker.hits(ranker.rank_documents(vector, k, allowed, passages, threads, aggregation)[0])

        return self._each(ranker, queries, one)

    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        ranker = self._ranker
        allowed = ranker.allowed(condition)

        def one(vector: SparseVector, threads: int = 1) -> list[PassageHit]:
            vector = with_feedback(ranker, vector, allowed, threads).vector
            ranking = ranker.rank_passages(vector, k, allowed, threads)
            return ranker.passage_hits(ranking.numbers, ranking.scores)

        return self._each(ranker, queries, one)

    def _each(self, ranker: Ranker, queries: list[str], function: Callable[..., list[T]]) -> list[list[T]]:
        """Apply a function to the vector of each query: one is shared out over the cores, of several each core takes its own."""
        if len(queries) == 1:
            return [function(self._explanations.traced(queries[0]).vector, ranker.shares)]
        return ranker.in_parallel(function, self.model.encode_query(queries))

    def rerank_passages(
        self,
        query: str,
        documents: int = 100,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        aggregation: Aggregation | None = None,
    ) -> list[PassageHit]:
        """Rank all passages of the best `documents` by their own scores: the paper's two stages.

        Passages without any shared center come last, in corpus order.
        """
        require_counts(documents=documents)
        ranker = self._ranker
        allowed = ranker.allowed(as_filter(filter))
        vector = with_feedback(ranker, self._explanations.traced(query).vector, allowed, ranker.shares).vector
        found, _ = ranker.rank_documents(vector, documents, allowed, None, ranker.shares, aggregation)
        passages = np.concatenate([np.zeros(0, np.int64), *(document.passages for document in found)])
        scores = np.concatenate([np.zeros(0, np.float32), *(document.passage_scores for document in found)])
        order = np.lexsort((passages, -scores))
        return ranker.passage_hits(passages[order], scores[order])

    def profile(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        aggregation: Aggregation | None = None,
        marks: Marks | None = None,
    ) -> tuple[list[Hit], QueryCost]:
        """Search, and say what it cost: lists read and time per stage."""
        require_counts(k=k, passages=passages)
        explanations, begun = self._explanations, perf_counter()
        ranker, vector = explanations.ranker, explanations.traced(query).vector
        encoded = perf_counter()
        allowed = ranker.allowed(as_filter(filter))
        filtered = perf_counter()
        vector = explanations.enriched(query, as_filter(filter), marks).vector
        enriched = perf_counter()
        found, work = ranker.rank_documents(vector, k, allowed, passages, ranker.shares, aggregation)
        ranked = perf_counter()
        hits = ranker.hits(found)
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
        marks: Marks | None = None,
    ) -> Explanation:
        """Explain a passage's score, or that of a document's best passage, by id. `filter` and `marks`: those of the search."""
        return self._explanations.explain(query, id_, as_filter(filter), marks)

    def reasons(
        self,
        query: str,
        passages: Sequence[str],
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        marks: Marks | None = None,
    ) -> dict[str, Reasons]:
        """Return the reasons of passages by id, as `explain` gives them one by one, without the matches behind them: much quicker."""
        return self._explanations.reasons(query, passages, as_filter(filter), marks)

    def explain_best(self, query: str, document: str, count: int) -> dict[str, Explanation]:
        """Explain the `count` paragraphs and claims of a document that score best, by their ids, best first."""
        return self._explanations.best_of(query, require_document(self.store, document), count)

    def answers(self, query: str, document: str) -> Answers:
        """Set a whole document against a query: the strongest match of each span, and the spans that find nothing in it."""
        return self._explanations.answers(query, document)

    def add(
        self,
        documents: Iterable[Document],
        *,
        replace: bool = False,
        total: int | None = None,
        on_duplicate: OnDuplicate = "error",
        on_repeat: Callable[[Patent], None] | None = None,
    ) -> int:
        """Add documents, all or none; with `replace`, ones that are there already get their new version. Return how many.

        They are given as to `build`; plain texts, whose ids are their positions, are better given with ids of their own. Passages
        that a new version shares with the old one are not encoded again. `total`: how many documents there are, if known.
        `on_duplicate` is about ids that come twice in `documents`, as in `build`.
        """
        from sparse_coverage.index import IndexWriter
        from sparse_coverage.search.building import add_documents, vectors_by
        from sparse_coverage.search.known_vectors import KnownVectors

        repeats = Repeats(on_duplicate, on_repeat)
        with IndexWriter.open(self.store.folder) as writer, KnownVectors() as known:
            require_fit(self.store.folder, writer.manifest, self.model)
            by: By = writer.manifest.about["by"]
            vectors, patents = vectors_by(self.model), as_patents(documents)
            count = add_documents(
                writer, vectors, patents, by, replace=replace, total=total, known=known, repeats=repeats
            )
            writer.commit()
        self.refresh()
        return count

    def delete(self, ids: Sequence[str]) -> int:
        """Delete documents by publication id, all or none: an id that is not there is an error. Return how many."""
        from sparse_coverage.index import delete_documents

        delete_documents(self.store.folder, ids)
        self.refresh()
        return len(ids)

    def merge(self) -> None:
        """Rewrite the index with as few segments as possible and without what was deleted. Results stay the same."""
        from sparse_coverage.index import merge_index

        merge_index(self.store.folder)
        self.refresh()

    def refresh(self) -> None:
        """Show the newest committed state."""
        store = open_store(self.store.folder)
        require_fit(store.folder, store.state, self.model)
        self._show(store)

    def scores(self, vector: SparseVector) -> Floats:
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
        self._ranker.warm_up()

    def _show(self, store: IndexStore) -> None:
        self._ranker = Ranker(store, self._scoring, self._threads)
        self._explanations = Explanations(self._ranker, self.model)
