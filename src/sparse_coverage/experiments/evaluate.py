"""Evaluating a system on a collection: ranked by the two-stage protocol, measured query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from statistics import stdev
from time import perf_counter
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Collection, Ranking, Run
from sparse_coverage.evaluation.measures import DOCUMENT_MEASURES, PASSAGE_MEASURES, AnyMeasure
from sparse_coverage.evaluation.protocol import rank_hits, rank_scores
from sparse_coverage.evaluation.significance import Interval, bootstrap
from sparse_coverage.evaluation.trec import read_run
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import code_key, content_key
from sparse_coverage.experiments.options import NAMES, SystemOptions, make_options
from sparse_coverage.experiments.systems import PassageScorer, concerning, get_system, reads
from sparse_coverage.files import read_json, write_json
from sparse_coverage.progress import tracked
from sparse_coverage.search import Retriever
from sparse_coverage.spans import get_unit

_EVERYTHING = "."  # a result may depend on any file of the package


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The values of a system, by measure and query, and what its queries cost on average (None: nobody counted).

    `run` is there when it was asked for. `seconds` is the time of ranking and measuring alone. Of several seeds, `values` are
    the means over them and `seeds` what each gave.
    """

    system: str
    options: SystemOptions
    values: Mapping[str, Mapping[str, float]]
    cost: float | None
    seconds: float
    run: Run = field(default_factory=dict)
    seeds: tuple[Mapping[str, float], ...] = ()

    def deviation(self, measure: str) -> float | None:
        """Return the standard deviation of a measure over seeds (n - 1); None for a single one."""
        return stdev(one[measure] for one in self.seeds) if len(self.seeds) > 1 else None

    def interval(self, measure: str) -> Interval:
        """Return the mean of a measure with its 95 % bootstrap interval."""
        return bootstrap(list(self.values[measure].values()))

    def means(self) -> dict[str, float]:
        """Return the mean of every measure."""
        return {measure: sum(by_query.values()) / len(by_query) for measure, by_query in self.values.items()}


def default_measures(collection: Collection) -> tuple[AnyMeasure, ...]:
    """Return the measures of the paper, those of passages where passages are judged."""
    return (*DOCUMENT_MEASURES, *PASSAGE_MEASURES) if collection.has_passages else DOCUMENT_MEASURES


def evaluate_system(
    bench: Workbench,
    system: str,
    options: SystemOptions,
    measures: Sequence[AnyMeasure],
    *,
    keep_run: bool = False,
    fresh: bool = False,
) -> Evaluation:
    """Evaluate a system, or find the result of an earlier evaluation of the same things again.

    `keep_run` also returns the rankings; `fresh` computes everything but encodings, vocabularies and indexes anew.
    """
    make = get_system(system).make
    relevant = concerning(system, options)
    path = result_path(bench, system, options, [str(measure) for measure in measures])
    if path.is_file() and not keep_run and not fresh:
        kept = read_json(path)
        return Evaluation(system, relevant, kept["values"], kept["cost"], kept["seconds"])
    retriever = make(bench, relevant)
    begun = perf_counter()
    run, costs = rank_queries(bench, retriever)
    judgements = {query.id: bench.collection.judgements[query.id] for query in bench.collection.judged}
    values = {str(measure): measure.per_query(judgements, run) for measure in measures}
    cost = sum(costs) / len(costs) if costs else None
    found = Evaluation(system, relevant, values, cost, perf_counter() - begun, run if keep_run else {})
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"values": values, "cost": cost, "seconds": found.seconds})
    return found


def result_path(bench: Workbench, system: str, options: SystemOptions, what: Sequence[str]) -> Path:
    """Return where the result of a system on a collection is kept: by everything that it depends on."""
    relevant = concerning(system, options)
    read = reads(system)
    encoder = bench.encoder(relevant.encoder) if "encoder" in read else None
    key = content_key(
        code=code_key(_EVERYTHING),
        collection=bench.fingerprint,
        encoder=(encoder.fingerprint, encoder.precision) if encoder else None,  # a name can come to mean other weights
        unit=get_unit(relevant.unit).name
        if "unit" in read
        else None,  # complete, with the tagger where there is a choice
        source=bench.source,
        system=system,
        options=asdict(relevant),
        what=list(what),
    )
    return bench.cache / "results" / f"{key}.json"


