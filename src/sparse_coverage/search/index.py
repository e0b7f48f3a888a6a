"""The index a user holds: built from patents, searched with a claim, asked why, kept up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from copy import copy
from functools import cache, partial
from pathlib import Path
from typing import Any

from sparse_coverage.aggregation import Aggregation
from sparse_coverage.encoding import DEFAULT_ENCODER, Encoder
from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.index import Filter, IndexStore, open_store
from sparse_coverage.index.manifest import require_finished
from sparse_coverage.kernels import Floats
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Patent
from sparse_coverage.patents.passages import By, Document
from sparse_coverage.presets import DEFAULT_PRESET, Preset, get_preset
from sparse_coverage.progress import tracked
from sparse_coverage.search.combined import CombinedRanker
from sparse_coverage.search.explaining import Explanations
from sparse_coverage.search.features import SOME, Touch
from sparse_coverage.search.feedback import Marks
from sparse_coverage.search.own_model import load_model, require_fit
from sparse_coverage.search.part_scores import Closeness, parts_of, require_parts
from sparse_coverage.search.ranking import CenterStatistics, Ranker, ScoringConfig
from sparse_coverage.search.results import Answers, ExplainedHits, Explanation, Hit, PassageHit, Reasons
from sparse_coverage.search.searcher import Explained, PassageSearcher, as_filter, one_or_several, require_counts
from sparse_coverage.search.stored import require_document
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vocabulary.sampling import Documents


class Index(PassageSearcher):
    """Patents on disk, ready to be searched.

        index = Index.build("my-index", model, read_patents("patents/"))
        for hit in index.search("A valve comprising a plunger biased by a spring"):
            print(hit.document, hit.score, hit.passages[0].text)

    Open it again with `Index.open("my-index")`. It ranks by centers, words and vectors of whole passages, added up (`combined`), as
    far as it keeps them; `ranking="centers"`, `"words"` or `"vectors"` ranks by one of them. What it shows is a snapshot: changes
    that others commit become visible with `refresh`.
    """

    def __init__(
        self,
        store: IndexStore,
        model: SparseCoverage,
        scoring: ScoringConfig,
        threads: int | None = None,
        ranking: str = "combined",
    ) -> None:
        self.model = model
        self._threads = threads
        self._scoring = scoring
        self._asked = ranking
        self._show(store)

    @classmethod
    def build(
        cls,
        folder: str | Path,
        model: SparseCoverage | Callable[[], SparseCoverage],
        documents: Iterable[Document],
        *,
        by: By | None = None,
        without: Sequence[str] | None = None,
        scoring: ScoringConfig | None = None,
        total: int | None = None,
        on_repeat: Callable[[Patent], None] | None = None,
    ) -> Index:
        """Index documents into a new folder, by passage (the default), section or whole document.

        A document is a patent, an (id, text) pair, or a plain text, whose id is its position: "0", "1" and so on. Streams.
        After an interruption, building into the same
        folder again passes over what is in it already. Equal passages are encoded once. `without` says what not to keep of passages
        beside their centers, `words` or `vectors` or both (by default as the model says: nothing is left out, but with the preset
        `paper` both). `total`: how many documents there are,
        for the estimate of the time left. Of documents with one id the first is kept; `on_repeat` is told of the others.

        All documents are read first and can be found by their words from then on; one after the other they are encoded, and then
        found by centers and vectors too. `model` may be a function that is called in between; then `by` must be given.
        """
        from sparse_coverage.search.building import build_index, forget_sample, remember_sample

        if callable(model) and by is None:
            raise InputError("Where the model is made later, say how documents are cut: by=...")
        learned = build_index(
            Path(folder),
            model,
            documents,
            by=by or model.by,  # type: ignore[union-attr]
            without=without,
            total=len(documents) if total is None and isinstance(documents, Sized) else total,
            remember=lambda model, known: remember_sample(folder, model, known),
            on_repeat=on_repeat,
        )
        forget_sample(folder)
        return cls.open(folder, scoring=scoring, encoder=learned.encoder)

    @classmethod
    def learn(
        cls,
        folder: str | Path,
        documents: Documents | str | Path,
        *,
        encoder: str | Encoder = DEFAULT_ENCODER,
        preset: str | Preset = DEFAULT_PRESET,
        by: By | None = None,
        threads: int | None = None,
        scoring: ScoringConfig | None = None,
    ) -> Index:
        """Learn a model from documents and index them with it, each passage encoded once.

        The documents are read twice: give a path (a file, folder, pattern or archive), a list, or a function that opens them.
        What `SparseCoverage.fit` and `build` do one after the other, in half the time. Interrupted, the same call goes on where
        it stopped.
        """
        from sparse_coverage.search.building import learn_for

        if isinstance(documents, str | Path):
            from sparse_coverage.patents import read_patents
            from sparse_coverage.patents.reading.context import log_problem

            documents = partial(
                read_patents, documents, on_problem=cache(log_problem)
            )  # each told once, though read twice
        if isinstance(documents, Iterator):
            raise InputError(
                "Learning and indexing read the documents twice, but these can be read only once. Give a path, a list, or a "
                "function that opens them: Index.learn(folder, lambda: read_patents(path))."
            )
        cut = by or (get_preset(preset) if isinstance(preset, str) else preset).by
        learn = partial(learn_for, folder, documents, encoder=encoder, preset=preset, by=cut, threads=threads)
        read = documents() if callable(documents) else documents
        return cls.build(folder, learn, read, by=cut, scoring=scoring)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        scoring: ScoringConfig | None = None,
        encoder: Encoder | None = None,
        threads: int | None = None,
        ranking: str = "combined",
    ) -> Index:
        """Open an index. `ranking` and `scoring` change how it ranks; nothing on disk depends on them.

        By default it ranks by all that it keeps, centers as its model says, on all cores. An index whose build is under way can be
        opened as soon as it holds the words of documents; what is not encoded yet is found by words alone.
        """
        folder = Path(folder)
        store = open_store(folder, unfinished=True)
        if not store.state.documents:
            require_finished(folder, store.state)
        model = load_model(folder, store.state, encoder, threads)
        return cls(store, model, scoring or model.scoring, threads, ranking)

    def __len__(self) -> int:
        """Return the number of indexed passages."""
        return self.store.state.passages

    @property
    def name(self) -> str:
        """What it ranks by, as `ranking`."""
        return self.ranking

    @property
    def ranking(self) -> str:
        """What it ranks by: `combined`, or the one part that was asked for, or that alone is kept."""
        parts = self.parts
        return parts[0] if len(parts) == 1 else "combined"

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that its scores add up: some of `centers`, `words` and `vectors`."""
        return parts_of(self._asked, self.store.state)

    def ranked_by(self, ranking: str | None) -> Index:
        """Return the same state of the index, ranked by something else; None for the index itself."""
        if ranking in (None, self._asked):
            return self
        other = self._as_it_is()
        other._asked = ranking
        require_parts(other.parts, other.store)
        return other

    def _as_it_is(self) -> Index:
        return copy(self)  # one reference is all that a refresh changes, so that no answer is of two states

    @property
    def coverage(self) -> Index:
        """The index itself."""
        return self

    @property
    def store(self) -> IndexStore:
        """The files behind the index, as they were when it was opened or refreshed."""
        return self._combined.store

    @property
    def explanations(self) -> Explanations:
        """What explains, and ranks, the state that the index shows."""
        return self._combined.explanations

    @property
    def statistics(self) -> CenterStatistics:
        """The idf of each center and which are stop centers."""
        return self.explanations.ranker.statistics

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
        ranking: str | None = None,
    ) -> list[list[Hit]]:
        """Return the `k` best documents of a query, each with its best `passages`; for several queries, a list each.

        `filter` says what may be found at all, `aggregation` how passages make a document's score (by default as the
        scoring's `rank` says), `marks` what was marked as relevant or not in earlier results, `ranking` what to rank by, where it is
        not what the index was opened with. One query is shared out over the cores; of several, each core takes its own.
        """
        require_counts(k=k, passages=passages)
        index = self._as_it_is().ranked_by(ranking)
        return index._documents(queries, k, passages, as_filter(filter), aggregation, marks)

    def _documents(
        self,
        queries: list[str],
        k: int,
        passages: int,
        condition: Filter | None,
        aggregation: Aggregation | None = None,
        marks: Marks | None = None,
    ) -> list[list[Hit]]:
        combined, asked = self._combined, (self.parts, condition, marks, aggregation)
        if len(queries) == 1:
            return [combined.hits(combined.rank(queries[0], *asked, k), k, passages).hits]
        return combined.search_several(queries, *asked, k, passages)

    def _ranked(
        self, query: str, k: int, passages: int, condition: Filter | None, marks: Marks | None
    ) -> ExplainedHits:
        combined = self._combined
        return combined.hits(combined.rank(query, self.parts, condition, marks, None, k), k, passages)

    def _explained(
        self, query: str, ids: list[str], condition: Filter | None, marks: Marks | None, matches: bool
    ) -> Explained:
        if not matches:
            return {}, self.reasons(query, ids, filter=condition, marks=marks)
        each = tracked(ids, "Explaining passages", len(ids))
        return {id_: self.explain(query, id_, filter=condition, marks=marks) for id_ in each}, {}

    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        state = self._as_it_is()
        combined, parts = state._combined, state.parts
        if parts == ("centers",):
            return combined.best_by_centers(queries, k, condition)
        return [combined.passages(combined.rank(one, parts, condition, None), k) for one in queries]

    def rerank_passages(
        self,
        query: str,
        documents: int = 100,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[PassageHit]:
        """Rank all passages of the best `documents` by their own scores: the paper's two stages.

        Passages without any score come last, in corpus order.
        """
        require_counts(documents=documents)
        state = self._as_it_is()
        combined = state._combined
        ranked = combined.rank(query, state.parts, as_filter(filter), None, None, documents)
        return combined.passages(ranked, None, documents)

    def explain(
        self,
        query: str,
        id_: str,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        marks: Marks | None = None,
        ranking: str | None = None,
    ) -> Explanation:
        """Explain a passage's score, or that of a document's best passage, by id. `filter`, `marks`, `ranking`: those of the search."""
        state = self._as_it_is().ranked_by(ranking)
        return state._combined.explain(query, id_, state.parts, as_filter(filter), marks)

    def reasons(
        self,
        query: str,
        passages: Sequence[str],
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        marks: Marks | None = None,
    ) -> dict[str, Reasons]:
        """Return the reasons of passages by id, as `explain` gives them one by one, without the matches behind them: much quicker."""
        state = self._as_it_is()
        return state._combined.reasons(query, passages, state.parts, as_filter(filter), marks)

    def closeness(
        self,
        query: str,
        documents: Sequence[str],
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        marks: Marks | None = None,
    ) -> dict[str, Closeness]:
        """Say how close documents are to a query, by id: `close`, `related` or `weak`; nothing where that was not measured.

        It was measured for some encoders (`part_scores.SCALES`), and takes the words and the vectors of passages.
        """
        state = self._as_it_is()
        return state._combined.closeness(query, documents, state.parts, as_filter(filter), marks)

    def touched(self, features: Sequence[str], documents: Sequence[str]) -> dict[str, tuple[Touch, ...]]:
        """Return what documents have of each feature of a claim, by id: by the words of the index; nothing where it keeps none.

        The vectors of passages and of sentences tell less (`benchmarks/touched.py`).
        """
        combined = self._as_it_is()._combined
        store = combined.store
        if not store.state.words:
            return {}
        numbers = [require_document(store, id_) for id_ in documents]
        found: dict[str, tuple[Touch, ...]] = dict.fromkeys(documents, ())
        for feature in features:
            for id_, (share, number) in zip(documents, combined.words.shares(feature, numbers), strict=True):
                best = store.passage(number) if share >= SOME else None
                touch = Touch(share, best.id, best.section, best.number) if best else Touch(share)
                found[id_] = (*found[id_], touch)
        return found

    def explain_best(self, query: str, document: str, count: int) -> dict[str, Explanation]:
        """Explain the `count` paragraphs and claims of a document that score best, by their ids, best first."""
        state = self._as_it_is()
        return state._combined.best_of(query, require_document(state.store, document), state.parts, count)

    def answers(self, query: str, document: str) -> Answers:
        """Set a whole document against a query: the strongest match of each span, and the spans that find nothing in it."""
        return self.explanations.answers(query, document)

    def add(
        self,
        documents: Iterable[Document],
        *,
        replace: bool = False,
        skip_known: bool = False,
        total: int | None = None,
        on_repeat: Callable[[Patent], None] | None = None,
    ) -> int:
        """Add documents, all or none; with `replace`, ones that are there already get their new version, with `skip_known` they stay as
        they are, else they are an error. Return how many were added.

        They are given as to `build`; plain texts, whose ids are their positions, are better given with ids of their own. Passages
        that a new version shares with the old one are not encoded again. `total`: how many documents there are, if known.
        `on_repeat` is told of ids that come again in `documents`, as in `build`.
        """
        from sparse_coverage.search.building import add_to_index

        how: dict[str, Any] = {"replace": replace, "skip_known": skip_known, "total": total, "on_repeat": on_repeat}
        count, _ = add_to_index(self.store.folder, self.model, documents, **how)
        self._show_committed()
        return count

    def delete(self, ids: Sequence[str]) -> int:
        """Delete documents by publication id, all or none: an id that is not there is an error. Return how many."""
        from sparse_coverage.index import delete_documents

        delete_documents(self.store.folder, ids)
        self._show_committed()
        return len(ids)

    def merge(self) -> None:
        """Rewrite the index with as few segments as possible and without what was deleted. Results stay the same."""
        from sparse_coverage.index import merge_index

        merge_index(self.store.folder)
        self._show_committed()

    def refresh(self) -> None:
        """Show the newest committed state."""
        store = open_store(self.store.folder, unfinished=True)
        if len(self.model.vocabulary):
            require_fit(store.folder, store.state, self.model)
        else:  # a build was under way; by now it may have its model
            self.model = load_model(store.folder, store.state, None, self._threads)
            self._scoring = self.model.scoring
        self._show(store)

    def _show_committed(self) -> None:
        """Show what was committed a moment ago; an error says that it was."""
        try:
            self.refresh()
        except (OSError, IndexStoreError) as error:
            raise IndexStoreError(f"The change is made, but the new state cannot be shown: {error}") from error

    def scores(self, vector: SparseVector) -> Floats:
        """Return the score of every passage for a query vector, in corpus order."""
        return self.explanations.ranker.scores(vector)

    def forget(self) -> None:
        """Let go of the last ranking of this thread, which is kept for what is asked about its hits."""
        self._combined.forget()

    def warm_up(self) -> None:
        """Compile what searching needs, or load it from the cache, so that the first query does not wait for it."""
        self.explanations.ranker.warm_up()

    def _show(self, store: IndexStore) -> None:
        require_parts(parts_of(self._asked, store.state), store)
        ranker = Ranker(store, self._scoring, self._threads)
        self._combined = CombinedRanker(Explanations(ranker, self.model))
