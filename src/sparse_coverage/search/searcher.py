"""What all retrievers of this house have in common: one query in, a list of hits out; several queries in, a list each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar, overload

from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.search.results import Hit, PassageHit, Queries

T = TypeVar("T")


class Searcher(ABC):
    """A retriever of documents. It answers queries in `_documents`."""

    @overload
    def search(self, queries: str, k: int = ..., *, passages: int = ..., filter: Filter | None = ...) -> list[Hit]: ...

    @overload
    def search(
        self, queries: Queries, k: int = ..., *, passages: int = ..., filter: Filter | None = ...
    ) -> list[list[Hit]]: ...

    def search(
        self,
        queries: str | Queries,
        k: int = 10,
        *,
        passages: int = 3,
        filter: Filter | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[Hit] | list[list[Hit]]:
        """Return the `k` best documents of a query, each with its best `passages`; for several queries, a list each.

        `filter` says what may be found at all.
        """
        require_counts(k=k, passages=passages)
        return one_or_several(queries, lambda several: self._documents(several, k, passages, filter))

    @abstractmethod
    def _documents(self, queries: list[str], k: int, passages: int, condition: Filter | None) -> list[list[Hit]]:
        """Return the k best documents of each query."""


class PassageSearcher(Searcher):
    """A retriever of documents and of passages. It answers queries in `_documents` and `_passages`."""

    @overload
    def search_passages(self, queries: str, k: int = ..., *, filter: Filter | None = ...) -> list[PassageHit]: ...

    @overload
    def search_passages(
        self, queries: Queries, k: int = ..., *, filter: Filter | None = ...
    ) -> list[list[PassageHit]]: ...

    def search_passages(
        self,
        queries: str | Queries,
        k: int = 10,
        *,
        filter: Filter | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[PassageHit] | list[list[PassageHit]]:
        """Return the `k` best passages of a query, whatever documents they are in; for several queries, a list each."""
        require_counts(k=k)
        return one_or_several(queries, lambda several: self._passages(several, k, filter))

    @abstractmethod
    def _passages(self, queries: list[str], k: int, condition: Filter | None) -> list[list[PassageHit]]:
        """Return the k best passages of each query."""


def one_or_several(queries: str | Queries, answer: Callable[[list[str]], list[list[T]]]) -> list[T] | list[list[T]]:
    """Answer a list of queries, or one query alone."""
    return answer([queries])[0] if isinstance(queries, str) else answer(list(queries))


def require_counts(**counts: int) -> None:
    """Refuse counts below 1, by name."""
    for name, count in counts.items():
        if count < 1:
            raise InputError(f"{name} must be at least 1, not {count}.")
