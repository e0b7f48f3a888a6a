"""A corpus of the paper's shape, made up: passages over V centers whose popularity falls like a power of their rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numba
import numpy as np

from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.progress import tracked
from sparse_coverage.vectors import SparseVector

V = 50_000
DRAWS = 165  # about 160 distinct centers a passage
UNITS_PER_DOCUMENT = 82
BLOCK = 65_536
_WORDS = [
    f"{a}{b}{c}" for a in ("val", "pum", "sen", "hou") for b in ("ve", "pi", "so") for c in ("", "ng", "ral", "ment")
]


@dataclass(frozen=True)
class Corpus:
    """Sparse vectors one after the other: unit u has the entries starts[u] to starts[u + 1]."""

    starts: np.ndarray
    centers: np.ndarray
    weights: np.ndarray
    span_counts: np.ndarray

    def __len__(self) -> int:
        return len(self.span_counts)

    def vector(self, unit: int) -> SparseVector:
        place = slice(self.starts[unit], self.starts[unit + 1])
        ordinals = np.arange(place.stop - place.start, dtype=np.int32)
        spans = int(self.span_counts[unit])
        return SparseVector(self.centers[place], self.weights[place], ordinals, ordinals, ordinals + 1, spans, 0)


def popularity() -> tuple[np.ndarray, np.ndarray]:
    """The cumulative distribution over ranks, and which center has which rank."""
    falling = 1 / (np.arange(V) + 250) ** 0.9
    return np.cumsum(falling / falling.sum()), np.random.default_rng(1).permutation(V).astype(np.int32)


def make_blocks(units: int, seed: int = 0) -> Iterator[Corpus]:
    """Make the corpus block by block, so that memory does not grow with it."""
    cumulative, centers = popularity()
    cumulative[-1] = 1.0
    guide = np.searchsorted(cumulative, np.arange(1 << 20) / (1 << 20)).astype(np.int32)
    spans = np.random.default_rng(seed).integers(60, 260, units).astype(np.int32)
    for first in range(0, units, BLOCK):
        size = min(BLOCK, units - first)
        sizes, drawn, weights = _draw(size, cumulative, guide, centers, seed + first)
        yield Corpus(np.concatenate(([0], np.cumsum(sizes))), drawn, weights, spans[first : first + size])


def make_corpus(units: int, seed: int = 0) -> Corpus:
    parts = list(tracked(make_blocks(units, seed), "Making passages", -(-units // BLOCK)))
    return Corpus(
        np.concatenate(([0], np.cumsum(np.concatenate([np.diff(part.starts) for part in parts])))),
        np.concatenate([part.centers for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.span_counts for part in parts]),
    )


def make_queries(count: int, active: int, seed: int) -> list[SparseVector]:
    """Claims: vectors with about `active` centers, drawn like those of passages."""
    cumulative, centers = popularity()
    random = np.random.default_rng(seed)
    queries = []
    for _ in range(count):
        ranks = np.searchsorted(cumulative, random.random(int(active * 1.17)))
        chosen = np.unique(centers[np.minimum(ranks, V - 1)])
        weights = (0.4 + 0.6 * random.random(len(chosen)) ** 2).astype(np.float32)
        ordinals = np.arange(len(chosen), dtype=np.int32)
        queries.append(SparseVector(chosen, weights, ordinals, ordinals, ordinals + 1, len(chosen), 0))
    return queries


def write_index(folder: Path, blocks: Iterable[Corpus], *, words: int, seed: int = 0) -> None:
    """Index the corpus with our own writer: documents of 82 passages, each with a date and a text of some words."""
    random = np.random.default_rng(seed)
    text = " ".join(random.choice(_WORDS, size=200_000).tolist())
    numbers = count()
    with IndexWriter.create(folder, V, {"by": "passage"}) as writer:
        for block in blocks:
            for first in tracked(
                range(0, len(block), UNITS_PER_DOCUMENT), "Indexing", -(-len(block) // UNITS_PER_DOCUMENT)
            ):
                record = _document(next(numbers), random)
                last = min(first + UNITS_PER_DOCUMENT, len(block))
                writer.add(
                    record,
                    [_unit(record.id, block, unit, unit - first, text, words, random) for unit in range(first, last)],
                )
                if not writer.pending:
                    writer.commit(complete=False)
        writer.merge()


def _document(number: int, random: np.random.Generator) -> DocumentRecord:
    metadata: dict[str, Any] = {
        "publication_date": str(np.datetime64("1980-01-01") + int(random.integers(0, 10_000))),
        "country": "EP",
        "kind": "A1",
        "language": "en",
        "ipc": [f"H{number % 60:02d}N {number % 90 + 1}/44"],
        "family": str(number // 2),
    }
    return DocumentRecord(f"EP-{number:07d}-A1", f"Device {number}", metadata)


def _unit(
    document: str, block: Corpus, unit: int, place: int, text: str, words: int, random: np.random.Generator
) -> IndexedPassage:
    begin = int(random.integers(0, len(text) - 7 * words - 1))
    record = PassageRecord(
        f"{document}/description/p[{place + 1}]", document, "description", text[begin : begin + 6 * words]
    )
    return IndexedPassage(record, block.vector(unit))


@numba.njit(cache=True)
def _draw(units, cumulative, guide, centers, seed):  # type: ignore[no-untyped-def]
    np.random.seed(seed)
    seen = np.full(len(centers), -1, np.int32)
    sizes = np.zeros(units, np.int64)
    drawn = np.empty(units * DRAWS, np.int32)
    weights = np.empty(units * DRAWS, np.float32)
    end = 0
    for unit in range(units):
        first = end
        for _ in range(DRAWS):
            chance = np.random.random()
            rank = guide[int(chance * len(guide))]
            while cumulative[rank] < chance:
                rank += 1
            if seen[rank] != unit:
                seen[rank] = unit
                drawn[end] = centers[rank]
                weights[end] = 0.4 + 0.6 * np.random.random() ** 2
                end += 1
        drawn[first:end].sort()
        sizes[unit] = end - first
    return sizes, drawn[:end].copy(), weights[:end].copy()
