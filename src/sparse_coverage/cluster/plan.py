"""How the indexing of a collection is cut: runs of encoding windows, and segments of whole documents.

An encoder works through a stream of texts window by window and sorts each window into batches; in another batch a vector
differs in its last bits. So runs are cut where a local build cuts its windows, wherever documents end, and each worker
computes exactly the batches that one machine would have computed. Segments are cut between documents, where a local
build cuts them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sparse_coverage.cluster.documents import DocumentSize
from sparse_coverage.encoding.batching import WINDOW_TOKENS
from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.postings import MAX_PASSAGES
from sparse_coverage.patents.survey import Duplicates

WINDOWS_PER_RUN = 4
"""How many windows a task encodes: what the loss of a worker costs, and no more."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive passages to encode: they start at a passage of a document of a shard; `first` is the first one's number."""

    shard: int
    document: int
    passage: int
    first: int
    passages: int


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive documents, those without text included, that make a segment; `first` is the number of their first passage."""

    shard: int
    document: int
    documents: int
    first: int
    passages: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All runs and all segments of an index, each in order."""

    runs: list[Run]
    parts: list[Part]

    def runs_of(self, part: Part) -> list[int]:
        """Return the numbers of the runs that hold passages of a segment."""
        last = part.first + part.passages
        return [n for n, run in enumerate(self.runs) if run.first < last and part.first < run.first + run.passages]


def make_plan(shards: Iterable[list[DocumentSize]]) -> Plan:
    """Cut a collection, given the number of tokens of each passage of each document. An id that comes twice is refused."""
    runs, parts, seen = _Runs(), _Parts(), Duplicates()
    try:
        for shard, documents in enumerate(shards):
            for number, document in enumerate(documents):
                parts.add(shard, number, document)
                if document.sizes:
                    seen.add(document.id)
                for passage, tokens in enumerate(document.sizes):
                    runs.add(shard, number, passage, tokens)
        if seen.count:
            raise IndexStoreError(
                f"The document '{seen.examples[0]}' comes twice in the input. Leave one out, or give it another id."
            )
    finally:
        seen.close()
    return Plan(runs.finish(), parts.finish())


class _Runs:
    def __init__(self) -> None:
        self._found: list[Run] = []
        self._start: tuple[int, int, int] | None = None
        self._first = self._passages = self._held = self._windows = 0

    def add(self, shard: int, document: int, passage: int, tokens: int) -> None:
        if self._start is None:
            self._start = (shard, document, passage)
        self._passages += 1
        self._held += max(1, tokens)  # as `Batcher` counts
        if self._held >= WINDOW_TOKENS:
            self._held = 0
            self._windows += 1
            if self._windows == WINDOWS_PER_RUN:
                self._close()

    def finish(self) -> list[Run]:
        self._close()
        return self._found

    def _close(self) -> None:
        if self._start is not None:
            self._found.append(Run(*self._start, self._first, self._passages))
        self._first += self._passages
        self._start, self._passages, self._windows = None, 0, 0


class _Parts:
    def __init__(self) -> None:
        self._found: list[Part] = []
        self._start = (0, 0)
        self._first = self._passages = self._documents = 0

    def add(self, shard: int, number: int, document: DocumentSize) -> None:
        if self._passages + len(document.sizes) > MAX_PASSAGES:
            self._close()
        if not self._documents:
            self._start = (shard, number)
        self._documents += 1
        self._passages += len(document.sizes)

    def finish(self) -> list[Part]:
        self._close()
        return self._found

    def _close(self) -> None:
        if self._passages:
            self._found.append(Part(*self._start, self._documents, self._first, self._passages))
        self._first += self._passages
        self._passages = self._documents = 0
