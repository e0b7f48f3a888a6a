"""Measuring rows on a collection: ranked by the two-stage protocol, measured query by query, with one seed or several.

What was measured once is found again in the cache, so that what was interrupted goes on where it stopped.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import stdev
from time import perf_counter
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Collection, Ranking, Run, share
from sparse_coverage.evaluation.measures import DOCUMENT_MEASURES, PASSAGE_MEASURES, AnyMeasure
from sparse_coverage.evaluation.protocol import DEPTH as POOLED
from sparse_coverage.evaluation.protocol import rank_hits, rank_scores
from sparse_coverage.evaluation.significance import Interval, bootstrap
from sparse_coverage.evaluation.trec import read_passage_run, read_run
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import code_key, content_key, unit_key
from sparse_coverage.experiments.options import SystemOptions, Variant
from sparse_coverage.experiments.systems import PassageScorer, make_system
from sparse_coverage.files import read_json, write_json
from sparse_coverage.progress import tracked
from sparse_coverage.search import Retriever
from sparse_coverage.systems import system_of

DEPTH = 1000
"""How many documents of a ranking are measured and written, unless told otherwise: TREC's usual depth."""
_EVERYTHING = "."  # a result may depend on any file of the package


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What came out of a row: its values, by measure and query, and what its queries cost on average (None: not counted).

    `run` is there when it was asked for. `seconds` is the time of ranking and measuring alone. Of several seeds, `values` are
    the means over them and `seeds` what each gave. `depth` is how many documents of a ranking were measured, `stamps` what was
    really used: precision and weights of the encoder, V, spans and seed of the vocabulary, the digest of the code. `written` are the
    tags of the run files, one a seed. Where the row failed, `failure` says of what, and there are no values.
    """

    variant: Variant
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cost: float | None = None
    seconds: float = 0.0
    run: Run = field(default_factory=dict)
    seeds: tuple[Mapping[str, float], ...] = ()
    depth: int | None = None
    stamps: Mapping[str, Any] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    failure: str = ""

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

    def record(self) -> dict[str, Any]:
        """Return what every file says of it, as plain values."""
        return {
            **self.variant.record(),
            "per_query": self.values,
            "seeds": list(self.seeds),
            "cost": self.cost,
            "stamps": dict(self.stamps),
        }


_OF_THE_SET = frozenset({"R", "P", "Success"})
"""Measures that only say what is among the first N documents, in whatever order."""


def tells_apart(measure: str, found: Iterable[Evaluation], sizes: tuple[int, int]) -> bool:
    """Tell whether a measure can tell rows apart: its cutoff is not the whole collection, and not all values are equal.

    `sizes` are how many documents and passages the collection has. Passages are ranked of the first documents only.
    """
    name, _, cutoff = measure.partition("@")
    documents, passages = sizes
    whole = documents if name in _OF_THE_SET else math.inf
    whole = passages if name == "PassageR" and documents <= POOLED else whole
    means = {round(one.means()[measure], 6) for one in found if measure in one.values}
    return len(means) > 1 and not (cutoff.isdigit() and int(cutoff) >= whole)


def default_measures(collection: Collection) -> tuple[AnyMeasure, ...]:
    """Return the measures of the paper, those of passages where passages are judged."""
    return (*DOCUMENT_MEASURES, *PASSAGE_MEASURES) if collection.has_passages else DOCUMENT_MEASURES


def evaluate_variant(
    bench: Workbench,
    variant: Variant,
    measures: Sequence[AnyMeasure],
    *,
    keep_run: bool = False,
    fresh: bool = False,
    depth: int = DEPTH,
) -> Evaluation:
    """Evaluate a variant, or find the result of an earlier evaluation of the same things again.

    `keep_run` also returns the rankings; `fresh` computes everything but encodings, vocabularies and indexes anew. Only the first
    `depth` documents of a ranking count, so that measures are those of the run as it is written. What objects of a user's own rank
    is not kept, nor what a system of an installed package does: its code is no part of the key.
    """
    system, options = variant.system, variant.options
    path = None
    if isinstance(system, str) and system_of(system) and variant.rerank is None:
        path = result_path(bench, variant, result_facts(measures, depth))
        if path.is_file() and not keep_run and not fresh:
            return Evaluation(variant, **read_json(path), depth=depth)
    retriever = make_system(system, bench, options) if isinstance(system, str) else system
    begun = perf_counter()
    run, costs = rank_queries(bench, retriever, depth)
    if variant.rerank is not None:
        run, costs = _reranked(bench, variant, run), []
    for query, ranking in run.items():
        if (twice := ranking.twice) is not None:
            raise InputError(
                f"{variant.named()}: its answer to query {query} names the document {twice} twice. Give each document once."
            )
    found: dict[str, Any] = {
        "values": measured(bench.collection, run, measures),
        "cost": sum(costs) / len(costs) if costs else None,
        "seconds": perf_counter() - begun,
        "stamps": {**bench.stamps(options, variant.reads), **getattr(retriever, "stamps", {})},
    }
    if silent := sum(not ranking.documents for ranking in run.values()):
        found["stamps"]["silent"] = share(silent, len(run), "query")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, found)
    return Evaluation(variant, **found, run=run if keep_run else {}, depth=depth)


def _reranked(bench: Workbench, variant: Variant, run: Run) -> dict[str, Ranking]:
    """Return rankings whose first documents stand in the order that the variant's reranker gives them."""
    assert variant.rerank is not None
    found = {}
    for query in bench.collection.judged:
        ranking = run[query.id]
        first = list(variant.rerank.rerank(query.text, bench.hits(ranking, variant.top)))
        order = [hit.document for hit in first]
        rest = [document for document in ranking.documents if document not in set(order)]
        low = first[-1].score if first else 0.0
        scores = (*(hit.score for hit in first), *(low - 1 - place for place in range(len(rest))))
        found[query.id] = replace(ranking, documents=(*order, *rest), scores=scores)
    return found


