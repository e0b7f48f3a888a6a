"""Reading as pieces of work: cut in one process, carried out here or in others, always in the same order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from sparse_coverage.errors import InputError
from sparse_coverage.patents.patent import Patent, Problem
from sparse_coverage.patents.readers import READERS
from sparse_coverage.patents.reading.context import MEBIBYTE, Limits, Piece, ReadContext, ReadError


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of a file, and the name of the reader for it."""

    file: str
    reader: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a piece: a patent or a problem, and notes."""

    patent: Patent | None = None
    problem: Problem | None = None
    notes: tuple[Problem, ...] = ()


def carry_out(work: Work, language: str, limits: Limits) -> Outcome:
    """Read one piece. Nothing but a patent or a problem can come of it."""
    notes: list[Problem] = []
    try:
        patent = READERS[work.reader].read(work.piece, ReadContext(work.file, language, limits, notes.append))
        if any(map(str.isspace, patent.id)):
            cause = (
                f"the publication id {patent.id!r} holds white space, which would cut it in two in runs and judgements."
            )
            raise ReadError(f"{cause} Write it without, as in EP-0661903-A2.")
    except ReadError as error:
        line = work.piece.line + max(error.line, 1) - 1
        return Outcome(problem=Problem(work.file, line, error.cause, error.document), notes=tuple(notes))
    return Outcome(patent, notes=tuple(notes))


def carry_out_all(works: Iterable[Work | Outcome], language: str, limits: Limits, processes: int) -> Iterator[Outcome]:
    """Carry out a stream of work in order. Outcomes that are already known pass through."""
    if processes > 1:
        yield from _in_processes(works, language, limits, processes)
        return
    for work in works:
        yield work if isinstance(work, Outcome) else carry_out(work, language, limits)


def _in_processes(works: Iterable[Work | Outcome], language: str, limits: Limits, processes: int) -> Iterator[Outcome]:
    pending: deque[Future[list[Outcome]]] = deque()
    # Spawned, not forked: the caller may hold threads and locks.
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        try:
            for batch in _batches(works):
                pending.append(pool.submit(_carry_out_batch, batch, language, limits))
                if len(pending) > 2 * processes:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()
        except BrokenProcessPool:
            raise InputError(
                "a reading process ended unexpectedly, perhaps for want of memory. Try again with processes=1."
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _carry_out_batch(batch: list[Work | Outcome], language: str, limits: Limits) -> list[Outcome]:
    return list(carry_out_all(batch, language, limits, processes=1))


def _batches(works: Iterable[Work | Outcome]) -> Iterator[list[Work | Outcome]]:
    """Group work to about a mebibyte, so that sending it costs little beside doing it."""
    batch: list[Work | Outcome] = []
    size = 0
    for work in works:
        batch.append(work)
        if isinstance(work, Work):
            size += len(work.piece.content) if isinstance(work.piece.content, bytes) else 1024
        if size >= MEBIBYTE or len(batch) >= 1000:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
