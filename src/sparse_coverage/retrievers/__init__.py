"""Other ways to rank the same texts, and ways to join them: SPLADE, ColBERT, fusion, reranking.

Each of the other ways is loaded when it is first used, and so is what speaks to a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparse_coverage.package import lazy_names
from sparse_coverage.retrievers.baseline import Baseline, RankingSide, Scorer
from sparse_coverage.retrievers.joining import ByRetriever, Fuse, Rerank, Reranker
from sparse_coverage.retrievers.opening import (
    SystemContext,
    load_side,
    open_index,
    open_retriever,
    refresh_sides,
    retriever_over,
)
from sparse_coverage.systems import KINDS, RANKINGS, RERANKERS, FusionRule, System

if TYPE_CHECKING:
    from sparse_coverage.retrievers.colbert import Colbert
    from sparse_coverage.retrievers.remote import Client, RemoteError
    from sparse_coverage.retrievers.splade import Splade

__all__ = [
    "KINDS",
    "RANKINGS",
    "RERANKERS",
    "Baseline",
    "ByRetriever",
    "Client",
    "Colbert",
    "Fuse",
    "FusionRule",
    "RankingSide",
    "RemoteError",
    "Rerank",
    "Reranker",
    "Scorer",
    "Splade",
    "System",
    "SystemContext",
    "load_side",
    "open_index",
    "open_retriever",
    "refresh_sides",
    "retriever_over",
]

__getattr__ = lazy_names(
    __name__,
    {"colbert": "Colbert", "remote": "Client RemoteError", "splade": "Splade"},
)
