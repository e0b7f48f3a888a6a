"""Measures as values, by name: `R @ 100` is one, `str(R @ 100)` is "R@100", and calling it measures a ranking.

A new measure is one function and one row of `MEASURES`; any other name is asked of `ir_measures`. The usual ones agree with
trec_eval's, given the same order.
"""

from __future__ import annotations

import importlib
import math
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from subprocess import CalledProcessError
from typing import Any, Literal, Protocol

from sparse_coverage.errors import InputError, MissingExtraError, how_to_install
from sparse_coverage.evaluation.collection import Judgements, Ranking, Relevance, Run

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

Ranked = Literal["document", "passage"]
Compute = Callable[[Relevance, Ranking, int | None], float]


class AnyMeasure(Protocol):
    """What every measure can do, ours or another library's."""

    @property
    def ranked(self) -> Ranked:
        """What is ranked: documents or passages."""

    def per_query(self, judgements: Judgements, run: Run) -> dict[str, float]:
        """Return the value for each query that has something relevant; a query without an answer has an empty ranking."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure, perhaps with a cutoff.

    >>> from sparse_coverage.evaluation.measures import R
    >>> str(R @ 100)
    'R@100'
    >>> (R @ 2)(Relevance({"a": 1, "b": 1}), Ranking(("a", "x", "b")))
    0.5
    """

    name: str
    ranked: Ranked
    compute: Compute
    about: str
    cutoff: int | None = None
    needs_cutoff: bool = False
    takes_cutoff: bool = True

    def __matmul__(self, cutoff: int) -> Measure:
        if not self.takes_cutoff:
            raise InputError(f"{self.name} is measured on the whole ranking: it takes no cutoff.")
        if cutoff < 1:
            raise InputError(f"The cutoff of {self.name} must be at least 1, not {cutoff}.")
        return replace(self, cutoff=cutoff)

    def __call__(self, relevance: Relevance, ranking: Ranking) -> float:
        """Return the value of one ranking."""
        if self.needs_cutoff and self.cutoff is None:
            raise InputError(f"{self.name} needs a cutoff, as in {self.name}@100.")
        return self.compute(relevance, ranking, self.cutoff)

    def per_query(self, judgements: Judgements, run: Run) -> dict[str, float]:
        """Return the value for each query that has something relevant; a query without an answer has an empty ranking."""
        empty = Ranking(())
        return {
            query: self(relevance, run.get(query, empty))
            for query, relevance in judgements.items()
            if (relevance.passages if self.ranked == "passage" else relevance.documents)
        }

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"


