"""Many spans in, a vocabulary of centers with radii and anchors out.

What makes a vocabulary is loaded when it is first used: whoever only searches has one.
"""

from typing import TYPE_CHECKING

from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.later import loaded_later
from sparse_coverage.vocabulary.storage import load_vocabulary, publish, save_vocabulary, vocabulary_folder
from sparse_coverage.vocabulary.vocabulary import Anchor, Vocabulary, VocabularyConfig

if TYPE_CHECKING:
    from sparse_coverage.vocabulary.build import build_vocabulary, check_settings
    from sparse_coverage.vocabulary.sampling import SampleConfig, SpanSample, draw_sample

__all__ = [
    "Anchor",
    "SampleConfig",
    "SpanSample",
    "Vocabulary",
    "VocabularyConfig",
    "build_vocabulary",
    "canonical_distance",
    "check_settings",
    "draw_sample",
    "load_vocabulary",
    "publish",
    "save_vocabulary",
    "vocabulary_folder",
]

__getattr__ = loaded_later(
    __name__, {"build": "build_vocabulary check_settings", "sampling": "SampleConfig SpanSample draw_sample"}
)
