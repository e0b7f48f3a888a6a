"""Measures by name. A new one is one function and one entry; any other name is asked of `ir_measures`."""

from __future__ import annotations

import re

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.measures import formulas
from sparse_coverage.evaluation.measures.bridge import foreign_measure
from sparse_coverage.evaluation.measures.value import AnyMeasure, Measure

R = Measure("R", "document", formulas.recall, "share of the relevant documents found", needs_cutoff=True)
P = Measure("P", "document", formulas.precision, "share of relevant documents in the first places", needs_cutoff=True)
MAP = Measure("MAP", "document", formulas.average_precision, "mean average precision")
NDCG = Measure("nDCG", "document", formulas.ndcg, "discounted gain over the ideal one")
MRR = Measure("MRR", "document", formulas.reciprocal_rank, "one over the rank of the first relevant document")
SUCCESS = Measure("Success", "document", formulas.success, "whether anything relevant is found", needs_cutoff=True)
PRES = Measure("PRES", "document", formulas.pres, "recall and earliness for a reader of N documents", needs_cutoff=True)
MAP_D = Measure(
    "MAP(D)", "passage", formulas.map_by_document, "average precision within each relevant document", takes_cutoff=False
)
PASSAGE_R = Measure("PassageR", "passage", formulas.passage_recall, "share of the relevant passages", needs_cutoff=True)

MEASURES = {measure.name.lower(): measure for measure in (R, P, MAP, NDCG, MRR, SUCCESS, PRES, MAP_D, PASSAGE_R)}
NAMES = tuple(measure.name for measure in MEASURES.values())
_ALIASES = {"recall": "r", "ap": "map", "rr": "mrr", "mapd": "map(d)", "map_d": "map(d)"}
_NAME = re.compile(r"(.+?)(?:@(\d+))?")

DOCUMENT_MEASURES = (R @ 100, MAP, PRES @ 100, NDCG @ 10)
PASSAGE_MEASURES = (MAP_D, PASSAGE_R @ 1000)


def parse_measure(text: str) -> AnyMeasure:
    """Return the measure that a text names: `R@100`, `MAP`, `PRES@100`, `MAP(D)`, `PassageR@1000`, `nDCG@10`, `MRR`.

    Names that are not ours are looked up in `ir_measures` (extra [eval]), for the document ranking.

    >>> str(parse_measure("pres@100"))
    'PRES@100'
    """
    match = _NAME.fullmatch(text.strip())
    name = match[1].lower() if match else ""
    measure = MEASURES.get(_ALIASES.get(name, name))
    if match is None or measure is None:
        return _foreign(text)
    if match[2]:
        return measure @ int(match[2])
    if measure.needs_cutoff:
        raise InputError(f"{measure.name} needs a cutoff, as in {measure.name}@100.")
    return measure


def _foreign(text: str) -> AnyMeasure:
    try:
        return foreign_measure(text)
    except MissingExtraError:
        raise InputError(
            f"There is no measure '{text}'. The measures are: {', '.join(NAMES)}. More come with: pip install 'sparse-coverage[eval]'"
        ) from None
