"""Query text in, ranked and explained hits out."""

from sparse_coverage.search.index import Index
from sparse_coverage.search.scoring import ScoringConfig
from sparse_coverage.search.types import Explanation, Hit, Match, PassageHit, Retriever

__all__ = ["Explanation", "Hit", "Index", "Match", "PassageHit", "Retriever", "ScoringConfig"]
