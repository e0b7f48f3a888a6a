"""Other ways to rank the same texts, and ways to join them: BM25, dense vectors, SPLADE, ColBERT, fusion, reranking.

Each of the other ways is loaded when it is first used, and so is what speaks to a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparse_coverage.later import loaded_later
from sparse_coverage.retrievers.baseline import Baseline
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
from sparse_coverage.systems import KINDS, SYSTEMS, FusionLevel, FusionRule

if TYPE_CHECKING:
    from sparse_coverage.retrievers.bm25 import Bm25
    from sparse_coverage.retrievers.colbert import Colbert
    from sparse_coverage.retrievers.dense import Dense
    from sparse_coverage.retrievers.remote import Client, RemoteError
    from sparse_coverage.retrievers.splade import Splade

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

__getattr__ = loaded_later(
    __name__,
    {"bm25": "Bm25", "colbert": "Colbert", "dense": "Dense", "remote": "Client RemoteError", "splade": "Splade"},
)
