"""Sparse Coverage: prior-art search over patents with semantic centers in an inverted index.

The names below are loaded when first used, so that importing the package, or one room of it, costs nothing more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparse_coverage.encoding import load_encoder
    from sparse_coverage.model import SparseCoverage
    from sparse_coverage.patents import Passage, Patent, read_patents
    from sparse_coverage.presets import Preset
    from sparse_coverage.search import Index, ScoringConfig
    from sparse_coverage.vectors import ActivationConfig, SparseVector

__version__ = "0.1.0"
__all__ = [
    "ActivationConfig",
    "Index",
    "Passage",
    "Patent",
    "Preset",
    "ScoringConfig",
    "SparseCoverage",
    "SparseVector",
    "load_encoder",
    "read_patents",
]

_HOMES = {
    "ActivationConfig": "vectors",
    "Index": "search",
    "Passage": "patents",
    "Patent": "patents",
    "Preset": "presets",
    "ScoringConfig": "search",
    "SparseCoverage": "model",
    "SparseVector": "vectors",
    "load_encoder": "encoding",
    "read_patents": "patents",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sparse_coverage' has no attribute {name!r}")
    return getattr(importlib.import_module(f"sparse_coverage.{_HOMES[name]}"), name)
