"""A baseline as something to search with: documents ranked by their best passage, as Sparse Coverage ranks them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np

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
from sparse_coverage.kernels import Int64s, Mask
from sparse_coverage.patents import Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import tracked
from sparse_coverage.retrievers.side import Evidence, EvidentScorer, Scores, Side
from sparse_coverage.retrievers.sides import refresh_side, side_scorer
from sparse_coverage.search import Explanation, Hit, PassageHit
from sparse_coverage.search.phrases import Phrases
from sparse_coverage.search.reasons import reasons_for
from sparse_coverage.search.results import Place, Reason, Reasons
from sparse_coverage.search.searcher import PassageSearcher, as_filter
from sparse_coverage.search.stored import require_document
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vectors.aggregation import document_scores, parse_aggregation

_NONE = np.zeros(0, dtype=np.int32)
_NO_CENTERS = SparseVector(_NONE, np.zeros(0, dtype=np.float32), _NONE, _NONE, _NONE, 0, 0)


class _OfThread(threading.local):
    """What a thread explained last: its query and filter, and the scores."""

    last: tuple[tuple[str, Filter | None], Scores] | None = None


class Baseline(PassageSearcher):
    """Searches the texts of an index by one of its sides.

        bm25 = Baseline.build("bm25-index", Bm25(), read_patents("patents/"))
        bm25.search("A valve comprising a plunger biased by a spring")

    Open it again with `Baseline.open("bm25-index", Bm25())`. A side of an index of Sparse Coverage is opened in the same way,
    or by its name with `open_retriever`.
    """

    def __init__(self, store: IndexStore, side: Side, rank: str = "best") -> None:
        self.store = store
        self.side = side
        self._aggregation = parse_aggregation(rank)
        self._scorer = side_scorer(store, side)
        self._starts = store.document_starts
        self._local = _OfThread()

    @classmethod
    def build(cls, folder: str | Path, side: Side, documents: Iterable[Patent], *, by: By = "passage") -> Baseline:
        """Write patents and what a side keeps of them into a new folder, by passage, section or whole document."""
        _write_texts(Path(folder), documents, by)
        store = open_store(Path(folder))
        refresh_side(store, side)
        return cls(store, side)

    @classmethod
    def open(cls, folder: str | Path, side: Side, *, rank: str = "best") -> Baseline:
        """Open an index by one of its sides. `rank`: how passages make a document's score, as in `ScoringConfig`."""
        return cls(open_store(Path(folder)), side, rank)

    def __len__(self) -> int:
        """Return the number of passages."""
        return self.store.state.passages

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
    ) -> Explanation:
        """Explain a passage's score, or that of a document's best passage, by id. Its reasons add up to the score."""
        scores = self._scored(query, as_filter(filter))
        number = self.store.find_passage(id_)
        if number is None:
            own = self.store.passages_of(require_document(self.store, id_))
            if not len(own):
                raise InputError(f"The document '{id_}' has no passages.")
            number = max(own, key=lambda place: (scores[place], -place))
        record = self.store.passage(number)
        score = max(float(scores[number]), 0.0) if np.isfinite(scores[number]) else 0.0
        known = Evidence()
        if score and isinstance(self._scorer, EvidentScorer):
            known = self._scorer.evidence(query, number, record.text)
        reasons = side_reasons(query, record.text, known, score)
        return Explanation(query, PassageHit.of(record, score), known.matches, (), reasons=reasons)

    def _scored(self, query: str, condition: Filter | None) -> Scores:
        """Return the scores of a query once more where they were the last ones: the passages of a page are explained in turn."""
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


def side_reasons(query: str, text: str, known: Evidence, score: float) -> Reasons:
    """Return the reasons for a score from what is known of it: phrases, and as wording in general whatever is left.

    Where only words of the text are known to add, a reason has no phrase of the query.
    """
    if known.matches:
        phrases = reasons_for(query, text, known.matches).phrases
    else:
        sums: dict[Place, float] = {}
        find = Phrases.of(text).phrase
        for place, added in known.words:
            if (phrase := find(place)) is not None:
                sums[phrase] = sums.get(phrase, 0.0) + added
        strongest = sorted(sums.items(), key=lambda item: (-item[1], item[0].start))
        phrases = tuple(Reason(Place("", 0, 0), phrase, added) for phrase, added in strongest if added > 0)
    return Reasons(phrases, wording=score - sum(reason.contribution for reason in phrases))


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
