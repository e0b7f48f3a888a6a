"""Other ways to rank the same texts, and ways to join them: BM25, dense vectors, SPLADE, ColBERT, fusion, reranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparse_coverage.retrievers.baseline import Baseline
from sparse_coverage.retrievers.bm25 import Bm25
from sparse_coverage.retrievers.colbert import Colbert
from sparse_coverage.retrievers.dense import Dense
from sparse_coverage.retrievers.fusion import Fuse
from sparse_coverage.retrievers.opening import (
    RERANKERS,
    coverage_of,
    load_side,
    open_index,
    open_retriever,
    refresh_sides,
    retriever_over,
)
from sparse_coverage.retrievers.reranking import ByRetriever, Rerank, Reranker, Rescore
from sparse_coverage.retrievers.side import Block, Scorer, Side
from sparse_coverage.retrievers.splade import Splade
from sparse_coverage.systems import KINDS, SYSTEMS, FusionLevel, FusionRule

if TYPE_CHECKING:
    from sparse_coverage.retrievers.remote import Client, RemoteError

__all__ = [
    "KINDS",
    "RERANKERS",
    "SYSTEMS",
    "Baseline",
    "Block",
    "Bm25",
    "ByRetriever",
    "Client",
    "Colbert",
    "Dense",
    "Fuse",
    "FusionLevel",
    "FusionRule",
    "RemoteError",
    "Rerank",
    "Reranker",
    "Rescore",
    "Scorer",
    "Side",
    "Splade",
    "coverage_of",
    "load_side",
    "open_index",
    "open_retriever",
    "refresh_sides",
    "retriever_over",
]


def __getattr__(name: str) -> Any:
    """Load what speaks to a server when it is first used: it brings all of HTTP with it."""
    if name in ("Client", "RemoteError"):
        from sparse_coverage.retrievers import remote

        return getattr(remote, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
