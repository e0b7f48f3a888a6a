"""What everything that ranks has in common: one query in, a list of hits out; several queries in, a list each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter, parse_filter
from sparse_coverage.search.results import Hit, PassageHit, Queries

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

    The easiest way to be one is to be a `Searcher`.
    """

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


class Searcher(Retriever, ABC):
    """A retriever of documents. It answers queries in `_documents`."""

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

    @abstractmethod
    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        """Return the k best documents of each query."""


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
