"""Systems on a collection, measured query by query and compared: what `evaluate` does, from Python and as a command.

    from sparse_coverage import Variant, evaluate, load_collection

    results = evaluate(load_collection("demo"), ["bm25", "paper", Variant("default", size=500)], ["MAP", "R@10"], seeds=3)
    print(results.table())
    results.values("MAP")["bm25"]  # an array, one value a query of `results.queries`

What was computed once is kept in the cache and found again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.evaluation.collection import Collection, counted
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
    evaluate_variant,
    over_seeds,
    stamp_notes,
    tells_apart,
)
from sparse_coverage.experiments.figures import draw_intervals
from sparse_coverage.experiments.options import Variant, row_named, row_names
from sparse_coverage.experiments.report import write_topics
from sparse_coverage.experiments.tables import dagger_note, value_cell
from sparse_coverage.present.tables import Content, Table
from sparse_coverage.printing import console
from sparse_coverage.progress import is_terminal
from sparse_coverage.search import Retriever
from sparse_coverage.search.searcher import require_counts
from sparse_coverage.spans.units import UNITS


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Results:
    """What an evaluation gives: a row for each system, by its name, over the same judged queries.

    `sizes` are the documents and the passages of the collection, `depth` is how many documents of each ranking count; `notes` tell
    what was left out, `encoders` what each computed in.
    """

    collection: str
    queries: tuple[str, ...]
    measures: tuple[str, ...]
    rows: Mapping[str, Evaluation]
    notes: tuple[str, ...]
    encoders: Mapping[str, Mapping[str, str]]
    sizes: tuple[int, int]
    depth: int
    against: str | None = None

    def __repr__(self) -> str:
        """Return the table of means in Markdown."""
        return str(self.table())

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
        base = row_named(against, list(self.rows)) or self.against
        return [] if base and base not in values else compare(values, measure, against=base)

    def says_nothing(self, measure: str) -> bool:
        """Tell whether a measure cannot tell systems apart: its cutoff is the whole collection, or all values are equal."""
        return not tells_apart(measure, self.rows.values(), self.sizes)

    def table(self) -> Table:
        """Return the means in percent with their intervals, ready for the terminal, Markdown, CSV and LaTeX.

        Where rows are tested `against` one, a dagger marks what differs from it.
        """
        tests = [one for measure in self.measures for one in self.compare(measure)] if self.against else []
        p = {(one.second, one.measure): one.p_holm for one in tests}
        rows: list[tuple[Content, ...]] = [
            (name, *(value_cell(one, measure, p=p.get((name, measure))) for measure in self.measures))
            for name, one in self.rows.items()
        ]
        best = tuple(place for place, measure in enumerate(self.measures, 1) if not self.says_nothing(measure))
        title = f"{self.collection}: {counted(len(self.queries), 'query')}, means x 100"
        marked = [dagger_note(self.against)] if self.against else []
        notes = (*stamp_notes([*self.rows.values()]), *marked, *self.notes)
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
            name: {**one.record(), "measures": {measure: one.interval(measure) for measure in one.values}}
            for name, one in self.rows.items()
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
    """Files that an evaluation writes on the way: runs into a folder, and topic by topic."""

    runs: Path | None = None
    topics: Path | None = None


def evaluate_rows(
    bench: Workbench,
    rows: Mapping[str, Variant],
    measures: Sequence[AnyMeasure],
    *,
    seeds: int = 1,
    depth: int = DEPTH,
    against: str | None = None,
    output: Output = Output(),  # noqa: B008 - immutable
    fresh: bool = False,
    keep_going: bool = False,
) -> Results:
    """Evaluate rows by their names, each with so many seeds, and write their runs. With `keep_going`, a row that fails loses no other."""
    bench.require_relevant()
    found: dict[str, Evaluation] = {}
    keep = output.runs is not None or output.topics is not None
    for name, row in announced(bench, rows, seeds):
        made: list[Evaluation] = []
        try:
            for one in (drawn := row.seeded(seeds)):
                made.append(evaluate_variant(bench, one, measures, keep_run=keep, fresh=fresh, depth=depth))
                if output.runs is not None:
                    tag = write_runs(
                        output, name + (f" seed={one.options.seed}" if len(drawn) > 1 else ""), made[-1], bench
                    )
                    made[-1] = replace(made[-1], written=(tag,))
            found[name] = over_seeds(made)
        except Exception as error:  # whatever a row dies of, the others go on; the report shows what it was
            if not keep_going:
                raise
            found[name] = Evaluation(row, failure=failure_of(name, error))
    queries = tuple(query.id for query in bench.collection.judged)
    about = (bench.notes(), bench.encoders(), bench.corpus.sizes, depth, against)
    return Results(bench.collection.name, queries, tuple(map(str, measures)), found, *about)


def announced(bench: Workbench, rows: Mapping[str, Variant], seeds: int = 1) -> Iterator[tuple[str, Variant]]:
    """Plan all rows, then yield them one by one and tell people where the work is; each row's own bars run below."""
    bench.plan(one.options for row in rows.values() if row.is_sparse for one in row.seeded(seeds))
    screen = console(stderr=True)
    begun = monotonic()
    for done, (name, row) in enumerate(rows.items()):
        if is_terminal() and len(rows) > 1:
            elapsed = monotonic() - begun
            left = f", about {elapsed / done * (len(rows) - done) / 60:,.0f} min left" if done and elapsed > 60 else ""
            screen.print(f"[{done + 1}/{len(rows)}] {name}{left}", markup=False, highlight=False)
        yield name, row


