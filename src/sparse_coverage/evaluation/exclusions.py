"""Who is no candidate for a query: the document it was taken from, and that document's family."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol

from sparse_coverage.evaluation.collection import Judgements, Relevance
from sparse_coverage.patents import Patent

_KIND = re.compile(r"-[A-Z]\d?$")


class HasFamily(Protocol):
    """A document of which only id and family are known."""

    @property
    def id(self) -> str:
        """The publication id."""
        ...

    @property
    def family(self) -> str:
        """The family's number, or nothing."""
        ...


def same_application(document: str) -> str:
    """Return a publication id without its kind: EP-1246167-A1 and EP-1246167-B1 are one application.

    >>> same_application("EP-1246167-A1")
    'EP-1246167'
    """
    return _KIND.sub("", document)


class Families:
    """The candidates by application and by family. Reads them once and keeps ids alone, however many there are."""

    def __init__(self, candidates: Iterable[HasFamily]) -> None:
        self._by_application: dict[str, list[str]] = defaultdict(list)
        self._by_family: dict[str, list[str]] = defaultdict(list)
        for candidate in candidates:
            self._by_application[same_application(candidate.id)].append(candidate.id)
            if candidate.family:
                self._by_family[candidate.family].append(candidate.id)

    def of(self, document: Patent, named: Iterable[str] = ()) -> frozenset[str]:
        """Return the ids among the candidates that are the document itself, its other publications or its family.

        Family is what the documents say (the same family number, or members listed) and what `named` adds.
        """
        numbers = {same_application(id_) for id_ in (document.id, *document.family_members, *named)}
        found = {id_ for number in numbers for id_ in self._by_application.get(number, ())}
        return frozenset(found.union(self._by_family.get(document.family, ())))


def without_excluded(judgements: Judgements, excluded: Mapping[str, frozenset[str]]) -> tuple[Judgements, int]:
    """Return the judgements of candidates only, and how many judged documents were not: a query never looks for its family."""
    kept = {}
    dropped = 0
    for query, relevance in judgements.items():
        out = excluded.get(query, frozenset())
        grades = {document: grade for document, grade in relevance.grades.items() if document not in out}
        dropped += len(relevance.grades) - len(grades)
        kept[query] = Relevance(grades, {doc: ids for doc, ids in relevance.passages.items() if doc not in out})
    return kept, dropped
