"""Sparse Coverage: prior-art search over patents with semantic centers in an inverted index.

The names below are loaded when first used, so that importing the package, or one package inside it, costs nothing more.
Each has an example in `docs/api.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparse_coverage.later import loaded_later
from sparse_coverage.version import __version__

if TYPE_CHECKING:
    from sparse_coverage.encoding import load_encoder
    from sparse_coverage.errors import (
        IndexStoreError,
        InputError,
        MismatchError,
        MissingExtraError,
        ModelError,
        SparseCoverageError,
        VocabularyError,
    )
    from sparse_coverage.model import SparseCoverage
    from sparse_coverage.patents import Claim, Paragraph, Passage, Patent, read_patents
    from sparse_coverage.presets import Preset
    from sparse_coverage.retrievers import Client, Fuse, Reranker, Rescore, open_retriever
    from sparse_coverage.search import (
        Answers,
        Best,
        DecayedSum,
        Explanation,
        Filter,
        Hit,
        Index,
        PassageHit,
        Retriever,
        ScoringConfig,
        TopMean,
        parse_filter,
    )
    from sparse_coverage.vectors import ActivationConfig, SparseVector

__all__ = [
    "ActivationConfig",
    "Answers",
    "Best",
    "Claim",
    "Client",
    "DecayedSum",
    "Explanation",
    "Filter",
    "Fuse",
    "Hit",
    "Index",
    "IndexStoreError",
    "InputError",
    "MismatchError",
    "MissingExtraError",
    "ModelError",
    "Paragraph",
    "Passage",
    "PassageHit",
    "Patent",
    "Preset",
    "Reranker",
    "Rescore",
    "Retriever",
    "ScoringConfig",
    "SparseCoverage",
    "SparseCoverageError",
    "SparseVector",
    "TopMean",
    "VocabularyError",
    "__version__",
    "load_encoder",
    "open_retriever",
    "parse_filter",
    "read_patents",
]

_NAMES = {
    "encoding": "load_encoder",
    "errors": "IndexStoreError InputError MismatchError MissingExtraError ModelError SparseCoverageError VocabularyError",
    "model": "SparseCoverage",
    "patents": "Claim Paragraph Passage Patent read_patents",
    "presets": "Preset",
    "retrievers": "Client Fuse Rescore Reranker open_retriever",
    "search": "Answers Best DecayedSum Explanation Filter Hit Index PassageHit Retriever ScoringConfig TopMean parse_filter",
    "vectors": "ActivationConfig SparseVector",
}
__getattr__ = loaded_later(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
