"""What an export is made from: an index whose statistics are folded into its weights, so that a plain dot product is its score.

The document side is w(d,c) / (|S_d| + smoothing)^gamma, the query side w(q,c) * idf(c)^alpha. Stop centers are left out of both, deleted
passages are left out, and the others are numbered anew in corpus order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from sparse_coverage.errors import InputError, MismatchError
from sparse_coverage.index import IndexStore, PassageRecord, Segment, open_store
from sparse_coverage.index.postings import WEIGHT_SCALE
from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s, Uint32s
from sparse_coverage.search.own_model import MODEL_FOLDER
from sparse_coverage.search.ranking import CenterStatistics, ScoringConfig
from sparse_coverage.vectors import SparseVector
from sparse_coverage.vocabulary import load_vocabulary

MAX_BITS = 16
QUERY_BITS = 12
"""Engines of whole numbers weigh a term of a query by repeating it, so queries have no more bits than this."""
_PASSAGE, _WEIGHT = np.uint32(16), np.uint32(0xFFFF)  # a posting is passage << 16 | weight


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Sparse vectors one below the other: row i has the terms `terms[starts[i]:starts[i + 1]]`, rising, and their weights.

    Rows of passages also name the `documents` that they belong to.
    """

    ids: tuple[str, ...]
    starts: Int64s
    terms: Int32s
    weights: Floats
    documents: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[tuple[str, Int32s, Floats]]:
        for row, id_ in enumerate(self.ids):
            place = slice(int(self.starts[row]), int(self.starts[row + 1]))
            yield id_, self.terms[place], self.weights[place]


@dataclass(frozen=True, eq=False)
class Source:
    """An index as other engines see it. `names` are the terms."""

    store: IndexStore
    statistics: CenterStatistics
    names: Sequence[str]
    labels: Sequence[str] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.store.state.passages

    @property
    def postings(self) -> int:
        """How many weights there are, stop centers left out."""
        return int(self.store.frequencies[~self.statistics.stop].sum())

    @cached_property
    def largest(self) -> float:
        """The largest weight of any passage."""
        return max((float(rows.weights.max(initial=0.0)) for rows in self.blocks()), default=0.0)

    def blocks(self) -> Iterator[Rows]:
        """Yield the passages of one segment after the other."""
        for segment in self.store.segments:
            segment.packed.check_all()
            packed = segment.postings.packed
            lengths = segment.postings.frequencies
            centers = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
            counts = segment.live_passages[packed >> _PASSAGE] & ~self.statistics.stop[centers]
            packed, centers = packed[counts], centers[counts]
            order = np.argsort(packed >> _PASSAGE, kind="stable")  # terms stay rising
            packed = packed[order]
            sizes = np.bincount(packed >> _PASSAGE, minlength=len(segment))[segment.live_passages]
            live = _live_records(segment)
            yield Rows(
                tuple(record.id for record in live),
                np.concatenate(([0], np.cumsum(sizes))),
                centers[order],
                _folded(packed, self._factors(segment)),
                tuple(record.document for record in live),
            )

    def passages(self) -> Iterator[PassageRecord]:
        """Yield the passages in corpus order."""
        for segment in self.store.segments:
            yield from _live_records(segment)

    def queries(self, ids: Sequence[str], vectors: Sequence[SparseVector]) -> Rows:
        """Return the query side of some vectors."""
        sides = [self.statistics.factors(vector.centers, vector.weights) for vector in vectors]
        return Rows(
            tuple(ids),
            np.cumsum([0, *(len(centers) for centers, _ in sides)]),
            np.concatenate([np.zeros(0, np.int32), *(centers.astype(np.int32) for centers, _ in sides)]),
            np.concatenate([np.zeros(0, np.float32), *(weights.astype(np.float32) for _, weights in sides)]),
        )

    def _factors(self, segment: Segment) -> Doubles:
        """What the stored weights of each passage are multiplied by."""
        scale = 1.0 / WEIGHT_SCALE
        return self.statistics.norms(segment).astype(np.float64) * scale


def open_source(folder: Path, scoring: ScoringConfig) -> Source:
    """Open an index for export. Its encoder is not needed."""
    store = open_store(folder)
    vocabulary = load_vocabulary(folder / MODEL_FOLDER)
    if len(vocabulary) != store.state.centers:
        raise MismatchError(
            f"{folder}: the postings are over {store.state.centers:,} centers, the vocabulary beside them has {len(vocabulary):,}. "
            "Restore the model, or build the index again."
        )
    statistics = CenterStatistics.compute(store.frequencies, store.state.passages, scoring)
    names = center_names(len(vocabulary))
    labels = tuple(anchor.text for anchor in vocabulary.anchors)
    settings = ("alpha", "gamma", "rho", "smoothing", "rank")
    about = {"encoder": vocabulary.config.encoder, **{name: getattr(scoring, name) for name in settings}}
    return Source(store, statistics, names, labels, about=about)


def center_names(count: int) -> tuple[str, ...]:
    """Return what centers are called as terms: all of one length, so that their order as text is their order as numbers.

    >>> center_names(11)[:2], center_names(11)[-1]
    (('c00', 'c01'), 'c10')
    """
    width = len(str(max(count - 1, 0)))
    return tuple(f"c{center:0{width}d}" for center in range(count))


def _live_records(segment: Segment) -> list[PassageRecord]:
    records = segment.texts.passages_between(0, len(segment))
    return [records[number] for number in np.flatnonzero(segment.live_passages).tolist()]


def _folded(packed: Uint32s, factors: Doubles) -> Floats:
    return cast(Floats, ((packed & _WEIGHT) * factors[packed >> _PASSAGE]).astype(np.float32))


@dataclass(frozen=True, slots=True)
class Quantiser:
    """Gives weights as whole numbers, for engines that store nothing else: times one `scale`, rounded. Nothing becomes 0.

    The scale turns the largest weight into 2^bits - 1. One for all keeps the dot product proportional to the score:
    score = dot product / (scale of documents * scale of queries).
    """

    bits: int
    largest: float

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= MAX_BITS:
            raise InputError(f"A quantised weight has 1 to {MAX_BITS} bits, not {self.bits}.")

    @classmethod
    def for_queries(cls, bits: int, weights: Floats) -> Quantiser:
        """Return the quantiser of all queries of an export."""
        return cls(min(bits, QUERY_BITS), float(weights.max(initial=0.0)))

    @property
    def scale(self) -> float:
        """The whole number that the weight 1 becomes, before rounding."""
        return ((1 << self.bits) - 1) / self.largest if self.largest > 0 else 1.0

    def __call__(self, weights: Floats) -> Int64s:
        """Return the weights as whole numbers."""
        rounded = np.rint(weights.astype(np.float64) * self.scale)
        whole: Int64s = np.clip(rounded, 1, (1 << self.bits) - 1).astype(np.int64)
        return whole


def write_lines(path: Path, rows: Rows, names: Sequence[str], quantiser: Quantiser) -> None:
    """Write one object a line: `id`, `document`, an empty text (the texts stay in the index) and `vector`."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for document, (id_, terms, weights) in zip(rows.documents, rows, strict=True):
            vector = dict(zip((names[term] for term in terms.tolist()), quantiser(weights).tolist(), strict=True))
            record = {"id": id_, "document": document, "contents": "", "vector": vector}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
