"""Query text in, ranked and explained hits out."""

from typing import TYPE_CHECKING

from sparse_coverage.index import Filter, parse_filter
from sparse_coverage.later import loaded_later
from sparse_coverage.search.families import FamilyMembers, by_family
from sparse_coverage.search.index import Index
from sparse_coverage.search.marks import Marks
from sparse_coverage.search.results import Answer, Answers, Explanation, Hit, Match, PassageHit, QueryCost
from sparse_coverage.search.searcher import Retriever
from sparse_coverage.search.statistics import ScoringConfig
from sparse_coverage.vectors.aggregation import Best, DecayedSum, TopMean

if TYPE_CHECKING:
    from sparse_coverage.search.building import is_unfinished

__all__ = [
    "Answer",
    "Answers",
    "Best",
    "DecayedSum",
    "Explanation",
    "FamilyMembers",
    "Filter",
    "Hit",
    "Index",
    "Marks",
    "Match",
    "PassageHit",
    "QueryCost",
    "Retriever",
    "ScoringConfig",
    "TopMean",
    "by_family",
    "is_unfinished",
    "parse_filter",
]

__getattr__ = loaded_later(__name__, {"building": "is_unfinished"})
