"""How many cores this process may use, and a few threads over compiled kernels, which hold no lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def usable_cores() -> int:
    """Return the number of cores open to this process: a container or `taskset` may allow fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Applies a function to many pieces of work, in as many threads as asked for (all cores by default; one needs no pool)."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or usable_cores()
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return the results in the order of the items."""
        if self._pool is None:
            return [function(item) for item in items]
        return list(self._pool.map(function, items))

    def each(self, function: Callable[[T], None], items: Iterable[T]) -> None:
        """Do the work for its effects."""
        self.map(function, items)