def measured(collection: Collection, run: Run, measures: Sequence[AnyMeasure]) -> dict[str, dict[str, float]]:
    """Return the values of a run on the judged queries, by measure and query."""
    judgements = {query.id: collection.judgements[query.id] for query in collection.judged}
    return {str(measure): measure.per_query(judgements, run) for measure in measures}


def result_facts(measures: Sequence[AnyMeasure], depth: int) -> list[str]:
    """Return what a kept result depends on beside its system: the measures, and how deep rankings were measured."""
    return [*map(str, measures), f"depth {depth}"]


def result_path(bench: Workbench, variant: Variant, what: Sequence[str]) -> Path:
    """Return where the result of a named system on a collection is kept: by everything that it depends on."""
    options, read = variant.options, variant.reads
    encoder = bench.encoder(options.encoder) if "encoder" in read else None
    key = content_key(
        code=code_key(_EVERYTHING),
        collection=bench.fingerprint,
        encoder=(encoder.fingerprint, encoder.precision) if encoder else None,  # a name can come to mean other weights
        unit=unit_key(bench.unit(options.unit)) if "unit" in read else None,
        checkpoint=_files_in(options.checkpoint),
        source=bench.source,
        system=variant.system,
        options=asdict(options),
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
        notes.append(f"{share(silent, len(judgements), 'judged query')} not answered in it and counted as 0")
    if foreign := len(given.keys() - {query.id for query in collection.queries}):
        notes.append(f"{share(foreign, len(given), 'query')} unknown to the collection and left out")
    held = {document for query in judgements.keys() & given.keys() for document in given[query].documents}
    if held.isdisjoint(bench.corpus.documents):
        raise InputError(
            f"{path}: none of its documents is in the collection '{collection.name}': '{min(held)}' is ranked, and "
            f"'{bench.corpus.documents[0]}' is there. Give a run of this collection."
        )
    if unknown := len(held.difference(bench.corpus.documents)):
        notes.append(f"{share(unknown, len(held), 'document')} unknown to the collection")
    return Evaluation(Variant(path.stem, SystemOptions()), values, depth=depth), notes


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
        written=tuple(tag for one in found for tag in one.written),
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
    notes += [
        f"{one.variant.named()}: {silent} not answered and counted as 0."
        for one in found
        for silent in stamped([one], "silent")
    ]
    if codes := stamped(found, "code"):
        notes.append(f"Code {', '.join(codes)}.")
    return notes


def ends(numbers: Sequence[int]) -> str:
    """Return the first and the last of some numbers, once where they are equal."""
    return " to ".join(dict.fromkeys(f"{number:,}" for number in (numbers[0], numbers[-1])))
