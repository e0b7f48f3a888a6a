"""Sparse Coverage: prior-art search over patents with semantic centers in an inverted index.

The names below are loaded when first used, so that importing the package, or one package inside it, costs nothing more.
Each has an example in `docs/api.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparse_coverage.package import __version__, lazy_names

if TYPE_CHECKING:
    from sparse_coverage.charts.charting import Charts
    from sparse_coverage.charts.elements import read_claims
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
    from sparse_coverage.evaluation import Collection, load_collection
    from sparse_coverage.experiments import Results, Variant, evaluate
    from sparse_coverage.model import SparseCoverage
    from sparse_coverage.patents import Claim, Paragraph, Passage, Patent, read_patents
    from sparse_coverage.presets import Preset
    from sparse_coverage.retrievers import Client, Fuse, Rerank, Reranker, open_retriever
    from sparse_coverage.search import (
        Answers,
        Explanation,
        Filter,
        Hit,
        Index,
        Marks,
        PassageHit,
        Retriever,
        ScoringConfig,
        parse_filter,
    )
    from sparse_coverage.vectors import ActivationConfig, SparseVector
    from sparse_coverage.vocabulary import Sampling, Selection

__all__ = [
    "ActivationConfig",
    "Answers",
    "Charts",
    "Claim",
    "Client",
    "Collection",
    "Explanation",
    "Filter",
    "Fuse",
    "Hit",
    "Index",
    "IndexStoreError",
    "InputError",
    "Marks",
    "MismatchError",
    "MissingExtraError",
    "ModelError",
    "Paragraph",
    "Passage",
    "PassageHit",
    "Patent",
    "Preset",
    "Rerank",
    "Reranker",
    "Results",
    "Retriever",
    "Sampling",
    "ScoringConfig",
    "Selection",
    "SparseCoverage",
    "SparseCoverageError",
    "SparseVector",
    "Variant",
    "VocabularyError",
    "__version__",
    "evaluate",
    "load_collection",
    "load_encoder",
    "open_retriever",
    "parse_filter",
    "read_claims",
    "read_patents",
]

_NAMES = {
    "charts.charting": "Charts",
    "charts.elements": "read_claims",
    "encoding": "load_encoder",
    "errors": "IndexStoreError InputError MismatchError MissingExtraError ModelError SparseCoverageError VocabularyError",
    "evaluation": "Collection load_collection",
    "experiments": "Results Variant evaluate",
    "model": "SparseCoverage",
    "patents": "Claim Paragraph Passage Patent read_patents",
    "presets": "Preset",
    "retrievers": "Client Fuse Rerank Reranker open_retriever",
    "search": "Answers Explanation Filter Hit Index Marks PassageHit Retriever ScoringConfig parse_filter",
    "vectors": "ActivationConfig SparseVector",
    "vocabulary": "Sampling Selection",
}
__getattr__ = lazy_names(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
