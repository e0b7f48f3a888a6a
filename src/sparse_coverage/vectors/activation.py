"""Which centers each span activates: all within their radius, then the K most similar. Exact, for millions of spans.

Products of 16-bit vectors screen, a tile at a time, so nothing as wide as the vocabulary is ever written to memory; every
pair that passes is decided by the canonical distance. The result depends on no block, thread or BLAS.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import NORM_LIMIT, PANEL, Floats, Int32s, Int64s, Workers, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.dense import count_covering_centers, cover
from sparse_coverage.kernels.screening import NEVER, fill_limits
from sparse_coverage.spans.span import Spans
from sparse_coverage.vocabulary.points import BLOCK, Centers, quantise, unusable
from sparse_coverage.vocabulary.vocabulary import Vocabulary

# Sparse vectors that remember which span made each weight, and which centers a span activates.

Assignment = Literal["soft", "nearest", "hard"]
MOST_REPEATS = 4.0
"""The largest exponent of repeats: with it, the weight of a center that 65,536 spans activate is still a number."""


@dataclass(frozen=True, slots=True)
class ActivationConfig:
    """Which centers a span activates.

    `soft`: the `k` most similar centers among all whose radius covers the span; `nearest`: the `k` most similar centers,
    whatever their radius; `hard`: the single nearest center. `repeats`: in a query, a center that n spans activate counts n^repeats times.
    `passage_repeats`: in a passage, whose weights stay below 1, its weight w becomes w^(1 / n^passage_repeats).

    >>> ActivationConfig(k=3).assignment
    'soft'
    """

    k: int = 5
    assignment: Assignment = "soft"
    repeats: float = 0.0
    passage_repeats: float = 0.0

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"k, the number of centers a span may activate, must be at least 1, not {self.k}.")
        for name in ("repeats", "passage_repeats"):
            if not 0 <= getattr(self, name) <= MOST_REPEATS:
                raise InputError(f"{name} is an exponent from 0 to {MOST_REPEATS:g}, not {getattr(self, name)}.")


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """One text over the vocabulary: active centers in rising order, their weights, and the span behind each weight.

    `spans[i]` is the ordinal of the span that gave `weights[i]`, and `starts[i]:ends[i]` its place in the text.
    `span_count` counts all spans of the text, `uncovered` those that no center covered. `whole` is one vector of the text as a
    whole, where it is known.
    """

    centers: Int32s
    weights: Floats
    spans: Int32s
    starts: Int32s
    ends: Int32s
    span_count: int
    uncovered: int
    whole: Floats | None = None

    def __len__(self) -> int:
        return len(self.centers)

    def as_dict(self) -> dict[int, float]:
        """Return center numbers and weights as a plain dictionary."""
        return dict(zip(self.centers.tolist(), self.weights.tolist(), strict=True))


_EVERYWHERE = 3.0
"""A radius that covers everything: no two directions are farther apart than 2."""


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """For each span its active centers, most similar first, padded with -1, and their cosine similarities."""

    centers: Int32s
    similarities: Floats

    def uncovered(self) -> int:
        """Return how many spans activate nothing."""
        return int((self.centers[:, 0] < 0).sum())


def activate(
    vectors: Floats, vocabulary: Vocabulary, config: ActivationConfig, *, threads: int | None = 1
) -> Activations:
    """Return the centers that each span vector activates. The vectors are L2-normalised rows of one text.

    Those of several texts go to `activate_all`: where a common part is removed, the last bits of a row depend on the others.
    """
    return activate_all([vectors], vocabulary, config, threads=threads)


def activate_all(
    texts: Sequence[Floats], vocabulary: Vocabulary, config: ActivationConfig, *, threads: int | None = 1
) -> Activations:
    """Return the centers that the span vectors of texts activate, one text after the other: as each alone would."""
    width = vocabulary.centers.shape[1]
    for vectors in texts:
        if vectors.shape[1] != width:
            raise InputError(
                f"The span vectors have {vectors.shape[1]} dimensions, the centers {width}. "
                "They come from different encoders."
            )
    ready = [vocabulary.prepared(vectors) for vectors in texts]
    vectors = ready[0] if len(ready) == 1 else np.concatenate([np.empty((0, width), np.float32), *ready])
    k = 1 if config.assignment == "hard" else config.k
    centers = np.full((len(vectors), k), -1, dtype=np.int32)
    distances = np.full((len(vectors), k), np.inf, dtype=np.float32)
    radii = vocabulary.radii if config.assignment == "soft" else None
    _cover(vectors, vocabulary, radii, centers, distances, threads)
    return Activations(centers, np.float32(1) - distances)


def count_covering(vectors: Floats, vocabulary: Vocabulary, *, threads: int | None = None) -> Int64s:
    """Return how many centers cover each span, before any cap: the number within whose radius it lies."""
    vectors = vocabulary.prepared(vectors)
    counts = np.zeros(len(vectors), dtype=np.int64)
    packed, radii = vocabulary.packed, vocabulary.radii
    limits = _limits(radii, packed)

    def work(top: int) -> None:
        rows = vectors[top : top + BLOCK]
        part = counts[top : top + BLOCK]
        count_covering_centers(rows, quantise(rows), packed.rows, packed.panels, radii, limits, packed.margin, part)

    with Workers(threads) as workers:
        workers.each(work, range(0, len(vectors), BLOCK))
    return counts


def _cover(
    vectors: Floats,
    vocabulary: Vocabulary,
    radii: Floats | None,
    centers: Int32s,
    distances: Floats,
    threads: int | None,
) -> None:
    """Fill in the nearest centers that cover each vector, or without radii the nearest of all."""
    if not len(vocabulary):
        return
    if not machine_code(plain.cover_seconds(len(vectors), len(vocabulary))):
        bad = plain.first_bad_row(vectors, NORM_LIMIT)
        if bad >= 0:
            raise unusable(bad)
        plain.cover(vectors, vocabulary.centers, radii, centers, distances)
        return
    packed = vocabulary.packed
    within = np.full(len(vocabulary), _EVERYWHERE, dtype=np.float32) if radii is None else radii
    limits = _limits(within, packed)

    def work(top: int) -> None:
        part = slice(top, top + BLOCK)
        rows = vectors[part]
        cover(
            rows,
            quantise(rows),
            packed.rows,
            packed.panels,
            within,
            limits,
            packed.margin,
            centers[part],
            distances[part],
        )

    with Workers(threads) as workers:
        workers.each(work, range(0, len(vectors), BLOCK))


def _limits(radii: Floats, packed: Centers) -> Int32s:
    """Return the product that every span within a center's radius reaches; places after the last center are never reached."""
    limits = np.full(len(packed.panels.pairs) * PANEL, NEVER, dtype=np.int32)
    fill_limits(radii, packed.margin, limits)
    return limits


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
        whole=spans.whole(),
    )
