"""Progress bars on standard error, shown only to people: a pipe or a log file gets none."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

T = TypeVar("T")


class Advance(Protocol):
    """Moves a bar forward; called with the number of steps done since the last call."""

    def __call__(self, steps: int = 1, *, total: int | None = None) -> None:
        """Move the bar forward; `total` is how many steps there are, where that has become known or changed."""
        ...


@contextmanager
def progress_bar(label: str, total: int | None = None, *, bytes_: bool = False) -> Iterator[Advance]:
    """Show a bar for the time of a block and give the function that moves it.

    >>> with progress_bar("Counting", 3) as advance:
    ...     for _ in range(3):
    ...         advance()
    """
    console = Console(stderr=True)
    counts: list[ProgressColumn] = [DownloadColumn(), TransferSpeedColumn()] if bytes_ else [MofNCompleteColumn()]
    columns = [TextColumn("{task.description}"), BarColumn(), *counts, TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task(label, total=total)

        def advance(steps: int = 1, *, total: int | None = None) -> None:
            bars.update(task, advance=steps, total=total)

        yield advance


def tracked(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Yield the items while a bar counts them."""
    with progress_bar(label, total) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def waiting(label: str, patience: float = 1.0) -> Iterator[None]:
    """Show a label for the time of a block that cannot be counted, but only if it takes longer than so many seconds."""
    console = Console(stderr=True)
    status = console.status(label)
    timer = threading.Timer(patience, status.start if console.is_terminal else lambda: None)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
