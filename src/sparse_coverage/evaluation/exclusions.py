"""Who is no candidate for a query: the document it was taken from, where it is one of the corpus, and that document's family."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from sparse_coverage.evaluation.collection import Judgements, Relevance
from sparse_coverage.patents import Patent
from sparse_coverage.patents.numbers import application_of, printed_id

_KIND = re.compile(r"-[A-Z]\d?$")


class HasFamily(Protocol):
    """A document of which only id and family are known."""

    @property
    def id(self) -> str:
        """The publication id."""

    @property
    def family(self) -> str:
        """The family's number, or nothing."""


def same_application(document: str) -> str:
    """Return a publication id without its kind: EP-1246167-A1 and EP-1246167-B1 are one application.

    >>> same_application("EP-1246167-A1")
    'EP-1246167'
    """
    return application_of(document) or _KIND.sub("", document)


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


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """Title and text of a query, to be found again in the document it was taken from."""

    title: str
    text: str

    @property
    def joined(self) -> str:
        """The query: title and text, whichever there are."""
        return "\n".join(part for part in (self.title, self.text) if part)

    def is_from(self, patent: Patent) -> bool:
        """Tell whether a document of the same id is where the query comes from: it has its title or its text."""
        title, text = " ".join(self.title.split()), " ".join(self.text.split())
        own = " ".join(" ".join(part.text for part in patent.abstract).split())
        return bool(title and title == patent.title) or bool(text and text == own)


def own_families(
    queries: Mapping[str, OwnDocument], documents: Callable[[], Iterator[Patent]]
) -> dict[str, frozenset[str]]:
    """Return, for each query that is a document, that document and its family.

    Such a query has the id of a document and its title or text; equal ids alone say nothing (Cranfield's queries 1, 2, 3
    are not its documents 1, 2, 3).
    """
    named = {printed_id(id_): id_ for id_ in queries}
    own = {
        named[patent.id]: patent
        for patent in documents()
        if patent.id in named and queries[named[patent.id]].is_from(patent)
    }
    if not own:
        return {}
    families = Families(documents())
    return {id_: families.of(patent) for id_, patent in own.items()}


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
