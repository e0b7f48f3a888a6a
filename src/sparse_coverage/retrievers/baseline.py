"""A baseline: a side of the index, a scorer that ranks by it, and a retriever that ranks documents by their passages."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from sparse_coverage.aggregation import document_scores, parse_aggregation
from sparse_coverage.errors import InputError
from sparse_coverage.files import require_free
from sparse_coverage.index import (
    Filter,
    IndexedPassage,
    IndexStore,
    PassageRecord,
    allowed_passages,
    open_store,
)
from sparse_coverage.index.sides import Block, Side, open_blocks, refresh_side
from sparse_coverage.kernels import Floats, Int64s, Mask
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By, Document, as_patents
from sparse_coverage.progress import tracked
from sparse_coverage.search import Explanation, Hit, Marks, PassageHit
from sparse_coverage.search.reasons import reasons_for
from sparse_coverage.search.results import Match, Reasons
from sparse_coverage.search.searcher import Explained, PassageSearcher, as_filter
from sparse_coverage.search.stored import require_document
from sparse_coverage.vectors import SparseVector

Scores = Floats


class Scorer(Protocol):
    """Scores every text of some blocks for a query, in order."""

    def scores(self, query: str, allowed: Mask | None = None) -> Scores:
        """Return the score of every text; minus infinity where it has nothing of the query.

        Texts that `allowed` leaves out may get any score: the caller leaves them out too. They need not be computed.
        """
        ...

    def cost(self, query: str) -> int:
        """Return what the query costs: postings scanned, or similarities computed."""
        ...


@runtime_checkable
class EvidentScorer(Scorer, Protocol):
    """A scorer that can say what the score of a text is made of."""

    def evidence(self, query: str, text: str) -> tuple[Match, ...]:
        """Return what words of a query and a text add to its score; what it does not name is general similarity."""
        ...


class RankingSide(Side):
    """A side that can rank: it gives a scorer over its blocks."""

    @abstractmethod
    def scorer(self, blocks: Sequence[Block]) -> Scorer:
        """Return a scorer over blocks, one after the other."""


_NONE = np.zeros(0, dtype=np.int32)
_NO_CENTERS = SparseVector(_NONE, np.zeros(0, dtype=np.float32), _NONE, _NONE, _NONE, 0, 0)


class _OfThread(threading.local):
    """What a thread explained last: its query and filter, and the scores."""

    last: tuple[tuple[str, Filter | None], Scores] | None = None


class Baseline(PassageSearcher):
    """Searches the texts of an index by one of its sides.

        splade = Baseline.build("splade-index", Splade(), read_patents("patents/"))
        splade.search("A valve comprising a plunger biased by a spring")

    Open it again with `Baseline.open("splade-index", Splade())`. A side of an index of Sparse Coverage is opened in the same way,
    or by its name with `open_retriever`.
    """

    def __init__(self, store: IndexStore, side: RankingSide, rank: str = "best") -> None:
        self._store = store
        self.side = side
        self._aggregation = parse_aggregation(rank)
        self._scorer = side.scorer(open_blocks(store, side))
        self._starts = store.document_starts
        self._local = _OfThread()

    @classmethod
    def build(
        cls, folder: str | Path, side: RankingSide, documents: Iterable[Document], *, by: By = "passage"
    ) -> Baseline:
        """Write documents and what a side keeps of them into a new folder, by passage, section or whole document.

        Documents are patents, texts or (id, text) pairs. The side is a running encoder, with the checkpoint of your choice.
        """
        _write_texts(Path(folder), as_patents(documents), by)
        store = open_store(Path(folder))
        refresh_side(store, side)
        return cls(store, side)

    @classmethod
    def open(cls, folder: str | Path, side: RankingSide, *, rank: str = "best") -> Baseline:
        """Open an index by one of its sides. `rank`: how passages make a document's score, as in `ScoringConfig`."""
        return cls(open_store(Path(folder)), side, rank)

    def __len__(self) -> int:
        """Return the number of passages."""
        return self.store.state.passages

    @property
    def name(self) -> str:
        """The kind of the side."""
        return self.side.kind

    @property
    def store(self) -> IndexStore:
        """The files behind the index, as they were when it was opened."""
        return self._store

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        allowed = self._allowed(condition)
        return [self._best_documents(self._scores(query, allowed), allowed, k, passages) for query in queries]

    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        allowed = self._allowed(condition)
        scores_of_queries = (self._scores(query, allowed) for query in queries)
        return [self._passage_hits(best_places(scores, k), scores) for scores in scores_of_queries]

    def explain(
        self,
        query: str,
        id_: str,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        marks: Marks | None = None,
    ) -> Explanation:
        """Explain a passage's score, or that of a document's best passage, by id. Its reasons add up to the score."""
        if marks:
            raise InputError(f"Marks change what centers find, and {self.name} does not rank by them.")
        scores = self._scored(query, as_filter(filter))
        number = self.store.find_passage(id_)
        if number is None:
            own = self.store.passages_of(require_document(self.store, id_))
            if not len(own):
                raise InputError(f"The document '{id_}' has no passages.")
            number = max(own, key=lambda place: (scores[place], -place))
        record = self.store.passage(number)
        score = max(float(scores[number]), 0.0) if np.isfinite(scores[number]) else 0.0
        evident = score and isinstance(self._scorer, EvidentScorer)
        matches = self._scorer.evidence(query, record.text) if evident else ()  # type: ignore[attr-defined]
        phrases = reasons_for(query, record.text, matches).phrases if matches else ()
        reasons = Reasons(phrases, similarity=score - sum(reason.contribution for reason in phrases))
        return Explanation(query, PassageHit.of(record, score), matches, (), reasons=reasons)

    def _explained(
        self, query: str, ids: list[str], condition: Filter | None, marks: Marks | None, matches: bool
    ) -> Explained:
        each = tracked(ids, "Explaining passages", len(ids))
        return {id_: self.explain(query, id_, filter=condition) for id_ in each}, {}

    def _scored(self, query: str, condition: Filter | None) -> Scores:
        """Return the scores of a query; the last ones are kept, because the passages of one page are explained one after the other."""
        last = self._local.last
        if last is None or last[0] != (query, condition):
            self._local.last = last = ((query, condition), self._scores(query, self._allowed(condition)))
        return last[1]

    def _allowed(self, condition: Filter | None) -> Mask | None:
        """Return which passages may be found, or None where all may."""
        if condition is None:
            return None if self.store.live_passages.all() else self.store.live_passages
        return np.asarray(self.store.live_passages & allowed_passages(self.store, condition).view(bool))

    def _scores(self, query: str, allowed: Mask | None) -> Scores:
        """Return the score of every passage; minus infinity where it may not be found."""
        scores = self._scorer.scores(query, allowed)
        if allowed is not None:
            scores[~allowed] = -np.inf
        return scores

    def _best_documents(self, scores: Scores, allowed: Mask | None, k: int, passages: int) -> list[Hit]:
        documents = np.flatnonzero(np.diff(self._starts))  # a document without passages cannot be found
        starts = self._starts[documents]
        made = document_scores(scores, starts, self._aggregation, allowed) if len(documents) else scores[:0]
        hits = []
        for place in best_places(made, k).tolist():
            number = int(documents[place])
            record = self.store.document(number)
            own = np.asarray(self.store.passages_of(number), dtype=np.int64)
            found = self._passage_hits(own[best_places(scores[own], passages)], scores)
            hits.append(Hit(record.id, record.title, float(made[place]), record.metadata, tuple(found)))
        return hits

    def _passage_hits(self, numbers: Int64s, scores: Scores) -> list[PassageHit]:
        return [PassageHit.of(self.store.passage(number), float(scores[number])) for number in numbers.tolist()]


