"""Many spans in, a vocabulary of centers with radii and anchors out."""

from sparse_coverage.vocabulary.build import build_vocabulary
from sparse_coverage.vocabulary.sample import SpanSample
from sparse_coverage.vocabulary.storage import load_vocabulary, save_vocabulary
from sparse_coverage.vocabulary.types import Anchor, Vocabulary, VocabularyConfig

__all__ = [
    "Anchor",
    "SpanSample",
    "Vocabulary",
    "VocabularyConfig",
    "build_vocabulary",
    "load_vocabulary",
    "save_vocabulary",
]