def evaluate_run(bench: Workbench, path: Path, measures: Sequence[AnyMeasure]) -> tuple[Evaluation, list[str]]:
    """Measure a TREC run made elsewhere: its documents, without those that are no candidates for their query.

    Also return what people should know: judged queries that it does not answer, and documents that nobody knows.
    """
    collection = bench.collection
    given = read_run(path)
    judgements = {query.id: collection.judgements[query.id] for query in collection.judged}
    if not given.keys() & judgements.keys():
        raise InputError(f"{path}: none of its queries is a judged query of the collection '{collection.name}'.")
    run = {}
    for query, ranking in given.items():
        out = collection.excluded.get(query, frozenset())
        run[query] = Ranking(tuple(document for document in ranking.documents if document not in out))
    values = {str(m): m.per_query(judgements, run) for m in measures if m.ranked == "document"}
    notes = []
    if silent := len(judgements.keys() - given.keys()):
        notes.append(f"{silent} of {len(judgements)} judged queries have no answer in it and count 0")
    held = {document for query in judgements.keys() & given.keys() for document in given[query].documents}
    if unknown := len(held.difference(bench.corpus.documents)):
        notes.append(f"{unknown:,} of the {len(held):,} documents in it are not in the collection")
    return Evaluation(path.stem, SystemOptions(), values, None, 0.0), notes


def rank_queries(bench: Workbench, retriever: PassageScorer | Retriever) -> tuple[dict[str, Ranking], list[int]]:
    """Rank the judged queries with anything that scores passages or returns hits; also return what each query cost."""
    queries = bench.collection.judged
    excluded = bench.collection.excluded
    run: dict[str, Ranking] = {}
    costs: list[int] = []
    for query in tracked(queries, "Ranking", len(queries)):
        mine = excluded.get(query.id, frozenset())
        if isinstance(retriever, PassageScorer):
            scores = retriever.scores(query.id)
            run[query.id] = rank_scores(scores, bench.corpus, mine, aggregation=retriever.aggregation)
            costs.append(retriever.cost(query.id))
        else:
            hits = retriever.search(query.text, len(bench.corpus.documents), passages=len(bench.corpus))
            run[query.id] = rank_hits(hits, bench.corpus, mine)
    return run, costs


def variants(systems: Sequence[str], settings: Mapping[str, Sequence[Any]]) -> list[tuple[str, SystemOptions]]:
    """Return every combination of systems and settings once; a system counts only the settings that concern it."""
    found: dict[tuple[str, SystemOptions], None] = {}
    for system in systems:
        for values in product(*settings.values()):
            options = make_options(dict(zip(settings, values, strict=True)))
            found[system, concerning(system, options)] = None
    return list(found)


def settings_of(system: str, options: SystemOptions) -> dict[str, Any]:
    """Return a system with those of the options that it reads, for records."""
    return {"system": system, "options": {name: getattr(options, name) for name in reads(system)}}


def label(system: str, options: SystemOptions) -> str:
    """Name a variant by what distinguishes it.

    >>> label("paper", SystemOptions(unit="np", size=5000))
    'paper minilm np V=5000'
    """
    words = [system, *(str(getattr(options, name)) for name in ("encoder", "unit") if name in reads(system))]
    if "size" in reads(system) and options.size:
        words.append(f"V={options.size}")
    preset = concerning(system, SystemOptions())
    special = [name for name in NAMES if getattr(options, name) != getattr(preset, name)]
    special = [name for name in special if name not in ("encoder", "unit", "size")]
    return " ".join([*words, *(f"{name}={getattr(options, name)}" for name in special)])
