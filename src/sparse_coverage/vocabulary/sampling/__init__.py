"""Documents in, a sample of their spans on disk out: what the centers are chosen from."""

from typing import TYPE_CHECKING

from sparse_coverage.lazy import lazy_names
from sparse_coverage.vocabulary.sampling.documents import (
    EVERYTHING,
    Documents,
    Restriction,
    Sampling,
    opened,
    sample_by_year,
)

if TYPE_CHECKING:
    from sparse_coverage.vocabulary.sampling.sample import SpanSample
    from sparse_coverage.vocabulary.sampling.sampler import SampleConfig, draw_sample

__all__ = [
    "EVERYTHING",
    "Documents",
    "Restriction",
    "SampleConfig",
    "Sampling",
    "SpanSample",
    "draw_sample",
    "opened",
    "sample_by_year",
]

__getattr__ = lazy_names(__name__, {"sample": "SpanSample", "sampler": "SampleConfig draw_sample"})
