"""Evaluation from Python: systems on a collection, measured query by query and compared.

    from sparse_coverage import Variant, evaluate, load_collection

    results = evaluate(load_collection("demo"), ["bm25", "paper", Variant("default", size=500)], ["MAP", "R@10"], seeds=3)
    print(results.table())
    results.values("MAP")["bm25"]  # an array, one value a query of `results.queries`

What was computed once is kept in the cache and found again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Collection, Query, Ranking
from sparse_coverage.evaluation.measures import AnyMeasure, parse_measure
from sparse_coverage.evaluation.significance import Comparison, compare
from sparse_coverage.evaluation.trec import write_passage_run, write_run
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import default_cache
from sparse_coverage.experiments.evaluation import (
    DEPTH,
    Evaluation,
    default_measures,
    evaluate_run,
    evaluate_system,
    label,
    measured,
    over_seeds,
    rank_queries,
    seeded,
    settings_of,
    stamp_notes,
    tells_apart,
    varied_settings,
)
from sparse_coverage.experiments.figures import draw_intervals
from sparse_coverage.experiments.options import SystemOptions, make_options
from sparse_coverage.experiments.provenance import run_header
from sparse_coverage.experiments.report import document_hits, write_topics
from sparse_coverage.experiments.systems import concerning, is_sparse, reads
from sparse_coverage.experiments.tables import value_cell
from sparse_coverage.present.tables import Content, Table
from sparse_coverage.retrievers import Reranker
from sparse_coverage.search import Retriever
from sparse_coverage.search.searcher import require_counts
from sparse_coverage.spans import SpanUnit
from sparse_coverage.spans.units import UNITS
from sparse_coverage.systems import require_system, system_of

_OBJECTS = ("encoder", "unit")
"""Settings that may be objects of a user's own in the place of a name."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Variant:
    """Something to evaluate: a system by name with its settings, or any object with a `search` like ours. It can have a reranker.

    `settings` are those of a system (`encoder`, `unit`, `size`, `k`, `alpha`, `rho`, …; see `SystemOptions`). An encoder and a unit may
    be objects of your own: an encoder is known again by its `fingerprint`, a unit by the code of its class and its attributes.
    `rerank` orders the first `top` documents again; it gets the query and hits with their texts.
    """

    system: str | Retriever
    label: str
    rerank: Reranker | None
    top: int
    settings: Mapping[str, Any]

    def __init__(
        self,
        system: str | Retriever,
        *,
        label: str = "",
        rerank: Reranker | None = None,
        top: int = 100,
        **settings: Any,
    ) -> None:
        if isinstance(system, str):
            require_system(system, "study")
            make_options(
                {name: value for name, value in settings.items() if isinstance(value, str) or name not in _OBJECTS}
            )
            if unread := sorted(settings.keys() - set(reads(system))):
                raise InputError(f"{system} does not read {unread[0]}. Its settings are: {', '.join(reads(system))}.")
        elif settings:
            raise InputError(f"{', '.join(settings)}: only a system that is named takes settings, not an object.")
        elif not callable(getattr(system, "search", None)):
            raise InputError(f"{type(system).__name__} is no system: it has no method `search(queries, k, ...)`.")
        given = {"system": system, "label": label, "rerank": rerank, "top": top, "settings": settings}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def named(self, options: SystemOptions, varied: Sequence[str] = ()) -> str:
        """Return what its row is called: its label, or what distinguishes it, and of its settings all that is `varied` beside it."""
        told = [name for name in varied if name in self.settings]
        own = label(self.system, options, told) if isinstance(self.system, str) else type(self.system).__name__
        return self.label or own + (f" + {type(self.rerank).__name__}" if self.rerank else "")


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What an evaluation gives: a row for each system, by its name, over the same judged queries.

    `depth` is how many documents of each ranking count; `notes` tell what was left out, `encoders` what each computed in.
    """

    collection: str
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    rows: Mapping[str, Evaluation]
    notes: tuple[str, ...]
    encoders: Mapping[str, Mapping[str, str]]
    documents: int
    depth: int
    against: str | None = None

    def values(self, measure: str) -> dict[str, npt.NDArray[np.float64]]:
        """Return the values of each system on each query, in the order of `queries`."""
        measure = self._known(measure)
        return {
            name: np.array([one.values[measure][query] for query in self.queries if query in one.values[measure]])
            for name, one in self.rows.items()
            if measure in one.values
        }

    def frame(self) -> Any:
        """Return all values as a pandas DataFrame: a row for each system and query, a column for each measure."""
        try:
            import pandas  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise InputError("A DataFrame needs the package pandas. Install it with: pip install pandas") from None
        rows = [
            {"system": name, "query": query, **{m: one.values[m].get(query) for m in self.measures if m in one.values}}
            for name, one in self.rows.items()
            for query in self.queries
        ]
        return pandas.DataFrame(rows).set_index(["system", "query"])

    def only(self, queries: Iterable[str]) -> Results:
        """Return the same results on some of the queries, a held-out half for instance. The values over seeds are left out."""
        kept = dict.fromkeys(queries)
        if unknown := sorted(kept.keys() - set(self.queries)):
            raise InputError(f"'{unknown[0]}' is no judged query of the collection '{self.collection}'.")
        rows = {name: one.on(kept) for name, one in self.rows.items()}
        return replace(self, queries=tuple(query for query in self.queries if query in kept), rows=rows)

    def compare(self, measure: str, against: str | None = None) -> list[Comparison]:
        """Test every two systems, or all with one, by paired randomisation with Holm's correction."""
        measure = self._known(measure)
        values = {name: one.values[measure] for name, one in self.rows.items() if measure in one.values}
        base = _row_named(against, list(self.rows)) or self.against
        return [] if base and base not in values else compare(values, measure, against=base)

    def says_nothing(self, measure: str) -> bool:
        """Tell whether a measure cannot tell systems apart: its cutoff is the whole collection, or all values are equal."""
        return not tells_apart(measure, self.rows.values(), self.documents)

    def table(self) -> Table:
        """Return the means in percent with their intervals, ready for the terminal, Markdown, CSV and LaTeX."""
        rows: list[tuple[Content, ...]] = [
            (name, *(value_cell(one, measure) for measure in self.measures)) for name, one in self.rows.items()
        ]
        best = tuple(place for place, measure in enumerate(self.measures, 1) if not self.says_nothing(measure))
        title = f"{self.collection}: {len(self.queries)} queries"
        notes = (*stamp_notes([*self.rows.values()]), *self.notes)
        return Table("evaluation", title, ("System", *self.measures), tuple(rows), notes, best)

    def plot(self, path: str | Path, measure: str) -> list[Path]:
        """Draw the means of a measure with their 95 % intervals, as PDF, SVG and PNG (extra [plot]). Return the files."""
        measure = self._known(measure)
        cells = {name: value_cell(one, measure) for name, one in self.rows.items() if measure in one.values}
        points = {name: (cell.ours, cell.interval) for name, cell in cells.items() if cell.ours is not None}
        return draw_intervals(Path(path), points, f"{measure} x 100, with 95 % intervals")

    def _known(self, measure: str) -> str:
        """Return the name of a measure as rows have it; one that was not measured is an error."""
        name = measure if measure in self.measures else str(parse_measure(measure))
        if name not in self.measures:
            raise InputError(f"{name} was not measured: choose one of {', '.join(self.measures)}.")
        return name

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        systems = {
            row: {
                **(settings_of(one.system, one.options) if system_of(one.system) else {"system": one.system}),
                "measures": {measure: one.interval(measure) for measure in one.values},
                "per_query": one.values,
                "seeds": list(one.seeds),
                "cost": one.cost,
                "stamps": one.stamps,
            }
            for row, one in self.rows.items()
        }
        return {
            "collection": self.collection,
            "depth": self.depth,
            "notes": self.notes,
            "encoders": self.encoders,
            "systems": systems,
            "comparisons": [one for measure in self.measures for one in self.compare(measure)],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """Files that an evaluation writes on the way: runs into a folder (with `metadata` in their headers), and topic by topic.

    `command` is what a header says the run was made with.
    """

    runs: Path | None = None
    topics: Path | None = None
    metadata: bool = False
    command: str = ""


System = str | Variant | Retriever
Systems = System | Iterable[System] | Mapping[str, System]


def evaluate(
    collection: Collection,
    systems: Systems = ("paper",),
    measures: str | Sequence[str | AnyMeasure] = (),
    *,
    seeds: int = 1,
    depth: int = DEPTH,
    against: str | None = None,
    runs: Mapping[str, Path] | None = None,
    bench: Workbench | None = None,
    cache: str | Path | None = None,
    output: Output = Output(),  # noqa: B008 - immutable
    fresh: bool = False,
) -> Results:
    """Evaluate systems on a collection and return their values on every judged query.

    `systems` are names (`bm25`, `dense`, `paper`, `default`, `combined`, …), variants of them, or objects that have our `search`; as a
    mapping, each under its own name. `measures` default to those of the paper. A system that draws at random is measured with so many
    `seeds`. `runs` are TREC runs made elsewhere, by name. `against`
    names the row that `Results.compare` and tables test against. Work is kept in `cache`, or done on a `bench` that is open already.
    """
    require_counts(seeds=seeds, depth=depth)
    wanted = checked_measures([measures] if isinstance(measures, str) else measures, collection)
    if output.topics is not None and seeds > 1:
        raise InputError("Topic by topic shows the rankings of one seed: measure one seed.")
    runs = runs or {}
    found: dict[str, Evaluation] = {}
    own = Workbench(collection, Path(cache) if cache else default_cache()) if bench is None else nullcontext(bench)
    with own as work:
        given = list(_variants(systems))
        _require_own_names(given)
        variants = [(one, _options(work, one)) for one in given]
        named = ((one.system, options) for one, options in variants if isinstance(one.system, str) and not one.label)
        varied = varied_settings(named)
        base = _row_named(against, [*(one.named(options, varied) for one, options in variants), *runs])
        keep = output.runs is not None or output.topics is not None
        every = [(one, one.named(options, varied), _seeded(one, options, seeds)) for one, options in variants]
        work.plan(
            option
            for one, _, options in every
            if isinstance(one.system, str) and is_sparse(one.system)
            for option in options
        )
        for variant, name, chosen in every:
            made = []
            for one in chosen:
                made.append(_one(work, variant, one, wanted, depth, keep=keep, fresh=fresh))
                if output.runs is not None:
                    write_runs(output, name + (f" seed={one.seed}" if len(chosen) > 1 else ""), made[-1], work)
            found[name] = over_seeds(made)
        if output.topics is not None and found:
            main = next((measure for measure in wanted if str(measure) == "MAP"), wanted[0])
            write_topics(output.topics, work, found, str(main))
        notes = list(work.notes())
        for name, path in runs.items():
            found[name], noticed = evaluate_run(work, path, wanted, depth)
            notes += [f"{name}: {note}" for note in noticed]
        queries, names = tuple(query.id for query in collection.judged), tuple(map(str, wanted))
        documents = len(work.corpus.documents)
        return Results(collection.name, queries, names, found, tuple(notes), work.encoders(), documents, depth, base)


def _seeded(variant: Variant, options: SystemOptions, seeds: int) -> list[SystemOptions]:
    return seeded(variant.system, options, seeds) if isinstance(variant.system, str) else [options]


def _variants(systems: Systems) -> Iterator[Variant]:
    """Yield what was given as variants, under the names that a mapping gives them."""
    if isinstance(systems, str | Variant) or not isinstance(systems, Iterable):
        systems = [systems]
    for name, one in systems.items() if isinstance(systems, Mapping) else (("", one) for one in systems):
        given = one if isinstance(one, Variant) else Variant(one)
        own = name or given.label
        yield Variant(given.system, label=own, rerank=given.rerank, top=given.top, **given.settings)


def _require_own_names(variants: Sequence[Variant]) -> None:
    """Refuse two encoders or units of one name: settings mean them by it, so one would be measured in the place of the other."""
    for kind in _OBJECTS:
        known: dict[str, object] = {name: name for name in UNITS} if kind == "unit" else {}
        for thing in (one.settings[kind] for one in variants if one.settings.get(kind) is not None):
            name = thing if isinstance(thing, str) else thing.name
            if known.setdefault(name, thing) != thing:
                raise InputError(f"Two {kind}s are called '{name}'. Give yours a name of its own.")


def _options(bench: Workbench, variant: Variant) -> SystemOptions:
    """Return the settings of a variant; objects of a user's own become known to the workbench by their names."""
    if not isinstance(variant.system, str):
        return SystemOptions()
    settings = dict(variant.settings)
    encoder, unit = settings.get("encoder"), settings.get("unit")
    if encoder is not None and not isinstance(encoder, str):
        settings["encoder"] = bench.use(encoder)
    if isinstance(unit, SpanUnit):
        settings["unit"] = bench.use_unit(unit)
    return concerning(variant.system, make_options(settings))


def _one(
    bench: Workbench,
    variant: Variant,
    options: SystemOptions,
    measures: Sequence[AnyMeasure],
    depth: int,
    *,
    keep: bool,
    fresh: bool,
) -> Evaluation:
    """Evaluate a variant with one seed."""
    if isinstance(variant.system, str):
        whole = keep or variant.rerank is not None
        found = evaluate_system(bench, variant.system, options, measures, keep_run=whole, fresh=fresh, depth=depth)
    else:
        run, _ = rank_queries(bench, variant.system, depth)
        name = variant.named(options)
        values = measured(bench.collection, run, measures)
        found = Evaluation(name, options, values, None, 0.0, run, depth=depth, stamps={"code": bench.code})
    if variant.rerank is None:
        return found
    run = {
        query.id: _reranked(bench, query, found.run[query.id], variant.rerank, variant.top)
        for query in bench.collection.judged
    }
    values = measured(bench.collection, run, measures)
    return replace(found, system=variant.named(options), values=values, run=run, cost=None)


def _reranked(bench: Workbench, query: Query, ranking: Ranking, reranker: Reranker, top: int) -> Ranking:
    """Return a ranking whose first documents stand in the order that the reranker gives them."""
    first = list(reranker.rerank(query.text, document_hits(bench, ranking, top)))
    order = [hit.document for hit in first]
    rest = [document for document in ranking.documents if document not in set(order)]
    low = first[-1].score if first else 0.0
    scores = (*(hit.score for hit in first), *(low - 1 - place for place in range(len(rest))))
    return replace(ranking, documents=(*order, *rest), scores=scores)


def checked_measures(given: Sequence[str | AnyMeasure], collection: Collection) -> list[AnyMeasure]:
    """Return measures by their names, those of the paper where none is given; refuse what the collection has no judgements for."""
    wanted = [parse_measure(one) if isinstance(one, str) else one for one in given]
    for measure in wanted:
        if measure.ranked == "passage" and not collection.has_passages:
            raise InputError(
                f"{measure} is about passages, and the collection '{collection.name}' judges documents only."
            )
    return wanted or list(default_measures(collection))


def _row_named(part: str | None, rows: Sequence[str]) -> str | None:
    """Return the row that `against` means, before anything is computed."""
    if twice := next((row for place, row in enumerate(rows) if row in rows[:place]), None):
        raise InputError(f"Two rows are called '{twice}'. Give them names of their own.")
    if part is None:
        return None
    chosen = [row for row in rows if row == part] or [row for row in rows if part in row]
    if len(chosen) != 1:
        raise InputError(f"--against must name one row, not {len(chosen)} of: {', '.join(rows)}.")
    return chosen[0]


def write_runs(output: Output, name: str, found: Evaluation, bench: Workbench) -> str:
    """Write the run of an evaluation, and that of its passages where they are judged, with the collection's own ids. Return its tag."""
    assert output.runs is not None
    output.runs.mkdir(parents=True, exist_ok=True)
    tag = re.sub(r"[^\w.+=-]+", "-", name)
    header = run_header(bench, found, tag, output.command) if output.metadata else ""
    write_run(output.runs / f"{tag}.run", found.run, tag, header=header, own_ids=bench.own_ids)
    if bench.collection.has_passages:
        write_passage_run(output.runs / f"{tag}.passages.run", found.run, tag, header=header, own_ids=bench.own_ids)
    return tag
