"""Evaluating a system on a collection: ranked by the two-stage protocol, measured query by query, with one seed or several."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from sparse_coverage.evaluation.trec import read_passage_run, read_run
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import code_key, content_key, unit_key
from sparse_coverage.experiments.options import NAMES, SystemOptions, make_options
from sparse_coverage.experiments.systems import PassageScorer, concerning, make_system, reads
from sparse_coverage.files import read_json, write_json
from sparse_coverage.progress import tracked
from sparse_coverage.search import Retriever

DEPTH = 1000
"""How many documents of a ranking are measured and written, unless told otherwise: TREC's usual depth."""
_EVERYTHING = "."  # a result may depend on any file of the package


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The values of a system, by measure and query, and what its queries cost on average (None: not counted).

    `run` is there when it was asked for. `seconds` is the time of ranking and measuring alone. Of several seeds, `values` are
    the means over them and `seeds` what each gave. `depth` is how many documents of a ranking were measured, `stamps` what was
    really used: precision and weights of the encoder, V, spans and seed of the vocabulary, the digest of the code.
    """

    system: str
    options: SystemOptions
    values: Mapping[str, Mapping[str, float]]
    cost: float | None
    seconds: float
    run: Run = field(default_factory=dict)
    seeds: tuple[Mapping[str, float], ...] = ()
    depth: int | None = None
    stamps: Mapping[str, Any] = field(default_factory=dict)

    def deviation(self, measure: str) -> float | None:
        """Return the standard deviation of a measure over seeds (n - 1); None for a single one."""
        return stdev(one[measure] for one in self.seeds) if len(self.seeds) > 1 else None

    def interval(self, measure: str) -> Interval:
        """Return the mean of a measure with its 95 % bootstrap interval."""
        return bootstrap(list(self.values[measure].values()))

    def means(self) -> dict[str, float]:
        """Return the mean of every measure."""
        return {measure: sum(by_query.values()) / len(by_query) for measure, by_query in self.values.items()}

    def on(self, queries: Container[str]) -> Evaluation:
        """Return the same on some of the queries; the values over seeds and the rankings are left out."""
        values = {
            measure: {query: value for query, value in by_query.items() if query in queries}
            for measure, by_query in self.values.items()
        }
        return replace(self, values=values, run={}, seeds=())


def tells_apart(measure: str, found: Iterable[Evaluation], documents: int) -> bool:
    """Tell whether a measure can tell rows apart: its cutoff is not the whole collection, and not all values are equal."""
    cutoff = measure.partition("@")[2]
    means = {round(one.means()[measure], 6) for one in found if measure in one.values}
    return len(means) > 1 and not (cutoff.isdigit() and int(cutoff) >= documents and measure[0] in "RS")


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
    depth: int = DEPTH,
) -> Evaluation:
    """Evaluate a system, or find the result of an earlier evaluation of the same things again.

    `keep_run` also returns the rankings; `fresh` computes everything but encodings, vocabularies and indexes anew. Only the first
    `depth` documents of a ranking count, so that measures are those of the run as it is written.
    """
    relevant = concerning(system, options)
    path = result_path(bench, system, options, result_facts(measures, depth))
    if path.is_file() and not keep_run and not fresh:
        kept = read_json(path)
        return Evaluation(
            system, relevant, kept["values"], kept["cost"], kept["seconds"], depth=depth, stamps=kept["stamps"]
        )
    retriever = make_system(system, bench, relevant)
    begun = perf_counter()
    run, costs = rank_queries(bench, retriever, depth)
    values = measured(bench.collection, run, measures)
    cost = sum(costs) / len(costs) if costs else None
    seconds = perf_counter() - begun
    stamps = {**bench.stamps(relevant, reads(system)), **getattr(retriever, "stamps", {})}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"values": values, "cost": cost, "seconds": seconds, "stamps": stamps})
    return Evaluation(system, relevant, values, cost, seconds, run if keep_run else {}, depth=depth, stamps=stamps)


def measured(collection: Collection, run: Run, measures: Sequence[AnyMeasure]) -> dict[str, dict[str, float]]:
    """Return the values of a run on the judged queries, by measure and query."""
    judgements = {query.id: collection.judgements[query.id] for query in collection.judged}
    return {str(measure): measure.per_query(judgements, run) for measure in measures}


def result_facts(measures: Sequence[AnyMeasure], depth: int) -> list[str]:
    """Return what a kept result depends on beside its system: the measures, and how deep rankings were measured."""
    return [*map(str, measures), f"depth {depth}"]


def result_path(bench: Workbench, system: str, options: SystemOptions, what: Sequence[str]) -> Path:
    """Return where the result of a system on a collection is kept: by everything that it depends on."""
    relevant = concerning(system, options)
    read = reads(system)
    encoder = bench.encoder(relevant.encoder) if "encoder" in read else None
    key = content_key(
        code=code_key(_EVERYTHING),
        collection=bench.fingerprint,
        encoder=(encoder.fingerprint, encoder.precision) if encoder else None,  # a name can come to mean other weights
        unit=unit_key(bench.unit(relevant.unit)) if "unit" in read else None,
        checkpoint=_files_in(relevant.checkpoint),
        source=bench.source,
        system=system,
        options=asdict(relevant),
        what=list(what),
    )
    return bench.cache / "results" / f"{key}.json"


def _files_in(checkpoint: str) -> list[tuple[str, int, int]]:
    """Return what changes when a checkpoint is trained on: the sizes and times of its files; nothing for a hub id."""
    folder = Path(checkpoint) if checkpoint else None
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder and folder.is_dir() else []
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]


def evaluate_run(
    bench: Workbench, path: Path, measures: Sequence[AnyMeasure], depth: int = DEPTH
) -> tuple[Evaluation, list[str]]:
    """Measure a TREC run made elsewhere: its first `depth` documents, without those that are no candidates for their query.

    Passages are measured too where their run lies beside it (`x.passages.run` beside `x.run`, as `evaluate --runs` writes). Also
    return what people should know: judged queries that it does not answer, and documents that nobody knows.
    """
    collection = bench.collection
    given = read_run(path)
    judgements = {query.id: collection.judgements[query.id] for query in collection.judged}
    beside = path.with_name(f"{path.stem}.passages.run")
    passages = read_passage_run(beside) if beside.is_file() and path.suffix == ".run" else {}
    if not given.keys() & judgements.keys():
        raise InputError(f"{path}: none of its queries is a judged query of the collection '{collection.name}'.")
    run = {}
    for query, ranking in given.items():
        out = collection.no_candidates(query, ranking.documents)
        own = passages.get(query, Ranking(()))
        kept = tuple(document for document in ranking.documents if document not in out)
        run[query] = replace(own, documents=kept[:depth])
    values = measured(collection, run, [one for one in measures if one.ranked == "document" or passages])
    notes = []
    if silent := len(judgements.keys() - given.keys()):
        notes.append(f"{silent} of {len(judgements)} judged queries have no answer in it and count 0")
    held = {document for query in judgements.keys() & given.keys() for document in given[query].documents}
    if unknown := len(held.difference(bench.corpus.documents)):
        notes.append(f"{unknown:,} of the {len(held):,} documents in it are not in the collection")
    return Evaluation(path.stem, SystemOptions(), values, None, 0.0, depth=depth), notes


def rank_queries(
    bench: Workbench, retriever: PassageScorer | Retriever, depth: int = DEPTH
) -> tuple[dict[str, Ranking], list[int]]:
    """Rank the judged queries with anything that scores passages or returns hits; also return what each query cost.

    A ranking has its first `depth` documents, and the passages of the first hundred.
    """
    queries = bench.collection.judged
    run: dict[str, Ranking] = {}
    costs: list[int] = []
    for query in tracked(queries, "Ranking", len(queries)):
        mine = bench.collection.no_candidates(query.id, bench.corpus.documents)
        if isinstance(retriever, PassageScorer):
            scores = retriever.scores(query)
            ranking = rank_scores(scores, bench.corpus, mine, aggregation=retriever.aggregation)
            costs.append(retriever.cost(query))
        else:
            hits = retriever.search(query.text, len(bench.corpus.documents), passages=len(bench.corpus))
            ranking = rank_hits(hits, bench.corpus, mine)
        run[query.id] = ranking.cut(depth)
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


def label(system: str, options: SystemOptions, varied: Sequence[str] = ()) -> str:
    """Name a variant by what distinguishes it; settings that are `varied` beside it are named whatever they are.

    >>> label("paper", SystemOptions(unit="np", size=5000), ["rho"])
    'paper minilm np V=5000 rho=0.01'
    """
    read = reads(system)
    words = [system, *(str(getattr(options, name)) for name in ("encoder", "unit") if name in read)]
    if "size" in read and options.size:
        words.append(f"V={options.size}")
    preset = concerning(system, SystemOptions())
    special = [
        name for name in NAMES if getattr(options, name) != getattr(preset, name) or (name in varied and name in read)
    ]
    special = [name for name in special if name not in ("encoder", "unit", "size")]
    return " ".join([*words, *(f"{name}={getattr(options, name)}" for name in special)])


def varied_settings(rows: Iterable[tuple[str, SystemOptions]]) -> list[str]:
    """Return the settings, beside encoder, unit and V, in which rows of one system differ: each of these rows has to name them."""
    by_system: dict[str, list[SystemOptions]] = {}
    for system, options in rows:
        by_system.setdefault(system, []).append(options)
    return [
        name
        for name in NAMES
        if name not in ("encoder", "unit", "size")
        and any(len({getattr(one, name) for one in every}) > 1 for every in by_system.values())
    ]


def seeded(system: str, options: SystemOptions, seeds: int) -> list[SystemOptions]:
    """Return the options with as many seeds, from their own on; once, where the system draws nothing at random.

    >>> [one.seed for one in seeded("paper", SystemOptions(seed=3), 2)], len(seeded("bm25", SystemOptions(), 2))
    ([3, 4], 1)
    """
    count = seeds if "seed" in reads(system) else 1
    return [replace(options, seed=options.seed + step) for step in range(count)]


def mean_values(found: Sequence[Evaluation]) -> dict[str, dict[str, float]]:
    """Return the means over several evaluations, query by query."""
    return {
        measure: {query: sum(one.values[measure][query] for one in found) / len(found) for query in by_query}
        for measure, by_query in found[0].values.items()
    }


def over_seeds(found: Sequence[Evaluation]) -> Evaluation:
    """Put the evaluations of several seeds together: every query has the mean of its values, the row the means of each seed.

    Intervals and tests are over queries, as for one seed; the spread over seeds is told beside them.
    """
    first = found[0]
    if len(found) == 1:
        return first
    costs = [one.cost for one in found if one.cost is not None]
    return replace(
        first,
        values=mean_values(found),
        cost=sum(costs) / len(costs) if costs else None,
        seconds=sum(one.seconds for one in found),
        run={},
        seeds=tuple(one.means() for one in found),
        stamps={
            **first.stamps,
            **{name: stamped(found, name) for name in ("V", "spans", "seed") if name in first.stamps},
        },
    )


def stamped(found: Iterable[Evaluation], name: str) -> list[Any]:
    """Return the different values of a stamp, in order; of several seeds, each has its own."""
    stamps = [one.stamps[name] for one in found if name in one.stamps]
    return sorted({value for stamp in stamps for value in (stamp if isinstance(stamp, list) else [stamp])})


def stamp_notes(found: Sequence[Evaluation]) -> list[str]:
    """Say below a table what was really used: how deep rankings were measured, precision, V, spans and seeds, and the code."""
    notes = []
    if depths := {one.depth for one in found if one.depth}:
        notes.append(f"The first {max(depths):,} documents of each ranking count.")
    used = sorted({f"{one.stamps['encoder']} in {one.stamps['precision']}" for one in found if "encoder" in one.stamps})
    if used:
        notes.append(f"Encoders: {', '.join(used)}.")
    if sizes := stamped(found, "V"):
        spans, seeds = ends(stamped(found, "spans")), stamped(found, "seed")
        drawn = f"seed{'s' if len(seeds) > 1 else ''} {ends(seeds)}"
        notes.append(f"Centers: {ends(sizes)}, chosen from {spans} spans, {drawn}.")
    if codes := stamped(found, "code"):
        notes.append(f"Code {', '.join(codes)}.")
    return notes


def ends(numbers: Sequence[int]) -> str:
    """Return the first and the last of some numbers, once where they are equal."""
    return " to ".join(dict.fromkeys(f"{number:,}" for number in (numbers[0], numbers[-1])))