def failure_of(name: str, error: Exception) -> str:
    """Say what a row died of, at once on standard error, and return it for the report."""
    cause = str(error) if isinstance(error, SparseCoverageError) else f"{type(error).__name__}: {error}"
    print(f"failed: {name}: {cause}", file=sys.stderr)
    return cause


def write_runs(output: Output, name: str, found: Evaluation, bench: Workbench) -> str:
    """Write the run of an evaluation, and that of its passages where they are judged, with the collection's own ids. Return its tag."""
    assert output.runs is not None
    output.runs.mkdir(parents=True, exist_ok=True)
    tag = re.sub(r"[^\w.+=-]+", "-", name)
    write_run(output.runs / f"{tag}.run", found.run, tag, own_ids=bench.own_ids)
    if bench.collection.has_passages:
        write_passage_run(output.runs / f"{tag}.passages.run", found.run, tag, own_ids=bench.own_ids)
    return tag


System = str | Variant | Retriever
Systems = System | Iterable[System] | Mapping[str, System]
USUAL = ("bm25", "dense", "combined")
"""What is evaluated where no system is named: what `search` does by itself, beside the two baselines that everybody knows."""


def evaluate(
    collection: Collection,
    systems: Systems = USUAL,
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
    `seeds`. `runs` are TREC runs made elsewhere, by name; `output=Output(runs=folder)` writes those of the systems. `against`
    names the row that `Results.compare` and tables test against. Work is kept in `cache`, or done on a `bench` that is open already.
    """
    require_counts(seeds=seeds, depth=depth)
    wanted = checked_measures([measures] if isinstance(measures, str) else measures, collection)
    if output.topics is not None and seeds > 1:
        raise InputError("Topic by topic shows the rankings of one seed: measure one seed.")
    runs = {} if runs is None else runs
    if not isinstance(runs, Mapping):
        raise InputError(
            f"`runs` names run files made elsewhere, as {{'theirs': 'their.run'}}, and is no {type(runs).__name__}. Give "
            "output=Output(runs=folder) to write runs."
        )
    own = Workbench(collection, Path(cache) if cache else default_cache()) if bench is None else nullcontext(bench)
    with own as work:
        variants = list(_variants(systems))
        _make_known(work, variants)
        names = row_names(variants, list(runs))
        if not [*names, *runs]:
            raise InputError("There is nothing to evaluate. Name a system, or give a run.")
        base = row_named(against, [*names, *runs])
        rows = dict(zip(names, variants, strict=True))
        results = evaluate_rows(work, rows, wanted, seeds=seeds, depth=depth, against=base, output=output, fresh=fresh)
        if output.topics is not None and rows:
            main = next((measure for measure in wanted if str(measure) == "MAP"), wanted[0])
            write_topics(output.topics, work, results.rows, str(main), base)
        found, notes = dict(results.rows), list(results.notes)
        for name, path in runs.items():
            found[name], noticed = evaluate_run(work, path, wanted, depth)
            notes += [f"{name}: {note}" for note in noticed]
        return replace(results, rows=found, notes=tuple(notes))


def _variants(systems: Systems) -> Iterator[Variant]:
    """Yield what was given as variants, under the names that a mapping gives them."""
    if isinstance(systems, str | Variant) or not isinstance(systems, Iterable):
        systems = [systems]
    for name, one in systems.items() if isinstance(systems, Mapping) else (("", one) for one in systems):
        given = one if isinstance(one, Variant) else Variant(one)
        yield given.replaced(label=name or given.label)


def _make_known(bench: Workbench, variants: Sequence[Variant]) -> None:
    """Make encoders and units of a user's own known to the workbench by their names.

    Two of one name are refused: settings mean them by it, so one would be measured in the place of the other.
    """
    for kind, use in (("encoder", bench.use), ("unit", bench.use_unit)):
        known: dict[str, object] = {name: name for name in UNITS} if kind == "unit" else {}
        for one in variants:
            if kind in one.reads:
                name = getattr(one.options, kind)
                if known.setdefault(name, dict(one.own).get(kind, name)) != dict(one.own).get(kind, name):
                    raise InputError(f"Two {kind}s are called '{name}'. Give yours a name of its own.")
        for thing in (thing for one in variants for of, thing in one.own if of == kind):
            use(thing)


def checked_measures(given: Sequence[str | AnyMeasure], collection: Collection) -> list[AnyMeasure]:
    """Return measures by their names, those of the paper where none is given; refuse what the collection has no judgements for."""
    wanted = [parse_measure(one) if isinstance(one, str) else one for one in given]
    for measure in wanted:
        if measure.ranked == "passage" and not collection.has_passages:
            raise InputError(
                f"{measure} is about passages, and the collection '{collection.name}' judges documents only."
            )
    return wanted or list(default_measures(collection))
