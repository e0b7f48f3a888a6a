"""An index as points, document by document: what is uploaded to an engine, and what tells whether it is there already."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from uuid import UUID, uuid5

import numpy as np
import numpy.typing as npt

from sparse_coverage.engines.conditions import document_facts, section_fact
from sparse_coverage.engines.engine import Point
from sparse_coverage.index import DocumentRecord, IndexStore, PassageRecord, Segment, weight_scale
from sparse_coverage.index.postings import widened
from sparse_coverage.vectors.scoring import ScoringConfig

_FACTS = 2  # raised when points get other facts for the same document, so that they are uploaded again
# Any fixed namespace will do; changing it would change every id.
_NAMESPACE = UUID("6d1f0d3a-6e0c-5a55-9f0e-2f7c1d0b8a41")


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """The postings of a segment passage by passage: those of passage u are the entries starts[u] to starts[u + 1]."""

    segment: Segment
    scoring: ScoringConfig
    starts: npt.NDArray[np.int64]
    centers: npt.NDArray[np.int32]
    fixed: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class LocalDocument:
    """A document of an index: how many passages it has, and a digest of all that its points would hold."""

    record: DocumentRecord
    passages: tuple[PassageRecord, ...]
    digest: str
    _first: int
    _lists: _Lists

    def points(self) -> Iterator[Point]:
        """Yield its passages as points."""
        terms, published, priority = document_facts(self.record)
        lists, segment = self._lists, self._lists.segment
        scale = weight_scale(segment.postings.weight_bits)
        norms = lists.scoring.norms(segment.span_counts[self._first : self._first + len(self.passages)])
        for place, passage in enumerate(self.passages):
            entries = slice(*lists.starts[self._first + place :][:2])
            centers = lists.centers[entries].astype(np.int64)
            weights = lists.fixed[entries] / scale * norms[place]
            if not len(centers):
                # Engines refuse an empty vector. This dimension follows the last center, so no query ever has it.
                centers, weights = np.asarray([len(segment.postings.offsets) - 1]), np.ones(1)
            yield Point(
                id=point_id(self.record.id, place, passage.id),
                passage=passage.id,
                document=self.record.id,
                section=passage.section,
                text=passage.text,
                title=self.record.title,
                metadata=self.record.metadata,
                facts=(*terms, section_fact(passage.section)),
                published=published,
                priority=priority,
                digest=self.digest,
                centers=centers,
                weights=weights,
                number=passage.number,
            )


def point_id(document: str, place: int, passage: str) -> str:
    """Return the id of a point: always the same for the same passage in the same place of its document."""
    return str(uuid5(_NAMESPACE, f"{document}\x1f{place}\x1f{passage}"))


def read_documents(store: IndexStore, scoring: ScoringConfig) -> Iterator[LocalDocument]:
    """Yield the live documents of an index in corpus order."""
    for segment in store.segments:
        if not segment.live_documents.any():
            continue
        lists = _passage_lists(segment, scoring)
        starts = segment.document_starts.tolist()
        for number in np.flatnonzero(segment.live_documents).tolist():
            first, record = starts[number], segment.texts.document(number)
            passages = tuple(segment.texts.passages_between(first, starts[number + 1]))
            yield LocalDocument(record, passages, _digest(lists, record, passages, first), first, lists)


def _passage_lists(segment: Segment, scoring: ScoringConfig) -> _Lists:
    segment.packed.check_all()
    postings = segment.postings
    packed = widened(np.asarray(postings.packed))
    passages = (packed >> 16).astype(np.uint16)
    # Stable, so that the centers of each passage stay in rising order.
    order = np.argsort(passages, kind="stable")
    centers = np.repeat(np.arange(len(postings.offsets) - 1, dtype=np.int32), postings.frequencies)
    counts = np.bincount(passages, minlength=len(segment))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return _Lists(segment, scoring, starts, centers[order], (packed & 0xFFFF).astype(np.uint16)[order])


def _digest(lists: _Lists, record: DocumentRecord, passages: tuple[PassageRecord, ...], first: int) -> str:
    """Return what changes whenever anything changes that a point of the document holds."""
    segment, scoring, last = lists.segment, lists.scoring, first + len(passages)
    entries = slice(lists.starts[first], lists.starts[last])
    sizes = np.diff(lists.starts[first : last + 1])
    bits = segment.postings.weight_bits
    # A number that is not printed leaves the digests of collections as they were before there were numbers.
    texts = [[*(passage.id, passage.section, passage.text), *filter(None, [passage.number])] for passage in passages]
    words = json.dumps(
        [_FACTS, scoring.gamma, scoring.smoothing, bits, record.id, record.title, dict(record.metadata), texts],
        sort_keys=True,
    )
    digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12)
    for array in (sizes, segment.span_counts[first:last], lists.centers[entries], lists.fixed[entries]):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
