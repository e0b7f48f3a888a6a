"""What evaluation works on: collections with queries and judgements, and the rankings that are measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent
from sparse_coverage.patents.passages import By


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its text, the document it was taken from (if any) and how many claims it is made of (0: not of claims)."""

    id: str
    text: str
    document: str = ""
    claims: int = 0


@dataclass(frozen=True, slots=True)
class Relevance:
    """What is relevant to one query: documents with their grades, and the relevant passages of each document.

    A grade of 1 or more means relevant. A judged passage stays here even where the corpus does not hold it: it is a miss.
    """

    grades: Mapping[str, int]
    passages: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def documents(self) -> frozenset[str]:
        """The relevant documents."""
        return frozenset(document for document, grade in self.grades.items() if grade > 0)


Judgements = Mapping[str, Relevance]


def graded(judged: Iterable[tuple[str, str, int]]) -> dict[str, Relevance]:
    """Gather judgements of query, document and grade. A grade below 0 counts as 0; a pair judged twice keeps its higher grade.

    >>> graded([("q", "a", 1), ("q", "b", -1), ("q", "a", 2)])["q"].grades
    {'a': 2, 'b': 0}
    """
    grades: dict[str, dict[str, int]] = {}
    for query, document, grade in judged:
        known = grades.setdefault(query, {})
        known[document] = max(0, grade, known.get(document, 0))
    return {query: Relevance(known) for query, known in grades.items()}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to one query: documents, best first, and the passages of the first documents, best first.

    The order counts, not the scores: equal scores are already in their final order.
    """

    documents: tuple[str, ...]
    scores: tuple[float, ...] = ()
    passages: tuple[str, ...] = ()
    passage_documents: tuple[str, ...] = ()
    passage_scores: tuple[float, ...] = ()


Run = Mapping[str, Ranking]


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Documents, queries and judgements of a test collection, whatever files they came from.

    `documents` starts a new reading of the documents each time it is called; `by` says what one indexed passage is.
    `excluded` names, for a query, the documents that are no candidates for it: its own and those of its family.
    `notes` tells what was left out on the way in, for people; `candidates` is how many documents there should be, where
    that is known before they are read; `problems` gathers what could not be read, as it happens.
    """

    name: str
    documents: Callable[[], Iterator[Patent]]
    queries: tuple[Query, ...]
    judgements: Judgements
    by: By = "passage"
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    candidates: int | None = None
    problems: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for query in self.queries:
            if query.id in seen:
                raise InputError(
                    f"The query '{query.id}' comes twice in the collection '{self.name}'. Remove one of them."
                )
            seen.add(query.id)

    @property
    def judged(self) -> tuple[Query, ...]:
        """The queries with at least one relevant document, which are those that count."""
        return _judged(self.queries, self.judgements)

    @property
    def has_passages(self) -> bool:
        """Whether passages are judged too."""
        return any(relevance.passages for relevance in self.judgements.values())


def judged_note(queries: tuple[Query, ...], judgements: Judgements) -> str:
    """Return the note that says how many of the queries count."""
    return f"{len(queries)} queries, {len(_judged(queries, judgements))} of them judged"


def _judged(queries: tuple[Query, ...], judgements: Judgements) -> tuple[Query, ...]:
    return tuple(query for query in queries if query.id in judgements and judgements[query.id].documents)
