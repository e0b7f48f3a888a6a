"""From the activations of a text's spans to one sparse vector: the maximum over spans, center by center."""

from __future__ import annotations

import numpy as np

from sparse_coverage.spans.span import Spans
from sparse_coverage.vectors.activation import Activations
from sparse_coverage.vectors.sparse_vector import SparseVector


def aggregate(spans: Spans, activations: Activations, repeats: float = 0.0) -> SparseVector:
    """Give each center its largest similarity, times n^`repeats` where n spans activate it, and the first span that reaches it.

    A weight that is not positive is no evidence (the paper counts a center as present only where w > 0) and is left out.
    """
    span, place = np.nonzero((activations.centers >= 0) & (activations.similarities > 0))
    center = activations.centers[span, place]
    weight = activations.similarities[span, place]
    order = np.lexsort((span, -weight, center))
    center, weight, span = center[order], weight[order], span[order]
    first = np.concatenate(([True], center[1:] != center[:-1])) if len(center) else np.zeros(0, dtype=bool)
    winners = span[first]
    weight = weight[first]
    if repeats:
        times = np.diff(np.flatnonzero(np.append(first, True)))
        weight = (weight * times**repeats).astype(np.float32)
    return SparseVector(
        centers=center[first],
        weights=weight,
        spans=winners.astype(np.int32),
        starts=spans.starts[winners],
        ends=spans.ends[winners],
        span_count=len(spans),
        uncovered=activations.uncovered(),
    )
