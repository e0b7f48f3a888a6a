"""From the spans of texts to sparse vectors that can be traced back: every center that each span activates is kept beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparse_coverage.spans.span import Spans
from sparse_coverage.vectors.activation import Activations, activate_all
from sparse_coverage.vectors.sparse_vector import ActivationConfig, SparseVector
from sparse_coverage.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A text's sparse vector with what it was made from: its spans, and the centers that each of them activates."""

    vector: SparseVector
    spans: Spans
    activations: Activations


def trace(
    texts: Sequence[Spans],
    vocabulary: Vocabulary,
    config: ActivationConfig,
    *,
    query: bool = False,
    ks: Sequence[int] = (),
    threads: int | None = 1,
) -> Iterator[list[Traced]]:
    """Yield the sparse vectors of texts, given by their spans, all of which are compared with the centers at once.

    A text has one vector for each K in `ks` (by default the one of `config`): the first K of more active centers are those
    that K alone would give. In a `query` a center that several spans activate counts otherwise (see `ActivationConfig`).
    """
    ks = ks or (config.k,)
    rows = [spans.vectors for spans in texts]
    active = activate_all(rows, vocabulary, replace(config, k=max(ks)), threads=threads)
    first = 0
    for spans in texts:
        last = first + len(spans)
        parts = (Activations(active.centers[first:last, :k], active.similarities[first:last, :k]) for k in ks)
        yield [Traced(aggregate(spans, part, config, query=query), spans, part) for part in parts]
        first = last


def aggregate(spans: Spans, activations: Activations, config: ActivationConfig, *, query: bool = False) -> SparseVector:
    """Give each center its largest similarity, more where several spans activate it, and the first span that reaches it.

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
    times = np.diff(np.flatnonzero(np.append(first, True)))
    if query and config.repeats:
        weight = (weight * times**config.repeats).astype(np.float32)
    elif not query and config.passage_repeats:
        # Similarities of vectors of length 1 can be above 1 by a rounding error; a root must not make that more.
        weight = (np.minimum(weight, 1.0) ** (1 / times**config.passage_repeats)).astype(np.float32)
    return SparseVector(
        centers=center[first],
        weights=weight,
        spans=winners.astype(np.int32),
        starts=spans.starts[winners],
        ends=spans.ends[winners],
        span_count=len(spans),
        uncovered=activations.uncovered(),
    )
