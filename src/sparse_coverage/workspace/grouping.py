"""What is made of the results of a search: families, facets, how close they are; and what an expression alone finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.index.filters import Family, Joined, Words, allowed_documents
from sparse_coverage.index.stored_fields import family_names, strings
from sparse_coverage.index.words import WORD_FIELDS, some_words
from sparse_coverage.kernels import Mask
from sparse_coverage.patents.numbers import parse_number
from sparse_coverage.search import Retriever
from sparse_coverage.search.part_scores import LEVELS, at_least
from sparse_coverage.search.results import Hit, PassageHit
from sparse_coverage.search.searcher import Searcher
from sparse_coverage.text import NAMES, guess_language
from sparse_coverage.workspace.requests import SearchRequest

_LOOKED_AT = 24
"""How many passages of an index are looked at to know its language."""
FACETS = ("country", "year", "class", "applicant")
Members = Callable[[Hit], Iterable[str]]
"""Gives the documents of a hit's family, itself among them or not."""


class FamilyMembers:
    """Looks families up in an index: the documents that `family:` would let through, of those that `condition` does."""

    def __init__(self, store: IndexStore, condition: Filter | None = None) -> None:
        self._store = store
        self._condition = condition
        self._allowed: Mask | None = None

    def __call__(self, hit: Hit) -> list[str]:
        """Return the ids of a hit's family in corpus order, itself included."""
        store = self._store
        if self._allowed is None and self._condition is not None:
            self._allowed = allowed_documents(store, self._condition)
        found = []
        own = Family(hit.document, tuple(family_names(hit.document, hit.metadata)))
        for segment in store.segments:
            numbers = own.numbers(segment)
            every = numbers[segment.live_documents[numbers]] + segment.first_document
            found += every.tolist() if self._allowed is None else every[self._allowed[every]].tolist()
        return [store.document(number).id for number in found]


def by_family(search: Callable[[int], list[Hit]], k: int, members: Members) -> list[Hit]:
    """Return the k best families: of each the best document, with the others named as its `members`.

    `search` gives so many of the best documents. It is asked for more until there are k families, so a family takes one
    place and no more, however many of its documents are among the best.
    """
    depth = k + max(5, k // 2)
    while True:
        hits = search(depth)
        rows: list[Hit] = []
        seen: set[str] = set()
        for hit in hits:
            if hit.document not in seen:
                family_of = list(members(hit))
                others = tuple(id_ for id_ in family_of if id_ != hit.document and id_ not in seen)
                seen.update(others, [hit.document])
                rows.append(replace(hit, members=others))
                if len(rows) == k:
                    return rows
        if len(hits) < depth:
            return rows
        depth *= 2


def count_facets(hits: Iterable[Hit]) -> dict[str, dict[str, int]]:
    """Count documents by each facet, most first. A document with two applicants or subclasses counts for both.

    >>> known = {"publication_date": "2001-05-17", "ipc": ["H04N 5/44", "H04N 7/01"], "cpc": ["G06F 3/01"]}
    >>> count_facets([Hit("EP-0049154-A1", "Valve", 1.0, known, ())])
    {'country': {'EP': 1}, 'year': {'2001': 1}, 'class': {'G06F': 1, 'H04N': 1}, 'applicant': {}}
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for hit in hits:
        for name, values in _facets_of(hit.document, hit.metadata).items():
            counts[name].update(values)
    return {name: dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))) for name, found in counts.items()}


def _facets_of(id_: str, metadata: Mapping[str, Any]) -> dict[str, set[str]]:
    number = parse_number(id_)
    year = str(metadata.get("publication_date") or "")[:4]
    return {
        "country": {number.country} if number else set(),
        "year": {year} if year else set(),
        "class": {symbol[:4] for scheme in ("ipc", "cpc") for symbol in strings(metadata.get(scheme))},
        "applicant": set(strings(metadata.get("applicants"))),
    }


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
    def name(self) -> str:
        """What the order is called."""
        return "newest first"

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


def language_warning(store: IndexStore, query: str) -> str:
    """Warn where a query is in a language that hardly anything in the index is in: texts of two languages do not match."""
    asked = guess_language(query)
    live = np.flatnonzero(store.live_passages)
    if not asked or not len(live):
        return ""
    places = np.unique(np.linspace(0, len(live) - 1, _LOOKED_AT).astype(np.int64))
    found = Counter(guess_language(store.passage(number).text) for number in live[places].tolist())
    del found[""]
    if not found or found[asked] > found.total() / 10:
        return ""
    here = found.most_common(1)[0][0]
    if (encoder := _encoder_knowing(store, asked, here)) is not None:
        return (
            f"The query seems to be in {NAMES[asked]}, and the index in {NAMES[here]}: they are compared by the vectors of whole "
            f"passages ({encoder}), which know both, and hardly by words."
        )
    return (
        f"Warning: the query seems to be in {NAMES[asked]}, and the index in {NAMES[here]}. Texts in two languages hardly "
        f"match: translate the query into {NAMES[here]}."
    )


def _encoder_knowing(store: IndexStore, *languages: str) -> str | None:
    """Return the name of the encoder of whole passages where it is known to know some languages."""
    from sparse_coverage.encoding.catalogue import CATALOGUE
    from sparse_coverage.model import read_settings
    from sparse_coverage.search.own_model import MODEL_FOLDER

    home = store.folder / MODEL_FOLDER
    name = (read_settings(home).get("vectors") or [""])[0] if home.is_dir() else ""
    known = CATALOGUE[name].languages.split() if name in CATALOGUE else []
    return name if all(language in known for language in languages) and known else None


def with_closeness(
    retriever: Retriever,
    query: str,
    hits: Sequence[Hit],
    condition: Filter | None,
    request: SearchRequest,
    notes: list[str],
) -> list[Hit]:
    """Return hits with how close each is to the query, without those that are not close enough; tell where none is close."""
    index, wanted = retriever.coverage, request.at_least
    if index is None or not (request.reasons or wanted):
        return list(hits)
    levels = index.closeness(query, [hit.document for hit in hits], filter=condition, marks=request.marks or None)
    if not levels and hits:
        if wanted and not index.store.state.encoded_documents:
            raise InputError(
                "Nothing is encoded yet, so it is not known how close documents are. Leave --at-least out until then."
            )
        if wanted:
            raise InputError(
                "How close documents are was measured for the encoders minilm and gte-small, and for an index that keeps words and "
                "vectors; not for this one. Leave --at-least out."
            )
        return list(hits)
    found = [replace(hit, closeness=levels[hit.document]) for hit in hits]
    if found and not any(hit.closeness == "close" for hit in found):
        best = min((hit.closeness for hit in found), key=LEVELS.index)
        notes.append(f"Nothing close was found: the nearest is {'only ' if best == 'weak' else ''}{best}.")
    return [hit for hit in found if not wanted or at_least(hit.closeness, wanted)]
