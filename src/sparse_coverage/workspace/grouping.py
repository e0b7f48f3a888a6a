"""Results grouped by family (one row for all publications of an invention), and counted by country, year, class and applicant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.index.filters import allowed_documents, family
from sparse_coverage.index.stored_fields import strings
from sparse_coverage.kernels import Mask
from sparse_coverage.patents.numbers import parse_number
from sparse_coverage.search.results import Hit

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
        if self._allowed is None:
            live = [np.zeros(0, dtype=bool), *(segment.live_documents for segment in store.segments)]
            every = np.concatenate(live)
            self._allowed = every if self._condition is None else every & allowed_documents(store, self._condition)
        found = []
        bound = family(hit.document).bound(store)
        for segment in store.segments:
            mask, _ = bound.mask(segment)
            first = segment.first_document
            mask = mask & self._allowed[first : first + len(mask)]
            found += [store.document(first + number).id for number in np.flatnonzero(mask).tolist()]
        return found


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
