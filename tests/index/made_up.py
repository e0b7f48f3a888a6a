"""Made-up documents with made-up sparse vectors, and what an index of them must hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.index import DocumentRecord, IndexedPassage, IndexWriter, PassageRecord
from sparse_coverage.vectors import SparseVector

CENTERS = 23
DIMENSION = 8
KEPT: dict[str, Any] = {"words": True, "dimension": DIMENSION}
"""What a made-up index keeps beside its centers."""


def vector(weights: Mapping[int, float], spans: Mapping[int, int] | None = None, span_count: int = 7) -> SparseVector:
    """A sparse vector from a dictionary of weights."""
    centers = sorted(weights)
    ordinals = np.asarray([(spans or {}).get(center, center % 5) for center in centers], dtype=np.int32)
    return SparseVector(
        np.asarray(centers, dtype=np.int32),
        np.asarray([weights[center] for center in centers], dtype=np.float32),
        ordinals,
        ordinals,
        ordinals + 1,
        span_count,
        span_count // 3,
    )


def whole(id_: str) -> np.ndarray:
    """A vector of length 1 that depends on the id of a passage alone."""
    numbers = np.frombuffer(blake2b(id_.encode(), digest_size=DIMENSION).digest(), dtype=np.int8).astype(np.float32)
    return numbers / np.linalg.norm(numbers)


@dataclass(frozen=True)
class Made:
    """A made-up document: the weights and the span count of each unit, and its metadata."""

    id: str
    units: tuple[tuple[Mapping[int, float], int], ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    section: str = "claims"

    @property
    def record(self) -> DocumentRecord:
        return DocumentRecord(self.id, f"Title of {self.id}", self.metadata)

    @property
    def indexed(self) -> list[IndexedPassage]:
        return [
            IndexedPassage(
                PassageRecord(f"{self.id}/{number}", self.id, self.section, f"text {number} of {self.id}"),
                vector(weights, span_count=spans),
                whole(f"{self.id}/{number}"),
            )
            for number, (weights, spans) in enumerate(self.units)
        ]


def random_document(id_: str, random: np.random.Generator, units: int | None = None, **metadata: Any) -> Made:
    """A document of one to four units over few centers, so that lists are shared and scores tie now and then."""
    made = []
    for _ in range(units or int(random.integers(1, 5))):
        chosen = random.choice(CENTERS, size=int(random.integers(0, 9)), replace=False)
        weights = {int(center): float(random.choice([0.25, 0.5, 0.75, 0.9, 1.0])) for center in chosen}
        made.append((weights, int(random.integers(1, 40))))
    return Made(id_, tuple(made), metadata)


def build(folder: Path, documents: Sequence[Made], **options: Any) -> None:
    """A fresh index of some documents."""
    with IndexWriter.create(folder, CENTERS, {}, **KEPT, **options) as writer:
        for made in documents:
            writer.add(made.record, made.indexed)
        writer.commit()
