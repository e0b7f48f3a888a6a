"""Sparse Coverage: prior-art search over patents with semantic centers in an inverted index."""

from sparse_coverage.encoding import load_encoder
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Passage, Patent, read_patents
from sparse_coverage.search import Index, ScoringConfig
from sparse_coverage.vectors import ActivationConfig, SparseVector

__version__ = "0.1.0"
__all__ = [
    "ActivationConfig",
    "Index",
    "Passage",
    "Patent",
    "ScoringConfig",
    "SparseCoverage",
    "SparseVector",
    "load_encoder",
    "read_patents",
]
