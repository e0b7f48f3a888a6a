"""An index as points, document by document: what is uploaded to an engine, and what tells whether it is there already.

Beside them goes what a query needs to know of the whole collection: document frequencies and the number of passages, as one text.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import numpy.typing as npt

from sparse_coverage.engines.engine import NOWHERE, EngineError, Point, Vector, document_facts
from sparse_coverage.errors import MismatchError
from sparse_coverage.index import DocumentRecord, IndexStore, PassageRecord, Segment
from sparse_coverage.index.postings import WEIGHT_SCALE
from sparse_coverage.kernels import Doubles, Floats, Int64s
from sparse_coverage.search.part_scores import WordScores
from sparse_coverage.search.ranking import CenterStatistics, ScoringConfig
from sparse_coverage.text import idf, index_terms

_FACTS = 4  # raised when points get other facts for the same document, so that they are uploaded again
# Any fixed namespace will do; changing it would change every id.
_NAMESPACE = UUID("6d1f0d3a-6e0c-5a55-9f0e-2f7c1d0b8a41")


@dataclass(frozen=True, slots=True, eq=False)
class _Forward:
    """Inverted lists passage by passage: the numbers of passage u are the entries starts[u] to starts[u + 1], dimensions rising."""

    starts: npt.NDArray[np.int64]
    dimensions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]

    @classmethod
    def of(cls, passages: Int64s, dimensions: Int64s, values: Doubles, count: int) -> _Forward:
        """Sort the postings of so many passages."""
        order = np.lexsort((dimensions, passages))
        starts = np.concatenate([[0], np.cumsum(np.bincount(passages, minlength=count))]).astype(np.int64)
        return cls(starts, dimensions[order], values[order].astype(np.float32))

    def vector(self, passage: int) -> dict[int, float]:
        """Return the numbers of a passage by dimension."""
        part = slice(*self.starts[passage : passage + 2].tolist())
        found = dict(zip(self.dimensions[part].tolist(), self.values[part].tolist(), strict=True))
        return found or {NOWHERE: 1.0}

    def update(self, digest: Any, first: int, last: int) -> None:
        """Add the numbers of some passages to a digest."""
        part = slice(int(self.starts[first]), int(self.starts[last]))
        for array in (np.diff(self.starts[first : last + 1]), self.dimensions[part], self.values[part]):
            digest.update(np.ascontiguousarray(array).tobytes())


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What the points of a segment hold: sparse vectors by the name of their part, and the dense ones."""

    sparse: dict[str, _Forward]
    dense: Floats | None

    @classmethod
    def of(cls, segment: Segment, scoring: ScoringConfig, norms: Doubles | None, words: Mapping[str, int]) -> _Parts:
        """Read a segment. `norms`: those of its passages in BM25; `words`: the dimension of each word."""
        segment.packed.check_all()
        postings = segment.postings
        packed = np.asarray(postings.packed)
        centers = np.repeat(np.arange(len(postings.offsets) - 1, dtype=np.int64), postings.frequencies)
        passages = (packed >> 16).astype(np.int64)
        weights = (packed & 0xFFFF) / WEIGHT_SCALE * scoring.norms(segment.span_counts)[passages]
        sparse = {"centers": _Forward.of(passages, centers, weights, len(segment))}
        if norms is not None and segment.word_lists is not None:
            names, offsets, lists = segment.word_lists.everything()
            numbers = np.asarray([words.get(name, NOWHERE) for name in names], dtype=np.int64)
            dimensions = np.repeat(numbers, (offsets[1:] - offsets[:-1]).astype(np.int64))
            passages, counts = (lists >> 16).astype(np.int64), (lists & 0xFFFF).astype(np.float64)
            known = dimensions != NOWHERE  # words of deleted passages alone
            values = counts / (norms[passages] + counts)
            sparse["words"] = _Forward.of(passages[known], dimensions[known], values[known], len(segment))
        return cls(sparse, None if segment.vectors is None else segment.vectors.unpacked(0, len(segment)))

    def vectors(self, passage: int) -> dict[str, Vector]:
        """Return the vectors of a passage by part."""
        found: dict[str, Vector] = {name: lists.vector(passage) for name, lists in self.sparse.items()}
        return found if self.dense is None else {**found, "vectors": self.dense[passage].tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class LocalDocument:
    """A document of an index: how many passages it has, and a digest of all that its points would hold."""

    record: DocumentRecord
    passages: tuple[PassageRecord, ...]
    digest: str
    _first: int
    _parts: _Parts

    def points(self) -> Iterator[Point]:
        """Yield its passages as points."""
        terms, published, priority = document_facts(self.record)
        for place, passage in enumerate(self.passages):
            yield Point(
                id=point_id(self.record.id, place, passage.id),
                passage=passage.id,
                document=self.record.id,
                section=passage.section,
                text=passage.text,
                title=self.record.title,
                metadata=self.record.metadata,
                facts=[*terms, f"section={passage.section.lower()}"],
                published=published,
                priority=priority,
                digest=self.digest,
                vectors=self._parts.vectors(self._first + place),
                number=passage.number,
            )


def point_id(document: str, place: int, passage: str) -> str:
    """Return the id of a point: always the same for the same passage in the same place of its document."""
    return str(uuid5(_NAMESPACE, f"{document}\x1f{place}\x1f{passage}"))


def read_documents(store: IndexStore, statistics: Statistics) -> Iterator[LocalDocument]:
    """Yield the live documents of an index in corpus order."""
    scorer = WordScores(store) if store.state.words else None
    dimensions = {word: place for place, word in enumerate(statistics.words)}
    for number, segment in enumerate(store.segments):
        if not segment.live_documents.any():
            continue
        norms = None if scorer is None else scorer.norms[number]
        parts = _Parts.of(segment, statistics.scoring, norms, dimensions)
        starts = segment.document_starts.tolist()
        for place in np.flatnonzero(segment.live_documents).tolist():
            first, record = starts[place], segment.texts.document(place)
            passages = tuple(segment.texts.passages_between(first, starts[place + 1]))
            yield LocalDocument(record, passages, _digest(parts, record, passages, first), first, parts)


def _digest(parts: _Parts, record: DocumentRecord, passages: tuple[PassageRecord, ...], first: int) -> str:
    """Return what changes whenever anything changes that a point of the document holds."""
    texts = [(passage.id, passage.section, passage.text, passage.number) for passage in passages]
    words = json.dumps([_FACTS, record.id, record.title, dict(record.metadata), texts], sort_keys=True)
    digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12)
    for lists in parts.sparse.values():
        lists.update(digest, first, first + len(passages))
    if parts.dense is not None:
        digest.update(np.ascontiguousarray(parts.dense[first : first + len(passages)]).tobytes())
    return digest.hexdigest()


