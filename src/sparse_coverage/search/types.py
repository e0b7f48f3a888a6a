"""What crosses the door of this room: hits, explanations, and the protocol of everything that answers a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, overload

Queries = list[str] | tuple[str, ...]
"""Several queries. Not any sequence: a plain string is one query, and a sequence of strings too."""


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage with its score."""

    id: str
    document: str
    section: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A document with its score and its best passages, best first."""

    document: str
    title: str
    score: float
    metadata: Mapping[str, Any]
    passages: tuple[PassageHit, ...]


class Retriever(Protocol):
    """Anything that ranks documents for queries: Sparse Coverage, a baseline, a fusion of several, a remote engine."""

    @overload
    def search(self, queries: str, k: int = ...) -> list[Hit]: ...

    @overload
    def search(self, queries: Queries, k: int = ...) -> list[list[Hit]]: ...

    def search(self, queries: str | Queries, k: int = 10) -> list[Hit] | list[list[Hit]]:
        """Return the `k` best documents of each query, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a text: its characters and where they stand."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """One center that query and passage share: the spans that activated it and what it adds to the score.

    `contribution` = `query_weight` * `passage_weight` * `idf`^alpha / |S|^gamma.
    """

    center: int
    anchor: str
    query: Place
    passage: Place
    query_weight: float
    passage_weight: float
    idf: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a passage scored as it did: matches, strongest first, whose contributions add up to the score.

    `unmatched` are the spans of the query that found nothing in this passage.
    """

    query: str
    passage: PassageHit
    matches: tuple[Match, ...]
    unmatched: tuple[Place, ...]

    @property
    def score(self) -> float:
        """The passage's score."""
        return self.passage.score
