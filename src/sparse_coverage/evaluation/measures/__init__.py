"""Rankings and judgements in, values out: measures as values, by name, ours and those of `ir_measures`."""

from sparse_coverage.evaluation.measures.bridge import register_with_ir_measures
from sparse_coverage.evaluation.measures.registry import (
    DOCUMENT_MEASURES,
    MAP,
    MAP_D,
    MEASURES,
    MRR,
    NDCG,
    PASSAGE_MEASURES,
    PASSAGE_R,
    PRES,
    SUCCESS,
    P,
    R,
    parse_measure,
)
from sparse_coverage.evaluation.measures.value import AnyMeasure, Measure

__all__ = [
    "DOCUMENT_MEASURES",
    "MAP",
    "MAP_D",
    "MEASURES",
    "MRR",
    "NDCG",
    "PASSAGE_MEASURES",
    "PASSAGE_R",
    "PRES",
    "SUCCESS",
    "AnyMeasure",
    "Measure",
    "P",
    "R",
    "parse_measure",
    "register_with_ir_measures",
]
