"""Searching with an expression alone: what it allows is ranked by its words, and where it has none the newest come first."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.index.filters import Joined, Words, allowed_documents
from sparse_coverage.index.words import WORD_FIELDS, some_words
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Searcher

_MOST_FORMS = 50
"""So many of the words that a truncated one stands for rank, the most frequent."""


def expression_words(store: IndexStore, filter_: Filter) -> list[str]:
    """Return the words that an expression asks for in texts, not those that it leaves out, for ranking what it finds."""
    found: list[str] = []
    if isinstance(filter_, Joined):
        for part in filter_.parts:
            found += expression_words(store, part)
    elif isinstance(filter_, Words) and WORD_FIELDS[filter_.field].stemmed:
        for phrase in some_words(filter_.wanted):
            if not any(mark in word for word in phrase.words for mark in "*?"):
                found += phrase.words
                continue
            forms = Counter[str]()
            for segment in store.segments:
                forms.update(segment.words.forms(phrase))
            found += [word for word, _ in forms.most_common(_MOST_FORMS)]
    return list(dict.fromkeys(found))


class Newest(Searcher):
    """Lists what a filter allows, the latest publication first and what has no date last."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store

    @property
    def store(self) -> IndexStore:
        """The state of the index that is listed."""
        return self._store

    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        store = self._store
        live = np.concatenate([segment.live_documents for segment in store.segments])
        numbers = np.flatnonzero(live if condition is None else allowed_documents(store, condition))
        dates = np.concatenate([segment.facts.dates[:, 0] for segment in store.segments])[numbers]
        best = numbers[np.argsort(-dates, kind="stable")][:k].tolist()
        return [[self._hit(number, passages) for number in best] for _ in queries]

    def _hit(self, number: int, passages: int) -> Hit:
        first, last = self._store.document_starts[number : number + 2].tolist()
        shown = [self._store.passage(one) for one in range(first, min(last, first + passages))]
        record = self._store.document(number)
        return Hit(record.id, record.title, 0.0, record.metadata, tuple(PassageHit.of(one, 0.0) for one in shown))