def best_places(scores: Scores, k: int) -> Int64s:
    """Return the places of the k best scores, best first, ties to the lowest place; minus infinity is no score.

    >>> best_places(np.array([0.5, 0.9, -np.inf, 0.9], dtype=np.float32), 3).tolist()
    [1, 3, 0]
    """
    if k < len(scores):
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        chosen = np.flatnonzero((scores >= threshold) & (scores > -np.inf))
    else:
        chosen = np.flatnonzero(scores > -np.inf)
    return chosen[np.argsort(-scores[chosen], kind="stable")[:k]].astype(np.int64)


def _write_texts(folder: Path, documents: Iterable[Patent], by: By) -> None:
    """Write documents and their passages into a new index without a single center: the texts are all a side needs."""
    from sparse_coverage.index import IndexWriter
    from sparse_coverage.search.building import document_record

    require_free(folder)
    count = 0
    with IndexWriter.create(folder, 1, {"by": by}) as writer:
        for patent in tracked(documents, "Reading documents"):
            records = [PassageRecord.of(one) for one in passages(patent, by=by)]
            if records:
                writer.add(document_record(patent), [IndexedPassage(record, _NO_CENTERS) for record in records])
                count += 1
        if not count:
            raise InputError("There is nothing to index: the input holds no text.")
        writer.merge()
