"""Documents in, a sample of their spans on disk out: what the centers are chosen from."""

from typing import TYPE_CHECKING

from sparse_coverage.later import loaded_later
from sparse_coverage.vocabulary.sampling.documents import Documents, opened, sample_by_year
from sparse_coverage.vocabulary.sampling.restriction import EVERYTHING, Restriction

if TYPE_CHECKING:
    from sparse_coverage.vocabulary.sampling.sample import SpanSample
    from sparse_coverage.vocabulary.sampling.sampler import SampleConfig, draw_sample

__all__ = [
    "EVERYTHING",
    "Documents",
    "Restriction",
    "SampleConfig",
    "SpanSample",
    "draw_sample",
    "opened",
    "sample_by_year",
]

__getattr__ = loaded_later(__name__, {"sample": "SpanSample", "sampler": "SampleConfig draw_sample"})
