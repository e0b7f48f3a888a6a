"""Runs and judgements in, measures out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparse_coverage.package import lazy_names

if TYPE_CHECKING:
    from sparse_coverage.evaluation.collection import Collection, Query, Ranking, Relevance
    from sparse_coverage.evaluation.loading import load_collection
    from sparse_coverage.evaluation.measures import parse_measure
    from sparse_coverage.evaluation.significance import bootstrap, compare, holm, randomisation_test

__all__ = [
    "Collection",
    "Query",
    "Ranking",
    "Relevance",
    "bootstrap",
    "compare",
    "holm",
    "load_collection",
    "parse_measure",
    "randomisation_test",
]

__getattr__ = lazy_names(
    __name__,
    {
        "collection": "Collection Query Ranking Relevance",
        "loading": "load_collection",
        "measures": "parse_measure",
        "significance": "bootstrap compare holm randomisation_test",
    },
)
