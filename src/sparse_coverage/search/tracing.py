"""A query's sparse vector together with everything each of its spans activated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.model import SparseCoverage
from sparse_coverage.search.results import Place, Unsearched
from sparse_coverage.vectors import Activations, SparseVector


@dataclass(frozen=True, slots=True, eq=False)
class TracedQuery:
    """A query, its vector, the places of all its spans, and the centers that each of them activated."""

    text: str
    vector: SparseVector
    places: tuple[Place, ...]
    activations: Activations

    def unsearched(self, stop: npt.NDArray[np.bool_]) -> Unsearched:
        """Return the spans that nothing can match: those that activate no center, and those with stop centers only."""
        active = self._active
        counted = active & ~stop[self.activations.centers]
        return Unsearched(
            self._places(~active.any(axis=1)),
            self._places(active.any(axis=1) & ~counted.any(axis=1)),
        )

    def unmatched(self, stop: npt.NDArray[np.bool_], centers: npt.NDArray[np.int64]) -> tuple[Place, ...]:
        """Return the spans that activate centers which count, but none of these."""
        counted = self._active & ~stop[self.activations.centers]
        found = counted & np.isin(self.activations.centers, centers)
        return self._places(counted.any(axis=1) & ~found.any(axis=1))

    @property
    def _active(self) -> npt.NDArray[np.bool_]:
        return np.asarray((self.activations.centers >= 0) & (self.activations.similarities > 0))

    def _places(self, rows: npt.ArrayLike) -> tuple[Place, ...]:
        return tuple(self.places[row] for row in np.flatnonzero(rows).tolist())


def trace_query(model: SparseCoverage, text: str) -> TracedQuery:
    """Encode a query and keep what its vector forgets: the centers of spans that were not the strongest."""
    [traced] = model.trace([text], query=True)
    places = tuple(
        Place(text[start:end], start, end)
        for start, end in zip(traced.spans.starts.tolist(), traced.spans.ends.tolist(), strict=True)
    )
    return TracedQuery(text, traced.vector, places, traced.activations)
