"""Other ways to rank the same texts: BM25, dense vectors, SPLADE, ColBERT. Each a side of an index, each a retriever."""

from sparse_coverage.baselines.bm25 import Bm25
from sparse_coverage.baselines.colbert import Colbert
from sparse_coverage.baselines.dense import Dense
from sparse_coverage.baselines.retriever import Baseline
from sparse_coverage.baselines.splade import Splade
from sparse_coverage.baselines.systems import KINDS, load_side, open_baseline, open_hybrid, refresh_sides
from sparse_coverage.baselines.types import Block, Scorer, Side

__all__ = [
    "KINDS",
    "Baseline",
    "Block",
    "Bm25",
    "Colbert",
    "Dense",
    "Scorer",
    "Side",
    "Splade",
    "load_side",
    "open_baseline",
    "open_hybrid",
    "refresh_sides",
]
