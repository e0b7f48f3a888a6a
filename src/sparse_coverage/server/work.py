"""The work of a server: so much at a time, so much waiting, the rest refused; with an end in time, progress, and a way to stop.

A worker is a thread of one pool. Whatever a piece of work raises ends that piece alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic
from typing import Any, TypeVar

from sparse_coverage.dataclass_json import to_json
from sparse_coverage.progress import Listener, heard_by

T = TypeVar("T")
_BETWEEN_EVENTS = 0.1
_STILL_THERE = 10.0


class BusyError(Exception):
    """More is asked for than may wait; come again after `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__("The server has as much to do as it can take on.")
        self.seconds = seconds


class OvertimeError(Exception):
    """Work took longer than it may."""


class StoppedError(Exception):
    """Nobody waits for this work any more."""


class Job:
    """A piece of work: its progress, and whether it is still wanted."""

    def __init__(self, on_progress: Listener | None = None) -> None:
        self._stop = threading.Event()
        self._on_progress = on_progress
        self._told = 0.0

    def stop(self) -> None:
        """Let the work end at its next step."""
        self._stop.set()

    def run(self, function: Callable[[], T]) -> T:
        """Do the work, in the thread that calls this."""
        if self._stop.is_set():
            raise StoppedError
        with heard_by(self._hear):
            return function()

    def _hear(self, stage: str, done: int, total: int | None) -> None:
        if self._stop.is_set():
            raise StoppedError
        now = monotonic()
        if self._on_progress is not None and (done in (0, total) or now - self._told >= _BETWEEN_EVENTS):
            self._told = now
            self._on_progress(stage, done, total)


class _Lane:
    """Threads for work of one kind, and how much of it there is."""

    def __init__(self, threads: int, waiting: int, name: str) -> None:
        self.threads = threads
        self.most = threads + waiting
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.taken = 0
        self.mean = 0.1  # seconds that a piece of it took lately


class Work:
    """Runs work in a pool of threads. Long work has half as many of its own, so that it never keeps a search waiting."""

    def __init__(self, concurrency: int, waiting: int) -> None:
        self._short = _Lane(concurrency, waiting, "work")
        self._long = _Lane(max(1, concurrency // 2), waiting, "long-work")
        self._closed = False
        self.refused = 0
        self.stopped = 0

    @property
    def taken(self) -> int:
        """How many pieces of work run or wait."""
        return self._short.taken + self._long.taken

    @property
    def waiting(self) -> int:
        """How many of them wait for a thread."""
        return sum(max(0, lane.taken - lane.threads) for lane in (self._short, self._long))

    def close(self) -> None:
        """Finish what is running, begin nothing more."""
        self._closed = True
        for lane in (self._short, self._long):
            lane.pool.shutdown(wait=True, cancel_futures=True)

    async def run(
        self,
        function: Callable[[], T],
        seconds: float,
        gone: Callable[[], Awaitable[Any]] | None = None,
        on_progress: Listener | None = None,
        *,
        long: bool = False,
        settle: bool = False,
    ) -> T:
        """Return the result of a function. Stop waiting after this many seconds, or when what `gone` waits for has happened.

        With `settle` it is told to stop then, and how it ended is answered: what changes something may have done so already.
        """
        job = Job(on_progress)
        future = self._begin(job, function, long=long)
        left = None if gone is None else asyncio.ensure_future(gone())
        try:
            waited = [future] if left is None else [future, left]
            await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if future.done():
                return future.result()
            if left is not None and left.done():
                raise StoppedError
            if settle:
                job.stop()
                with suppress(StoppedError):
                    return await future
            raise OvertimeError
        finally:
            job.stop()
            if left is not None:
                left.cancel()

    def stream(
        self, function: Callable[[], Any], seconds: float, told: Callable[[Exception], Any], *, settle: bool = False
    ) -> AsyncIterator[bytes]:
        """Begin long work, and give its server-sent events: progress, then the result, or the error that `told` makes of what was raised.

        Work that nobody reads the events of any more ends at its next step. `settle`: as in `run`.
        """
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

        def tell(stage: str, done: int, total: int | None) -> None:
            event = ("progress", {"stage": stage, "done": done, "total": total})
            loop.call_soon_threadsafe(events.put_nowait, event)

        job = Job(tell)
        future = self._begin(job, function, long=True)
        return self._events(job, future, events, loop.time() + seconds, told, settle)

    async def _events(
        self,
        job: Job,
        future: asyncio.Future[Any],
        events: asyncio.Queue[tuple[str, Any]],
        until: float,
        told: Callable[[Exception], Any],
        settle: bool,
    ) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: events.put_nowait(("", None)))
        try:
            while True:
                left = until - loop.time()
                try:
                    name, value = await asyncio.wait_for(events.get(), max(0.0, min(left, _STILL_THERE)))
                except asyncio.TimeoutError:
                    if left <= _STILL_THERE and settle:
                        job.stop()
                        settle, until = False, float("inf")
                    elif left <= _STILL_THERE:
                        yield _event("error", told(OvertimeError()))
                        return
                    yield b": still at work\n\n"
                    continue
                if name:
                    yield _event(name, value)
                    continue
                try:
                    yield _event("result", future.result())
                except Exception as error:
                    yield _event("error", told(error))
                return
        finally:
            job.stop()

    def _begin(self, job: Job, function: Callable[[], T], *, long: bool = False) -> asyncio.Future[T]:
        if self._closed:
            raise StoppedError
        lane = self._long if long else self._short
        if lane.taken >= lane.most:
            self.refused += 1
            raise BusyError(max(1, round(lane.mean * lane.taken / lane.threads)))
        lane.taken += 1
        begun = monotonic()
        future = asyncio.get_running_loop().run_in_executor(lane.pool, job.run, function)

        def ended(done: asyncio.Future[T]) -> None:
            lane.taken -= 1
            lane.mean += 0.05 * (monotonic() - begun - lane.mean)
            if not done.cancelled() and isinstance(done.exception(), StoppedError):
                self.stopped += 1

        future.add_done_callback(ended)
        return future


def _event(name: str, value: Any) -> bytes:
    text = value if isinstance(value, str) else to_json(value)
    return f"event: {name}\ndata: {text}\n\n".encode()
