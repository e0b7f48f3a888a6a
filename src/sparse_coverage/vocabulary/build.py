"""From a sample of spans to a vocabulary."""

from __future__ import annotations

from sparse_coverage.encoding.types import Encoder
from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.radii import cell_radii, nearest_centers
from sparse_coverage.vocabulary.sample import SpanSample
from sparse_coverage.vocabulary.types import Vocabulary, VocabularyConfig

DEFAULT_SIZE = 10_000
SPANS_PER_CENTER = 10
"""Where no size is asked for, a small collection gets one center for this many spans."""


def build_vocabulary(
    sample: SpanSample, encoder: Encoder, unit: str, *, size: int | None = None, tau: float = 99.0, seed: int = 0
) -> Vocabulary:
    """Choose centers among the sampled spans and give each its radius.

    Without a `size`: 10,000 centers, or a tenth of the spans where that is fewer.
    """
    if not 0 < tau <= 100:
        raise InputError(f"tau is a percentile: above 0, at most 100, not {tau}.")
    if len(sample) == 0:
        raise VocabularyError("The texts hold no spans, so there is nothing to choose centers from.")
    if size is None:
        size = max(1, min(DEFAULT_SIZE, len(sample) // SPANS_PER_CENTER))
    points = sample.points()
    traversal = farthest_first(points, size, seed=seed)
    centers = points[traversal.rows]
    nearest, distances = nearest_centers(points, centers)
    config = VocabularyConfig(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        precision=encoder.precision,
        dimension=encoder.dimension,
        unit=unit,
        size=size,
        tau=tau,
        selection="farthest-first",
        seed=seed,
        spans=len(sample),
    )
    anchors = tuple(sample.anchor(int(row)) for row in traversal.rows)
    return Vocabulary(centers, cell_radii(nearest, distances, size, tau), anchors, config)
