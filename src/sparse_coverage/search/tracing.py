"""A query's sparse vector together with everything each of its spans activated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.model import SparseCoverage
from sparse_coverage.search.types import Place
from sparse_coverage.spans import get_unit
from sparse_coverage.vectors import Activations, SparseVector, activate, aggregate


@dataclass(frozen=True, slots=True, eq=False)
class TracedQuery:
    """A query, its vector, the places of all its spans, and the centers that each of them activated."""

    text: str
    vector: SparseVector
    places: tuple[Place, ...]
    activations: Activations

    def spans_without(self, centers: npt.NDArray[np.int64]) -> list[Place]:
        """Return the spans that activate none of these centers."""
        found = np.isin(self.activations.centers, centers) & (self.activations.similarities > 0)
        return [self.places[row] for row in np.flatnonzero(~found.any(axis=1)).tolist()]


def trace_query(model: SparseCoverage, text: str) -> TracedQuery:
    """Encode a query and keep what its vector forgets: the centers of spans that were not the strongest."""
    spans = get_unit(model.vocabulary.config.unit).pool(text, next(iter(model.encoder.encode([text]))))
    activations = activate(spans.vectors, model.vocabulary, model.activation)
    places = tuple(
        Place(text[start:end], start, end)
        for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
    )
    return TracedQuery(text, aggregate(spans, activations), places, activations)
