"""Other ways to rank the same texts: BM25, dense vectors, SPLADE, ColBERT. Each a side of an index, each a retriever."""

from sparse_coverage.retrievers.baseline import Baseline
from sparse_coverage.retrievers.bm25 import Bm25
from sparse_coverage.retrievers.colbert import Colbert
from sparse_coverage.retrievers.dense import Dense
from sparse_coverage.retrievers.fusion import Fuse, FusionLevel
from sparse_coverage.retrievers.fusion_scores import FusionRule
from sparse_coverage.retrievers.opening import KINDS, load_side, open_baseline, open_hybrid, refresh_sides
from sparse_coverage.retrievers.rescoring import Rescore
from sparse_coverage.retrievers.side import Block, Scorer, Side
from sparse_coverage.retrievers.splade import Splade

__all__ = [
    "KINDS",
    "Baseline",
    "Block",
    "Bm25",
    "Colbert",
    "Dense",
    "Fuse",
    "FusionLevel",
    "FusionRule",
    "Rescore",
    "Scorer",
    "Side",
    "Splade",
    "load_side",
    "open_baseline",
    "open_hybrid",
    "refresh_sides",
]
