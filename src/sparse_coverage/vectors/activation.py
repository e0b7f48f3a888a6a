"""Which centers each span activates: all within their radius, then the K most similar. Exact, for millions of spans.

Products of 16-bit vectors screen, a tile at a time, so nothing as wide as the vocabulary is ever written to memory; every
pair that passes is decided by the canonical distance. The result depends on no block, thread or BLAS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats, Int32s, Int64s, plain
from sparse_coverage.kernels.choosing import machine_code
from sparse_coverage.kernels.dense import count_covering_centers, cover
from sparse_coverage.kernels.screening import NEVER, fill_limits
from sparse_coverage.kernels.sizes import NORM_LIMIT, PANEL
from sparse_coverage.kernels.threads import Workers
from sparse_coverage.vectors.sparse_vector import ActivationConfig
from sparse_coverage.vocabulary.quantised import BLOCK, Centers, quantise, unusable
from sparse_coverage.vocabulary.vocabulary import Vocabulary

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
    if config.k < 1:
        raise InputError(f"K, the number of centers a span may activate, must be at least 1, not {config.k}.")
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
    if config.uncovered == "nearest" and radii is not None:
        empty = np.flatnonzero(centers[:, 0] < 0)
        if len(empty):
            nearest, how_far = centers[empty, :1], distances[empty, :1]
            _cover(vectors[empty], vocabulary, None, nearest, how_far, threads)
            centers[empty, :1], distances[empty, :1] = nearest, how_far
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
