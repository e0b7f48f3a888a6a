"""Making a collection on an engine equal to an index: what is missing goes up, what is gone goes away, the rest stays.

There is no other way to push: an interrupted upload is finished by running it again, since it compares what is there.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from sparse_coverage.engines.engine import EngineError, Point, batches
from sparse_coverage.engines.points import Statistics, norm_of, read_documents
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.index import IndexStore
from sparse_coverage.progress import tracked
from sparse_coverage.search.ranking import ScoringConfig

_DELETED_AT_ONCE = 256
_ROUNDS = 3
_UPLOADS = 4
SCORING = ScoringConfig()


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a push or sync did: documents sent (with how many passages), found unchanged, and deleted."""

    uploaded: int
    uploaded_passages: int
    unchanged: int
    deleted: int

    def and_then(self, later: SyncReport) -> SyncReport:
        """Return what two rounds did together; what the second sent again is no longer unchanged."""
        return SyncReport(
            self.uploaded + later.uploaded,
            self.uploaded_passages + later.uploaded_passages,
            max(self.unchanged - later.uploaded, 0),
            self.deleted + later.deleted,
        )


def push(collection: QdrantCollection, store: IndexStore, *, scoring: ScoringConfig = SCORING) -> SyncReport:
    """Make the collection if it is not there, and bring it up to date."""
    collection.health()
    collection.create(store.state.dimension)
    return sync(collection, store, scoring=scoring)


def sync(collection: QdrantCollection, store: IndexStore, *, scoring: ScoringConfig = SCORING) -> SyncReport:
    """Bring a collection up to date with an index. Searching goes on meanwhile, with the idf of before until the end."""
    if not collection.exists():
        raise InputError(f"There is no collection '{collection.name}'. Make it with: sparse-coverage engine push")
    troubles = collection.health().troubles
    if troubles:
        raise EngineError(
            f"The engine is not whole: {'; '.join(troubles)}. What is there cannot be compared while a copy is missing; "
            "wait until every node is back and try again."
        )
    statistics = _statistics(collection, store, scoring)
    report = SyncReport(0, 0, 0, 0)
    for round_ in range(_ROUNDS):
        latest = _one_round(collection, store, statistics)
        report = latest if round_ == 0 else report.and_then(latest)
        # A listing can come out short while copies differ; what was sent since has made them equal.
        if collection.size() == store.state.passages:
            collection.write_statistics(statistics.to_text(), statistics.dimension)
            return report
    raise EngineError(
        f"'{collection.name}' holds {collection.size():,} passages where the index has {store.state.passages:,}. Does something else "
        "write into it? Try again when nothing does."
    )


def _one_round(collection: QdrantCollection, store: IndexStore, statistics: Statistics) -> SyncReport:
    """Send the documents that differ from what is there, then delete their older versions and what is gone."""
    versions: dict[str, Counter[str]] = {}  # how many points each version of each document has there
    for document, digest in tracked(collection.inventory(), "Comparing with what is there", collection.size()):
        versions.setdefault(document, Counter())[digest] += 1
    replaced: dict[str, str] = {}
    documents = passages = unchanged = 0

    def changed() -> Iterator[Point]:
        nonlocal documents, passages, unchanged
        for one in tracked(read_documents(store, statistics), "Uploading documents", store.state.documents):
            there = versions.pop(one.record.id, Counter())
            if there == Counter({one.digest: len(one.passages)}) or not (there or one.passages):
                unchanged += 1
                continue
            documents, passages = documents + 1, passages + len(one.passages)
            if set(there) - {one.digest}:
                replaced[one.record.id] = one.digest
            yield from one.points()

    _upload(collection, batches(changed()))
    for part in _parts(list(replaced)):
        collection.delete(part, keep={replaced[id_] for id_ in part})
    for part in _parts(list(versions)):
        collection.delete(part)
    return SyncReport(documents, passages, unchanged, len(versions))


def _upload(collection: QdrantCollection, made: Iterator[list[Point]]) -> None:
    """Send batches, a few of them at the same time: while the engine works on one, the next is made."""
    under_way: deque[Future[None]] = deque()
    with ThreadPoolExecutor(_UPLOADS) as pool:
        for batch in made:
            if len(under_way) == _UPLOADS:
                under_way.popleft().result()
            under_way.append(pool.submit(collection.upload, batch))
        for sent in under_way:
            sent.result()


def _statistics(collection: QdrantCollection, store: IndexStore, scoring: ScoringConfig) -> Statistics:
    """Return the statistics of an index for a collection; one of another index, or with other norms, is refused."""
    text = collection.read_statistics()
    there = None if text is None else Statistics.from_text(text)
    statistics = Statistics.of(store, scoring, there)
    if there is not None:
        there.require(statistics.vocabulary, collection.name)
        if norm_of(there.scoring) != norm_of(statistics.scoring):
            raise MismatchError(
                f"The collection '{collection.name}' was pushed with {norm_of(there.scoring)}, this would be "
                f"{norm_of(statistics.scoring)}. "
                "Its vectors would be of two kinds for a while: push under another name."
            )
    return statistics


def _parts(documents: list[str]) -> Iterator[list[str]]:
    for first in range(0, len(documents), _DELETED_AT_ONCE):
        yield documents[first : first + _DELETED_AT_ONCE]
