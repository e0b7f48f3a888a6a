"""The bridge to `ir_measures` (extra [eval]), both ways: their measures here, PRES and MAP(D) there."""

from __future__ import annotations

import importlib
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from subprocess import CalledProcessError
from typing import Any

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.evaluation.collection import Judgements, Ranking, Relevance, Run
from sparse_coverage.evaluation.measures.formulas import map_by_document, pres
from sparse_coverage.evaluation.measures.value import Ranked


def _library() -> Any:
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
            for metric in _library().iter_calc([self.inner], qrels, scores):
                values[metric.query_id] = float(metric.value)
        except (ValueError, AssertionError, OSError, CalledProcessError) as error:
            raise InputError(f"ir_measures cannot compute {self}: {error}") from None
        return {query: values[numbers[query]] for query in judged}

    def __str__(self) -> str:
        return str(self.inner)


def foreign_measure(text: str) -> ForeignMeasure:
    """Return the measure of `ir_measures` with that name."""
    library = _library()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its parser is older than Python 3.12
            measure = library.parse_measure(text)
        measure.validate_params()
    except (NameError, ValueError, AssertionError, SyntaxError) as error:
        raise InputError(f"There is no measure '{text}', neither here nor in ir_measures ({error}).") from None
    return ForeignMeasure(measure)


def register_with_ir_measures() -> None:
    """Teach `ir_measures` PRES and MAP(D), so that its users and tools can ask for them by name.

        register_with_ir_measures()
        ir_measures.parse_measure("PRES@100").calc_aggregate(qrels, run)

    `MAPD` takes passage judgements and runs whose ids are `DOCUMENT/place/in/it`; the part before the first slash is the
    document. Calling it twice changes nothing.
    """
    library = _library()
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
