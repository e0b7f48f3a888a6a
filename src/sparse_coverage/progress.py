"""Progress on standard error: a bar for people at a terminal, a plain line every few seconds for a log file or a pipe.

Nothing is shown of what is done within a second or two, and nothing at all after `be_quiet`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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
        lines = _Lines(label, total, bytes_, share)
        try:
            yield lines.advance
        except BaseException:
            lines.end(finished=False)
            raise
        lines.end(finished=True)


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


class _Count:
    """How many steps are done, and how many there are; a total that proves too small grows, so that no share exceeds 100 %."""

    def __init__(self, total: int | None) -> None:
        self.done, self.total = 0, total

    def add(self, steps: int) -> None:
        """Take note of some steps."""
        done = self.done + steps
        self.total = None if self.total is None else max(self.total, done)
        self.done = done  # last: a thread that writes lines may look in between


def _counting(total: int | None, show: Callable[[int, int | None], None]) -> Advance:
    """Return what moves a bar on: after each call, `show` is told how many steps are done, and how many there are."""
    count = _Count(total)

    def advance(steps: int = 1) -> None:
        count.add(steps)
        show(count.done, count.total)

    return advance


class _Lines:
    """Writes a line now and then, also while a single step takes long."""

    def __init__(self, label: str, total: int | None, bytes_: bool, share: bool) -> None:
        self._label = label
        self._share = share
        self._count = _Count(total)
        self._number = (lambda count: f"{count / 1e6:,.1f} MB") if bytes_ else "{:,}".format
        self._begun = monotonic()
        self._told = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tell_now_and_then, name="progress", daemon=True)
        self._thread.start()

    def advance(self, steps: int = 1) -> None:
        """Take note of some steps."""
        self._count.add(steps)

    def end(self, *, finished: bool) -> None:
        """Write the last line, if there was any."""
        self._over.set()
        self._thread.join()
        if self._told and finished:
            done = "" if self._share else f"{self._number(self._count.done)} "
            self._write(f"{done}done in {duration(monotonic() - self._begun)}")

    def _tell_now_and_then(self) -> None:
        wait = FIRST_LINE
        while not self._over.wait(wait):
            self._told = True
            self._write(self._state())
            wait = BETWEEN_LINES

    def _state(self) -> str:
        passed, done, total = monotonic() - self._begun, self._count.done, self._count.total
        if total is None:
            return f"{self._number(done)}, {duration(passed)}"
        parts = f"{done / max(total, 1):.0%}"
        if not self._share:
            parts = f"{self._number(done)} of {self._number(total)} ({parts})"
        if not done or done < total / 1000 or (done < total / 100 and passed < _LONG):
            return f"{parts}, {duration(passed)}"  # so little tells nothing about the rest
        left = passed / done * (total - done)
        return f"{parts}, {duration(passed)}, about {duration(left)} left"

    def _write(self, text: str) -> None:
        try:
            print(f"{self._label}: {text}", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            self._over.set()  # nobody reads any more


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
