"""Many spans in, a vocabulary of centers with radii and anchors out.

What makes a vocabulary is loaded when it is first used: whoever only searches has one.
"""

from typing import TYPE_CHECKING

from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.package import lazy_names
from sparse_coverage.vocabulary.storage import load_vocabulary, save_vocabulary, vocabulary_folder
from sparse_coverage.vocabulary.vocabulary import Anchor, Selection, Vocabulary, VocabularyConfig

if TYPE_CHECKING:
    from sparse_coverage.vocabulary.build import build_vocabulary, check_settings
    from sparse_coverage.vocabulary.sampler import SampleConfig, draw_sample
    from sparse_coverage.vocabulary.sampling import Sampling
    from sparse_coverage.vocabulary.span_sample import SpanSample

__all__ = [
    "Anchor",
    "SampleConfig",
    "Sampling",
    "Selection",
    "SpanSample",
    "Vocabulary",
    "VocabularyConfig",
    "build_vocabulary",
    "canonical_distance",
    "check_settings",
    "draw_sample",
    "load_vocabulary",
    "save_vocabulary",
    "vocabulary_folder",
]

__getattr__ = lazy_names(
    __name__,
    {
        "build": "build_vocabulary check_settings",
        "sampler": "SampleConfig draw_sample",
        "sampling": "Sampling",
        "span_sample": "SpanSample",
    },
)