def recall(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the share of the relevant documents among the first `cutoff`."""
    relevant = relevance.documents
    return len(relevant.intersection(ranking.documents[:cutoff])) / len(relevant)


def precision(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the share of relevant documents in the first `cutoff` places, empty places counted as misses."""
    places = cutoff or len(ranking.documents)
    return len(relevance.documents.intersection(ranking.documents[:cutoff])) / places if places else 0.0


def success(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return 1 if any relevant document is among the first `cutoff`, else 0."""
    return float(not relevance.documents.isdisjoint(ranking.documents[:cutoff]))


def reciprocal_rank(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return one over the rank of the first relevant document, 0 if there is none."""
    relevant = relevance.documents
    return next((1 / rank for rank, doc in enumerate(ranking.documents[:cutoff], 1) if doc in relevant), 0.0)


def average_precision(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the mean, over the relevant documents, of the precision at each one's rank; 0 for those not found."""
    relevant = relevance.documents
    return precision_sum(ranking.documents[:cutoff], relevant) / len(relevant)


def precision_sum(ranked: tuple[str, ...] | list[str], relevant: frozenset[str]) -> float:
    """Return the sum of the precisions at the ranks of the relevant items."""
    found, total = 0, 0.0
    for rank, item in enumerate(ranked, 1):
        if item in relevant:
            found += 1
            total += found / rank
    return total


def ndcg(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the discounted cumulated gain (grades as they are, log2 discount) over that of the ideal ranking."""
    gains = [max(0, relevance.grades.get(document, 0)) for document in ranking.documents[:cutoff]]
    ideal = sorted((grade for grade in relevance.grades.values() if grade > 0), reverse=True)[:cutoff]
    return _discounted(gains) / _discounted(ideal)


def pres(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return PRES, the patent retrieval evaluation score: recall, and how early, for somebody who reads N_max documents.

    It is 1 - (mean rank of the relevant documents - the best possible mean rank) / N_max.

    The i-th relevant document, when it is not among the first N_max = `cutoff`, counts as rank N_max + i; so all of them
    on top gives 1, and none at all 0.
    """
    limit = cutoff or max(1, len(ranking.documents))
    relevant = relevance.documents
    ranks = [rank for rank, document in enumerate(ranking.documents[:limit], 1) if document in relevant]
    ranks += [limit + i for i in range(len(ranks) + 1, len(relevant) + 1)]
    return 1 - (sum(ranks) / len(ranks) - (len(ranks) + 1) / 2) / limit


def map_by_document(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return mAP(D) of one query: for each relevant document, average precision over its own passages; their mean.

    A document's passages are taken in the order of the ranking. The sum of precisions is divided by the number of its
    relevant passages, found or not; a relevant document none of whose passages is ranked counts 0.
    """
    own: dict[str, list[str]] = {document: [] for document in relevance.passages}
    for passage, document in zip(ranking.passages, ranking.passage_documents, strict=True):
        if document in own:
            own[document].append(passage)
    values = [precision_sum(own[doc], relevant) / len(relevant) for doc, relevant in relevance.passages.items()]
    return sum(values) / len(values)


def passage_recall(relevance: Relevance, ranking: Ranking, cutoff: int | None) -> float:
    """Return the share of all relevant passages among the first `cutoff` passages."""
    relevant = frozenset().union(*relevance.passages.values())
    return len(relevant.intersection(ranking.passages[:cutoff])) / len(relevant)


def _discounted(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


R = Measure("R", "document", recall, "share of the relevant documents found", needs_cutoff=True)
P = Measure("P", "document", precision, "share of relevant documents in the first places", needs_cutoff=True)
MAP = Measure("MAP", "document", average_precision, "mean average precision")
NDCG = Measure("nDCG", "document", ndcg, "discounted gain over the ideal one")
MRR = Measure("MRR", "document", reciprocal_rank, "one over the rank of the first relevant document")
SUCCESS = Measure("Success", "document", success, "whether anything relevant is found", needs_cutoff=True)
PRES = Measure("PRES", "document", pres, "recall and earliness for a reader of N documents", needs_cutoff=True)
MAP_D = Measure(
    "MAP(D)", "passage", map_by_document, "average precision within each relevant document", takes_cutoff=False
)
PASSAGE_R = Measure("PassageR", "passage", passage_recall, "share of the relevant passages", needs_cutoff=True)

MEASURES = {measure.name.lower(): measure for measure in (R, P, MAP, NDCG, MRR, SUCCESS, PRES, MAP_D, PASSAGE_R)}
NAMES = tuple(measure.name for measure in MEASURES.values())
_ALIASES = {"recall": "r", "ap": "map", "rr": "mrr", "mapd": "map(d)", "map_d": "map(d)"}
_MEASURE_NAME = re.compile(r"(.+?)(?:@(\d+))?")

DOCUMENT_MEASURES = (R @ 100, MAP, PRES @ 100, NDCG @ 10)
PASSAGE_MEASURES = (MAP_D, PASSAGE_R @ 1000)


def ir_measures_library() -> Any:
    """Return the library `ir_measures`, or say which extra brings it."""
    try:
        return importlib.import_module("ir_measures")
    except ImportError:
        raise MissingExtraError("This measure", "eval") from None


@dataclass(frozen=True, slots=True)
class ForeignMeasure:
    """A measure that `ir_measures` computes, on the document ranking in our order."""

    inner: Any
    ranked: Ranked = "document"

    def per_query(self, judgements: Judgements, run: Run) -> dict[str, float]:
        """Return the value for each query that has something relevant."""
        judged = [query for query, relevance in judgements.items() if relevance.documents]
        # Queries as numbers, the only ids that every program behind the library reads. Falling scores made from the ranks:
        # the order is ours, also where scores are equal.
        numbers = {query: str(number) for number, query in enumerate(judged, 1)}
        qrels = {numbers[query]: dict(judgements[query].grades) for query in judged}
        scores = {
            numbers[query]: {doc: float(-rank) for rank, doc in enumerate(run[query].documents)}
            for query in judged
            if query in run
        }
        values = dict.fromkeys(qrels, 0.0)
        try:
            for metric in ir_measures_library().iter_calc([self.inner], qrels, scores):
                values[metric.query_id] = float(metric.value)
        except (ValueError, AssertionError, OSError, CalledProcessError) as error:
            raise InputError(f"ir_measures cannot compute {self}: {error}") from None
        return {query: values[numbers[query]] for query in judged}

    def __str__(self) -> str:
        return str(self.inner)


def _foreign(text: str) -> ForeignMeasure:
    """Return the measure of `ir_measures` with that name."""
    try:
        library = ir_measures_library()
    except MissingExtraError:
        raise InputError(
            f"There is no measure '{text}'. The measures are: {', '.join(NAMES)}. More come "
            f"with the extra [eval]. {how_to_install('eval')}"
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its parser is older than Python 3.12
            measure = library.parse_measure(text)
        measure.validate_params()
    except (NameError, ValueError, AssertionError, SyntaxError) as error:
        raise InputError(f"There is no measure '{text}', neither here nor in ir_measures ({error}).") from None
    return ForeignMeasure(measure)


def parse_measure(text: str) -> AnyMeasure:
    """Return the measure that a text names: `R@100`, `MAP`, `PRES@100`, `MAP(D)`, `PassageR@1000`, `nDCG@10`, `MRR`.

    Names that are not ours are looked up in `ir_measures` (extra [eval]), for the document ranking.

    >>> str(parse_measure("pres@100"))
    'PRES@100'
    """
    match = _MEASURE_NAME.fullmatch(text.strip())
    name = match[1].lower() if match else ""
    measure = MEASURES.get(_ALIASES.get(name, name))
    if match is None or measure is None:
        return _foreign(text)
    if match[2]:
        return measure @ int(match[2])
    if measure.needs_cutoff:
        raise InputError(f"{measure.name} needs a cutoff, as in {measure.name}@100.")
    return measure


def register_with_ir_measures() -> None:
    """Teach `ir_measures` PRES and MAP(D), so that its users and tools can ask for them by name.

        register_with_ir_measures()
        ir_measures.parse_measure("PRES@100").calc_aggregate(qrels, run)

    `MAPD` takes passage judgements and runs whose ids are `DOCUMENT/place/in/it`; the part before the first slash is the
    document. Calling it twice changes nothing.
    """
    library = ir_measures_library()
    if "PRES" in library.measures.registry:
        return
    base, param = library.measures.Measure, library.measures.ParamInfo

    class _Pres(base):  # type: ignore[misc, valid-type]
        """The patent retrieval evaluation score."""

        __name__ = NAME = "PRES"
        SUPPORTED_PARAMS = {  # noqa: RUF012, the library's own convention
            "cutoff": param(dtype=int, required=True, desc="N_max, how many documents are read"),
            "rel": param(dtype=int, default=1, desc="minimum grade to be considered relevant (inclusive)"),
        }

    class _MapD(base):  # type: ignore[misc, valid-type]
        """Average precision within each relevant document, then the mean over documents."""

        __name__ = NAME = "MAPD"
        SUPPORTED_PARAMS = {  # noqa: RUF012
            "rel": param(dtype=int, default=1, desc="minimum grade to be considered relevant (inclusive)")
        }

    class _Evaluator(library.providers.Evaluator):  # type: ignore[misc, name-defined]
        def __init__(self, measures: Any, qrels: dict[str, dict[str, int]]) -> None:
            super().__init__(measures, set(qrels))
            self._qrels = qrels

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            answers = library.util.RunConverter(run).as_dict_of_dict()
            for measure in self.measures:
                for query, scores in answers.items():
                    if any(grade >= measure["rel"] for grade in self._qrels.get(query, {}).values()):
                        value = _measure_there(measure, self._qrels[query], scores)
                        yield library.Metric(query_id=query, measure=measure, value=value)

    class _Provider(library.providers.Provider):  # type: ignore[misc, name-defined]
        NAME = "sparse_coverage"
        SUPPORTED_MEASURES = [  # noqa: RUF012
            _Pres(cutoff=library.providers.base.Any(), rel=library.providers.base.Any()),
            _MapD(rel=library.providers.base.Any()),
        ]

        def _evaluator(self, measures: Any, qrels: Any) -> Any:
            return _Evaluator(measures, library.util.QrelsConverter(qrels).as_dict_of_dict())

    library.measures.register(_Pres())
    library.measures.register(_MapD())
    library.DefaultPipeline.providers.append(library.providers.register(_Provider()))


def _measure_there(measure: Any, grades: dict[str, int], scores: dict[str, float]) -> float:
    relevant = {item: 1 for item, grade in grades.items() if grade >= measure["rel"]}
    # Equal scores in the order that trec_eval, and so the library's other measures, give them.
    ranked = tuple(sorted(sorted(scores, reverse=True), key=lambda item: -scores[item]))
    if measure.NAME == "PRES":
        return pres(Relevance(relevant), Ranking(ranked), measure["cutoff"])
    by_document: dict[str, set[str]] = defaultdict(set)
    for item in relevant:
        by_document[item.partition("/")[0]].add(item)
    relevance = Relevance({}, {document: frozenset(items) for document, items in by_document.items()})
    owners = tuple(item.partition("/")[0] for item in ranked)
    return map_by_document(relevance, Ranking((), (), ranked, owners), None)
