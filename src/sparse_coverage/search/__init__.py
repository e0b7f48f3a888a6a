"""Query text in, ranked and explained hits out."""

from typing import TYPE_CHECKING

from sparse_coverage.index import Filter, parse_filter
from sparse_coverage.package import lazy_names
from sparse_coverage.search.feedback import Marks
from sparse_coverage.search.index import Index
from sparse_coverage.search.ranking import ScoringConfig
from sparse_coverage.search.results import Answer, Answers, Explanation, Hit, Match, PassageHit, QueryCost
from sparse_coverage.search.searcher import Retriever

if TYPE_CHECKING:
    from sparse_coverage.search.building import is_unfinished

__all__ = [
    "Answer",
    "Answers",
    "Explanation",
    "Filter",
    "Hit",
    "Index",
    "Marks",
    "Match",
    "PassageHit",
    "QueryCost",
    "Retriever",
    "ScoringConfig",
    "is_unfinished",
    "parse_filter",
]

__getattr__ = lazy_names(__name__, {"building": "is_unfinished"})
