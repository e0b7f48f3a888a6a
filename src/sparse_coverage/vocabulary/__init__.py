"""Many spans in, a vocabulary of centers with radii and anchors out."""

from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.vocabulary.build import build_vocabulary, check_settings
from sparse_coverage.vocabulary.sampling import SampleConfig, SpanSample, draw_sample
from sparse_coverage.vocabulary.storage import load_vocabulary, publish, save_vocabulary, vocabulary_folder
from sparse_coverage.vocabulary.vocabulary import Anchor, Vocabulary, VocabularyConfig

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
