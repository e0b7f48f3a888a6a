"""Query text in, ranked and explained hits out."""

from sparse_coverage.index import Filter, parse_filter
from sparse_coverage.search.aggregation import Best, DecayedSum, TopMean
from sparse_coverage.search.building import is_unfinished
from sparse_coverage.search.fusing import How
from sparse_coverage.search.fusion import Fuse, Level
from sparse_coverage.search.index import Index
from sparse_coverage.search.rescoring import Rescore
from sparse_coverage.search.scoring import ScoringConfig
from sparse_coverage.search.types import Answer, Answers, Explanation, Hit, Match, PassageHit, QueryCost, Retriever

__all__ = [
    "Answer",
    "Answers",
    "Best",
    "DecayedSum",
    "Explanation",
    "Filter",
    "Fuse",
    "Hit",
    "How",
    "Index",
    "Level",
    "Match",
    "PassageHit",
    "QueryCost",
    "Rescore",
    "Retriever",
    "ScoringConfig",
    "TopMean",
    "is_unfinished",
    "parse_filter",
]
