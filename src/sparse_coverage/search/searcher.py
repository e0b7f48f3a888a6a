"""What everything that ranks has in common: one query in, a list of hits out; several queries in, a list each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, IndexStore, parse_filter
from sparse_coverage.search.results import ExplainedHits, Explanation, Hit, PassageHit, Queries, Reasons

if TYPE_CHECKING:
    from sparse_coverage.search.feedback import Marks
    from sparse_coverage.search.index import Index

Grouping = Callable[[Callable[[int], list[Hit]], int], list[Hit]]
"""Makes so many rows of results from a function that returns so many of the best documents."""
Explained = tuple[Mapping[str, Explanation], Mapping[str, Reasons]]
"""Explanations and reasons of passages, by id."""

S = TypeVar("S", contravariant=True)
P = ParamSpec("P")
T = TypeVar("T")


class _Ask(Protocol[P, T]):
    """A function of one query or several, and of whatever else."""

    @overload
    def __call__(self, queries: str, /, *args: P.args, **kwargs: P.kwargs) -> list[T]: ...

    @overload
    def __call__(self, queries: Queries, /, *args: P.args, **kwargs: P.kwargs) -> list[list[T]]: ...


class _AskMethod(Protocol[S, P, T]):
    """The same as a method."""

    def __get__(self, instance: S, owner: type[Any]) -> _Ask[P, T]: ...


def one_or_several(method: Callable[Concatenate[S, list[str], P], list[list[T]]]) -> _AskMethod[S, P, T]:
    """Make a method that answers a list of queries answer one query alone, too: with its list instead of a list of lists."""

    @wraps(method)
    def answer(self: S, queries: str | Queries, *args: P.args, **kwargs: P.kwargs) -> list[T] | list[list[T]]:
        if isinstance(queries, str):
            return method(self, [queries], *args, **kwargs)[0]
        return method(self, list(queries), *args, **kwargs)

    return cast("_AskMethod[S, P, T]", answer)


class Retriever(Protocol):
    """Anything that ranks documents for queries: Sparse Coverage, a baseline, a fusion of several, a remote ranker.

    The easiest way to be one is to be a `Searcher`, which needs one method and has the defaults that are here.
    """

    @property
    def name(self) -> str:
        """The name of the ranking: that of the class, unless it has one of its own."""
        return type(self).__name__

    @property
    def coverage(self) -> Index | None:
        """The index of Sparse Coverage that this searches with, if any."""
        return None

    @property
    def store(self) -> IndexStore:
        """The state of the index that is searched; an error where the index is elsewhere."""
        raise InputError(f"{self.name} has no index here: only systems of an index have.")

    @one_or_several
    def search(
        self,
        queries: list[str],
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[list[Hit]]:
        """Return the `k` best documents of each query, best first, each with its best `passages`."""
        ...

    def search_explained(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002
        marks: Marks | None = None,
        reasons: bool = True,
        matches: bool = True,
        group: Grouping | None = None,
    ) -> ExplainedHits:
        """Return the same for one query, and why each passage was found."""
        ...

    def explain(
        self,
        query: str,
        id_: str,
        *,
        filter: Filter | str | None = None,  # noqa: A002
        marks: Marks | None = None,
    ) -> Explanation:
        """Explain the score of a passage, or that of a document's best passage, by id."""
        raise InputError(f"{self.name} cannot explain what it finds: only systems of an index can.")


class Searcher(Retriever, ABC):
    """A retriever of documents. It answers queries in `_documents`; what else it can do is in the other methods with a default."""

    @one_or_several
    def search(
        self,
        queries: list[str],
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[list[Hit]]:
        """Return the `k` best documents of a query, each with its best `passages`; for several queries, a list each.

        `filter` says what may be found at all: a `Filter`, or its text as the command line takes it.
        """
        require_counts(k=k, passages=passages)
        return self._documents(queries, k, passages, as_filter(filter))

    def search_explained(
        self,
        query: str,
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | str | None = None,  # noqa: A002
        marks: Marks | None = None,
        reasons: bool = True,
        matches: bool = True,
        group: Grouping | None = None,
    ) -> ExplainedHits:
        """Search with one query, and say why each passage was found.

        `marks`: what was marked as relevant or not in earlier results, where centers rank. Without `reasons` nothing is
        explained; without `matches` there are reasons alone, which is quicker. `group` makes rows of documents: it is given a
        function that returns so many of the best documents, and how many rows are wanted (see `by_family`).
        """
        require_counts(k=k, passages=passages)
        condition = as_filter(filter)
        found, state = ExplainedHits([]), self._as_it_is()

        def ranked(count: int) -> list[Hit]:
            nonlocal found
            found = state._ranked(query, count, passages, condition, marks)
            return found.hits

        hits = ranked(k) if group is None else group(ranked, k)
        wanted = [passage.id for hit in hits for passage in hit.passages] if reasons else []
        explanations, sums = state._explained(query, wanted, condition, marks, matches) if wanted else ({}, {})
        return replace(found, hits=hits, explanations=explanations, reasons=sums)

    @abstractmethod
    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        """Return the k best documents of each query."""

    def _as_it_is(self) -> Searcher:
        """Return the searcher with what it shows now, whatever it is made to show meanwhile."""
        return self

    def _ranked(
        self, query: str, k: int, passages: int, condition: Filter | None, marks: Marks | None
    ) -> ExplainedHits:
        """Return the k best documents of one query with what ranking them shows by itself: what each part adds, the cost."""
        if marks:
            raise InputError(
                f"Marks of relevant and other documents change what centers find, and {self.name} does not rank by them. Rank by "
                "combined or centers, or leave the marks out."
            )
        return ExplainedHits(self._documents([query], k, passages, condition)[0])

    def _explained(
        self, query: str, ids: list[str], condition: Filter | None, marks: Marks | None, matches: bool
    ) -> Explained:
        """Return the explanations of passages, and without `matches` their reasons alone, both by id."""
        index = self.coverage
        return ({}, {}) if index is None else index._explained(query, ids, condition, marks, matches)


class PassageSearcher(Searcher):
    """A retriever of documents and of passages. It answers queries in `_documents` and `_passages`."""

    @one_or_several
    def search_passages(
        self,
        queries: list[str],
        k: int = 10,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[list[PassageHit]]:
        """Return the `k` best passages of a query, whatever documents they are in; for several queries, a list each."""
        require_counts(k=k)
        return self._passages(queries, k, as_filter(filter))

    @abstractmethod
    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        """Return the k best passages of each query."""


def as_filter(given: Filter | str | None) -> Filter | None:
    """Return a filter, whether it was given as one or as text."""
    return parse_filter(given) if isinstance(given, str) else given


def require_counts(**counts: int) -> None:
    """Refuse counts below 1, by name."""
    for name, count in counts.items():
        if count < 1:
            raise InputError(f"{name} must be at least 1, not {count}.")
