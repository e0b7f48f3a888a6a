"""Experiments from small TOML files: rows of settings, where a list stands for each of its values in turn; working through them, or looking
ahead at what that would take.

That can be interrupted and taken up again, and a row that fails does not lose the others.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from itertools import islice, product
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np
from rich.console import Console

from sparse_coverage.encoding import load_encoder
from sparse_coverage.encoding.weights import cached_folder
from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.evaluation.collection import corpus_passages
from sparse_coverage.evaluation.measures import MAP, MAP_D, PASSAGE_R, PRES, AnyMeasure, R, parse_measure
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluation import (
    DEPTH,
    Evaluation,
    evaluate_system,
    label,
    over_seeds,
    result_facts,
    result_path,
    seeded,
)
from sparse_coverage.experiments.options import FLAGS, SystemOptions, make_options
from sparse_coverage.experiments.options import NAMES as OPTIONS
from sparse_coverage.experiments.systems import concerning, is_sparse, reads
from sparse_coverage.files import read_toml
from sparse_coverage.present.tables import Table
from sparse_coverage.systems import get_system

NAMES = ("main", "full", "ablations", "efficiency", "centers", "lengths")
KINDS = ("table", "sizes", "ablations", "cost", "centers", "lengths")
"""What is made of the rows: a table; with curves over V; averages of settings; with a plot of cost against recall; the
geometry of the vocabularies; or, without rows, a description of the collection."""
_KNOWN = {"title", "kind", "rows", "small", "settings", "measures", "split"}


@dataclass(frozen=True, slots=True)
class Row:
    """One configuration to evaluate. `factor` and `setting` name what an ablation varies."""

    system: str
    options: SystemOptions
    group: str = ""
    factor: str = ""
    setting: str = ""

    def name(self, varied: Sequence[str] = ()) -> str:
        """Return what it is called: what distinguishes it, and all that is `varied` beside it."""
        return label(self.system, self.options, varied)


@dataclass(frozen=True, slots=True)
class Split:
    """Which queries settings are tuned on: a share of them drawn with a seed, or named ones. `measure` says which row is best."""

    tuned: float | tuple[str, ...] = 0.5
    measure: str = "MAP"
    seed: int = 0

    @classmethod
    def read(cls, given: Any) -> Split:
        """Read the table [split] of an experiment's file."""
        if not isinstance(given, dict) or (unknown := sorted(given.keys() - {"tuned", "measure", "seed"})):
            raise InputError(
                f"[split] has tuned, measure and seed{f', not {unknown[0]}' if isinstance(given, dict) else ''}."
            )
        tuned = given.get("tuned", 0.5)
        share = isinstance(tuned, float) and 0 < tuned < 1
        if not share and not (isinstance(tuned, list) and tuned and all(isinstance(one, str) for one in tuned)):
            raise InputError("tuned is a share of the queries between 0 and 1, or a list of their ids.")
        return cls(
            tuple(tuned) if isinstance(tuned, list) else tuned,
            str(given.get("measure", "MAP")),
            int(given.get("seed", 0)),
        )

    def parts(self, queries: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the tuned and the held-out queries."""
        if not isinstance(self.tuned, tuple):
            return split_queries(queries, self.tuned, self.seed)
        if unknown := sorted(set(self.tuned).difference(queries)):
            raise InputError(f"[split] names '{unknown[0]}', which is no judged query.")
        return list(self.tuned), [query for query in queries if query not in self.tuned]


def split_queries(queries: Iterable[str], share: float = 0.5, seed: int = 0) -> tuple[list[str], list[str]]:
    """Split queries at random, the same way for the same ids and seed, whatever their order.

    >>> split_queries(["a", "b", "c", "d"])
    (['a', 'c'], ['b', 'd'])
    """
    ordered = sorted(queries)
    if len(ordered) < 2:
        raise InputError("Two judged queries at least are needed to hold any out.")
    count = min(max(1, round(share * len(ordered))), len(ordered) - 1)
    chosen = set(np.random.default_rng([seed, 11]).permutation(len(ordered))[:count].tolist())
    tuned = [query for place, query in enumerate(ordered) if place in chosen]
    return tuned, [query for place, query in enumerate(ordered) if place not in chosen]


@dataclass(frozen=True, slots=True)
class Definition:
    """An experiment as its file describes it, every list written out."""

    name: str
    title: str
    rows: tuple[Row, ...]
    kind: str = "table"
    measures: tuple[str, ...] = ()
    split: Split | None = None


def load_definition(
    name: str,
    *,
    small: bool = False,
    changes: Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    max_documents: int | None = None,
) -> Definition:
    """Read one of our experiments by name, or another from a `.toml` file.

    `small` takes its rows for small collections, where there are some; `changes` are values that every row takes in the place of
    its own, where its system reads that setting (encoder, unit, size).
    """
    if name in NAMES:
        path = Path(str(resources.files("sparse_coverage.experiments") / "definitions" / f"{name}.toml"))
    elif name.endswith(".toml"):
        path = Path(name)
    else:
        raise InputError(f"There is no experiment '{name}'. The experiments are: {', '.join(NAMES)}, or a .toml file.")
    about = read_toml(path)
    try:
        return _definition(path.stem, about, small, changes or {}, {"seed": seed, "max_documents": max_documents})
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _definition(
    name: str, about: dict[str, Any], small: bool, changes: Mapping[str, Sequence[Any]], common: dict[str, Any]
) -> Definition:
    if unknown := sorted(about.keys() - _KNOWN):
        raise InputError(f"'{unknown[0]}' means nothing here. Known are: {', '.join(sorted(_KNOWN))}.")
    kind = about.get("kind", "table")
    if kind not in KINDS:
        raise InputError(f"kind is one of {', '.join(KINDS)}, not {kind!r}.")
    described = _tables(about, "small" if small and "small" in about else "rows")
    if bool(described) != (kind != "lengths"):
        raise InputError("there are no [[rows]]." if not described else "an experiment of kind lengths has no rows.")
    settings = _tables(about, "settings")
    if bool(settings) != (kind == "ablations"):
        raise InputError("an experiment of kind ablations has [[settings]], and no other has.")
    rows = [
        row for setting in settings or [{}] for one in described for row in _expanded(one, setting, changes, common)
    ]
    measures = about.get("measures", [])
    if not isinstance(measures, list) or not all(isinstance(one, str) for one in measures):
        raise InputError('measures is a list of names, as in ["MAP", "R@100"].')
    split = Split.read(about["split"]) if "split" in about else None
    return Definition(name, str(about.get("title", name)), tuple(dict.fromkeys(rows)), kind, tuple(measures), split)


def _tables(about: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = about.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"{name} are tables, each beginning with [[{name}]].")
    if name == "settings" and not all({"factor", "name"} <= one.keys() for one in found):
        raise InputError('each of the [[settings]] has a factor = "…" and a name = "…".')
    return found


def _expanded(
    described: dict[str, Any], setting: dict[str, Any], changes: Mapping[str, Sequence[Any]], common: dict[str, Any]
) -> list[Row]:
    """Return the rows of one table: every combination of its lists, with what an ablation sets instead."""
    given = {name: value for name, value in described.items() if name not in ("system", "group")}
    varied = {name: value for name, value in setting.items() if name not in ("factor", "name")}
    system = described.get("system")
    if not isinstance(system, str):
        raise InputError('a row has no system = "…".')
    read = reads(system)
    if unread := sorted((given.keys() & set(OPTIONS)) - set(read)):
        raise InputError(f"{system} does not read {unread[0]}. Its settings are: {', '.join(read)}.")
    given |= {name: list(values) for name, values in changes.items() if values and name in read}
    values = [value if isinstance(value, list) else [value] for value in given.values()]
    labels = (str(described.get("group", "")), str(setting.get("factor", "")), str(setting.get("name", "")))
    found = [make_options({**common, **dict(zip(given, chosen, strict=True)), **varied}) for chosen in product(*values)]
    return [Row(system, concerning(system, options), *labels) for options in found]


def row_command(collection: str, row: Row, seeds: int = 1) -> str:
    """Return the command that evaluates one row by itself; `collection` may be followed by options, as typed."""
    words = ["sparse-coverage evaluate", collection, f"--system {row.system}"]
    read, changed = reads(row.system), row.options.differences()
    for name, value in asdict(row.options).items():
        if name in read and (name in changed or name in row.options.fixed or name in ("encoder", "unit")):
            words.append(f"{FLAGS[name]} {shlex.quote(str(value))}")
    return " ".join([*words, *([f"--seeds {seeds}"] if seeds > 1 and "seed" in read else [])])


Draw = Callable[[Path], list[Path]]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """An experiment's table, its figures (functions that draw into a folder), commands, failures, and tests between rows."""

    definition: Definition
    table: Table
    figures: tuple[Draw, ...]
    commands: tuple[str, ...]
    failures: tuple[str, ...]
    outcomes: tuple[RowOutcome, ...] = ()
    comparisons: Sequence[Comparison] = ()


def table_measures(bench: Workbench, definition: Definition) -> tuple[AnyMeasure, ...]:
    """Return the measures of an experiment, or those of the paper's tables, that the collection has judgements for."""
    if definition.measures:
        wanted = tuple(map(parse_measure, definition.measures))
        return tuple(one for one in wanted if one.ranked == "document" or bench.collection.has_passages)
    documents = (R @ 100, MAP, PRES @ 100)
    return (*documents, MAP_D, PASSAGE_R @ 1000) if bench.collection.has_passages else documents


@dataclass(frozen=True, slots=True, eq=False)
class RowOutcome:
    """A row with its evaluation, or with why there is none; `runs` are the files that its rankings were written to, one a seed."""

    row: Row
    evaluation: Evaluation | None
    failure: str = ""
    runs: tuple[str, ...] = ()


KeepRun = Callable[[Row, Evaluation, str], str]
"""Writes the rankings of a row with one seed; returns the name of the file."""


def run_rows(
    bench: Workbench,
    rows: Sequence[Row],
    measures: Sequence[AnyMeasure],
    *,
    fresh: bool = False,
    seeds: int = 1,
    depth: int = DEPTH,
    keep: KeepRun | None = None,
) -> list[RowOutcome]:
    """Evaluate all rows. What an earlier, interrupted run finished is found in the cache and not computed again.

    `keep` writes the rankings of a row with one seed.
    """
    outcomes: list[RowOutcome] = []
    for row in announced(bench, rows, seeds):
        try:
            found, runs = [], []
            drawn = seeded(row.system, row.options, seeds)
            for options in drawn:
                found.append(
                    evaluate_system(
                        bench, row.system, options, measures, keep_run=keep is not None, fresh=fresh, depth=depth
                    )
                )
                if keep is not None:
                    runs.append(keep(row, found[-1], f" seed={options.seed}" if len(drawn) > 1 else ""))
            outcomes.append(RowOutcome(row, over_seeds(found), runs=tuple(runs)))
        except Exception as error:  # whatever a row dies of, the others go on; the report shows what it was
            outcomes.append(RowOutcome(row, None, failure_of(row, error)))
    return outcomes


def announced(bench: Workbench, rows: Sequence[Row], seeds: int = 1) -> Iterator[Row]:
    """Plan all rows, then yield them one by one and tell people where the sweep is; each row's own bars run below."""
    bench.plan(one for row in rows if is_sparse(row.system) for one in seeded(row.system, row.options, seeds))
    console = Console(stderr=True)
    begun = monotonic()
    for done, row in enumerate(rows):
        if console.is_terminal:
            elapsed = monotonic() - begun
            left = f", about {elapsed / done * (len(rows) - done) / 60:,.0f} min left" if done and elapsed > 60 else ""
            text = f"[{done + 1}/{len(rows)}] {row.name()}{left}"
            console.print(text, markup=False, highlight=False)
        yield row


def failure_of(row: Row, error: Exception) -> str:
    """Say what a row died of, at once on standard error, and return it for the report."""
    cause = str(error) if isinstance(error, SparseCoverageError) else f"{type(error).__name__}: {error}"
    print(f"failed: {row.name()}: {cause}", file=sys.stderr)
    return cause


TIMED_PASSAGES = 32
"""How many passages, spread over the first thousand, are encoded to measure an encoder's speed."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A row to come: `state` is finished, open, or why it cannot run here as things are."""

    experiment: str
    command: str
    state: str


@dataclass(frozen=True, slots=True)
class EncoderTime:
    """How long an encoder would take over all texts of the collection, once; None where it is not in the cache yet."""

    encoder: str
    rows_open: int
    seconds: float | None


def look_ahead(
    definitions: Sequence[Definition], bench: Workbench, collection: str, seeds: int = 1, depth: int = DEPTH
) -> tuple[list[Planned], list[EncoderTime]]:
    """Look ahead: nothing is downloaded, fitted or indexed, only a few passages are encoded with the encoders at hand."""
    planned = []
    waiting: dict[str, int] = {}
    for definition in definitions:
        for row in definition.rows:
            state = _row_state(definition, row, bench, seeds, depth)
            planned.append(Planned(definition.name, row_command(collection, row, seeds), state))
            if state != "finished" and "encoder" in reads(row.system):
                waiting[row.options.encoder] = waiting.get(row.options.encoder, 0) + 1
    return planned, [EncoderTime(name, rows, _encoding_seconds(bench, name)) for name, rows in waiting.items()]


def _row_state(definition: Definition, row: Row, bench: Workbench, seeds: int, depth: int) -> str:
    if "encoder" in reads(row.system) and not _is_here(row.options.encoder):
        return "open: the encoder will be fetched"
    what = ["centers"] if definition.kind == "centers" else result_facts(table_measures(bench, definition), depth)
    try:
        get_system(row.system, "study")
        every = [row.options] if definition.kind == "centers" else seeded(row.system, row.options, seeds)
        done = all(result_path(bench, row.system, options, what).is_file() for options in every)
        return "finished" if done else "open"
    except SparseCoverageError as error:
        return f"cannot run: {error}"


def _is_here(encoder: str) -> bool:
    return Path(encoder).is_dir() or cached_folder(encoder) is not None


def _encoding_seconds(bench: Workbench, name: str) -> float | None:
    """Encode a few passages and scale up by words."""
    if not _is_here(name):
        return None
    try:
        encoder = load_encoder(name, threads=bench.threads)  # not the bench's, which would remember them
    except SparseCoverageError:
        return None
    first = [unit.text for unit in islice(corpus_passages(bench.collection.documents(), bench.collection.by), 1000)]
    texts = first[:: max(1, len(first) // TIMED_PASSAGES)]
    list(encoder.encode(texts[:1]))
    begun = perf_counter()
    list(encoder.encode(texts))
    words = sum(len(text.split()) for text in texts)
    return (perf_counter() - begun) * float(bench.corpus.words.sum()) / max(1, words)