FORMAT = 2
_COUNTS = ("frequencies", "word_frequencies")


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of a collection, how it is scored, and the vocabulary its vectors were made with.

    Of the scoring, gamma and smoothing are in the vectors. `words` are the words of all passages, each at the place that is its
    dimension, `word_frequencies` how many passages have it; `keeps_words` and `dimension` as in the manifest of an index.
    """

    passages: int
    documents: int
    frequencies: npt.NDArray[np.int64]
    scoring: ScoringConfig
    vocabulary: str
    words: tuple[str, ...] = ()
    word_frequencies: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    keeps_words: bool = False
    dimension: int = 0

    @classmethod
    def of(cls, store: IndexStore, scoring: ScoringConfig, before: Statistics | None = None) -> Statistics:
        """Take them from an index. Words that were there `before` keep their dimensions."""
        state, counts = store.state, Counter[str]()
        for segment in store.segments:
            if (lists := segment.word_lists) is not None:
                names, offsets, postings = lists.everything()
                live = np.concatenate([[0], np.cumsum(segment.live_passages[postings >> 16])])
                counts.update(dict(zip(names, (live[offsets[1:]] - live[offsets[:-1]]).tolist(), strict=True)))
        there = before.words if before is not None else ()
        words = (*there, *sorted(word for word in counts.keys() - set(there) if counts[word]))
        return cls(
            state.passages,
            state.documents,
            store.frequencies,
            scoring,
            str(state.about.get("vocabulary", "")),
            words,
            np.asarray([counts[word] for word in words], np.int64),
            state.words,
            state.dimension,
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that can be ranked by."""
        return ("centers", *(["words"] if self.keeps_words else []), *(["vectors"] if self.dimension else []))

    def word_factors(self, query: str) -> dict[int, float]:
        """Return what a query brings to the part of words: how often it has each word, times the word's idf."""
        asked, found = Counter(index_terms(query)), {}
        for word, count in asked.items():
            place = self._places.get(word)
            if place is not None and (frequency := int(self.word_frequencies[place])):
                found[place] = count * float(np.float32(idf(frequency, self.passages)))
        return found

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def to_text(self) -> str:
        """Return them as text."""
        content = {one.name: getattr(self, one.name) for one in fields(self)}
        content |= {name: _packed(content[name].astype("<i8").tobytes()) for name in _COUNTS}
        words = _packed("\n".join(self.words).encode())
        return json.dumps({**content, "format": FORMAT, "scoring": asdict(self.scoring), "words": words})

    @classmethod
    def from_text(cls, text: str) -> Statistics:
        """Read them back."""
        content = json.loads(text)
        if (found := content.pop("format", None)) != FORMAT:
            raise EngineError(f"The statistics have format {found}, this version reads {FORMAT}. Push the index again.")
        content |= {name: np.frombuffer(_unpacked(content[name]), "<i8").astype(np.int64) for name in _COUNTS}
        words = _unpacked(content["words"]).decode()
        content |= {"scoring": ScoringConfig(**content["scoring"]), "words": tuple(words.split("\n")) if words else ()}
        return cls(**content)

    def scored(self, scoring: ScoringConfig) -> CenterStatistics:
        """Return what each center is worth. alpha and rho are free; gamma and smoothing are in the vectors and must be theirs."""
        if norm_of(scoring) != norm_of(self.scoring):
            raise MismatchError(
                f"The collection was pushed with {norm_of(self.scoring)}, this search uses {norm_of(scoring)}. "
                f"Search with {norm_of(self.scoring)}, or push the index again under another name."
            )
        return CenterStatistics.compute(self.frequencies, self.passages, scoring)

    def require(self, vocabulary: str, name: str) -> None:
        """Refuse a model that is not the one the collection was made with."""
        if vocabulary != self.vocabulary:
            raise MismatchError(
                f"The collection '{name}' was made with vocabulary {self.vocabulary[:12] or '(none)'}, this model is "
                f"{vocabulary[:12]}. Search with the model of the index that was pushed."
            )


def _packed(content: bytes) -> str:
    return b64encode(zlib.compress(content, 9)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(b64decode(text))


def norm_of(scoring: ScoringConfig) -> str:
    """Name the part of a scoring that is in the vectors.

    >>> norm_of(ScoringConfig(gamma=0.25))
    'gamma 0.25 and smoothing 0'
    """
    return f"gamma {scoring.gamma:g} and smoothing {scoring.smoothing:g}"
