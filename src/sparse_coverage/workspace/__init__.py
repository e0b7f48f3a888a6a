"""What a person or program can ask of an index, once: requests in, results out. The command line, REST and assistants call this."""

from sparse_coverage.workspace.grouping import FamilyMembers, by_family
from sparse_coverage.workspace.open_index import OpenIndex
from sparse_coverage.workspace.requests import (
    BatchRequest,
    ChartRequest,
    CombineRequest,
    ElementText,
    ExplainRequest,
    Filters,
    Marked,
    ReadRequest,
    SearchRequest,
)
from sparse_coverage.workspace.results import (
    About,
    BatchResult,
    ChartResult,
    CombineResult,
    ExplainResult,
    InfoResult,
    PassagesResult,
    ReadResult,
    SearchResult,
)

__all__ = [
    "About",
    "BatchRequest",
    "BatchResult",
    "ChartRequest",
    "ChartResult",
    "CombineRequest",
    "CombineResult",
    "ElementText",
    "ExplainRequest",
    "ExplainResult",
    "FamilyMembers",
    "Filters",
    "InfoResult",
    "Marked",
    "OpenIndex",
    "PassagesResult",
    "ReadRequest",
    "ReadResult",
    "SearchRequest",
    "SearchResult",
    "by_family",
]
