"""Progress on standard error: a bar for people at a terminal, a plain line every few seconds for a log file or a pipe.

Nothing is shown of what is done within a second or two, and nothing at all after `be_quiet`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import Protocol, TypeVar

from sparse_coverage.printing import console

T = TypeVar("T")

FIRST_LINE, BETWEEN_LINES = 3.0, 10.0
"""After how many seconds a log gets its first line about a stage, and how many later each of the next."""


_LONG = 60.0  # seconds after which the time left is told even where only a thousandth is done


class Advance(Protocol):
    """Moves a bar forward; called with the number of steps done since the last call."""

    def __call__(self, steps: int = 1) -> None:
        """Move the bar forward."""
        ...


Listener = Callable[[str, int, int | None], None]
"""Is told of each step: the label of a stage, how many steps of it are done, and how many there are, where that is known."""
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell a function, instead of standard error, how far what this thread does has come. What it raises ends the work."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


class _Shown:
    """Whether progress is shown at all."""

    quiet = False


def be_quiet(quiet: bool = True) -> None:
    """Show no progress from now on, or show it again."""
    _Shown.quiet = quiet


@contextmanager
def progress_bar(
    label: str, total: int | None = None, *, bytes_: bool = False, share: bool = False
) -> Iterator[Advance]:
    """Show how far a block has come and give the function that moves it on. Of a `share`, percents are shown and no numbers of steps.

    >>> with progress_bar("Counting", 3) as advance:
    ...     for _ in range(3):
    ...         advance()
    """
    if (listener := _LISTENER.get()) is not None:
        listener(label, 0, total)
        yield _counting(total, lambda done, total: listener(label, done, total))
    elif _Shown.quiet:
        yield no_progress
    elif is_terminal():
        with _bar(label, total, bytes_, share) as advance:
            yield advance
    else:
        with _lines(label, total, bytes_, share) as advance:
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
    stop: Callable[[], object] = _nothing
    start: Callable[[], object] = _nothing
    if not _Shown.quiet and _LISTENER.get() is None:
        if is_terminal():
            status = console(stderr=True).status(label)
            start, stop = status.start, status.stop
        else:
            start = lambda: print(f"{label} …", file=sys.stderr, flush=True)  # noqa: E731
    timer = threading.Timer(patience, start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        stop()


@contextmanager
def _bar(label: str, total: int | None, bytes_: bool, share: bool) -> Iterator[Advance]:
    from rich import progress

    counts: list[progress.ProgressColumn] = [progress.MofNCompleteColumn()]
    if bytes_:
        counts = [progress.DownloadColumn(), progress.TransferSpeedColumn()]
    elif share:
        counts = [progress.TaskProgressColumn()]
    columns: list[progress.ProgressColumn] = [progress.TextColumn("{task.description}"), progress.BarColumn(), *counts]
    columns += [progress.TimeElapsedColumn(), progress.TimeRemainingColumn()]
    with progress.Progress(*columns, console=console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=total)
        yield _counting(total, lambda done, total: bars.update(task, completed=done, total=total))


def _counting(total: int | None, show: Callable[[int, int | None], None]) -> Advance:
    """Return what moves a bar on: after each call, `show` is told how many steps are done, and how many there are.

    A total that proves too small grows, so that no share exceeds 100 %.
    """
    done, most = 0, total

    def advance(steps: int = 1) -> None:
        nonlocal done, most
        done += steps
        most = None if most is None else max(most, done)
        show(done, most)

    return advance


@contextmanager
def _lines(label: str, total: int | None, bytes_: bool, share: bool) -> Iterator[Advance]:
    """Write a line now and then, as steps are done, and one at the end if there was any."""
    begun, at = monotonic(), monotonic() + FIRST_LINE
    told, last = False, 0

    def number(count: int) -> str:
        return f"{count / 1e6:,.1f} MB" if bytes_ else f"{count:,}"

    def show(done: int, total: int | None) -> None:
        nonlocal told, at, last
        last = done
        if (now := monotonic()) >= at:
            told, at = True, now + BETWEEN_LINES
            _write(f"{label}: {_state(done, total, now - begun, number, share)}")

    yield _counting(total, show)
    if told:
        _write(f"{label}: {'' if share else f'{number(last)} '}done in {duration(monotonic() - begun)}")


def _state(done: int, total: int | None, passed: float, number: Callable[[int], str], share: bool) -> str:
    if total is None:
        return f"{number(done)}, {duration(passed)}"
    parts = f"{done / max(total, 1):.0%}"
    if not share:
        parts = f"{number(done)} of {number(total)} ({parts})"
    if not done or done < total / 1000 or (done < total / 100 and passed < _LONG):
        return f"{parts}, {duration(passed)}"  # so little tells nothing about the rest
    return f"{parts}, {duration(passed)}, about {duration(passed / done * (total - done))} left"


def _write(text: str) -> None:
    with suppress(OSError, ValueError):  # where nobody reads any more
        print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(7.4), duration(95), duration(7_500)
    ('7 s', '1 min 35 s', '2 h 05 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def is_terminal() -> bool:
    """Tell whether a person sees standard error; rich decides by these variables too.

    A notebook sets the first of them, but cannot write over a line: it would get a new output for each state of a bar.
    """
    if "ipykernel" in sys.modules:
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False


def no_progress(steps: int = 1) -> None:
    """Move no bar: for work that is not shown."""


def _nothing() -> None:
    """Show nothing."""
