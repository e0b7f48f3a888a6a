"""Results by family: one row for all publications of an invention, at the place of the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from sparse_coverage.index import Filter, IndexStore
from sparse_coverage.index.filters import allowed_documents, family
from sparse_coverage.kernels import Mask
from sparse_coverage.search.results import Hit

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
