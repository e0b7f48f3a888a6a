"""Experiments from small TOML files: rows of settings, where a list stands for each of its values in turn; and looking ahead at what
working through them would take.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from itertools import islice, product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sparse_coverage.encoding import load_encoder
from sparse_coverage.encoding.weights import cached_folder
from sparse_coverage.errors import InputError, SparseCoverageError
from sparse_coverage.evaluation.collection import corpus_passages
from sparse_coverage.evaluation.measures import MAP, MAP_D, PASSAGE_R, PRES, AnyMeasure, R, parse_measure
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.evaluation import DEPTH, Evaluation, result_facts, result_path
from sparse_coverage.experiments.options import NAMES as OPTIONS
from sparse_coverage.experiments.options import Variant, as_typed, make_options, reads
from sparse_coverage.files import read_toml
from sparse_coverage.present.tables import Table
from sparse_coverage.systems import get_system

NAMES = ("main", "full", "ablations", "efficiency", "centers", "lengths")
KINDS = ("table", "sizes", "ablations", "cost", "centers", "lengths")
"""What is made of the rows: a table; with curves over V; averages of settings; with a plot of cost against recall; the
geometry of the vocabularies; or, without rows, a description of the collection."""
_KNOWN = {"title", "kind", "rows", "small", "settings", "measures", "split"}


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
    rows: tuple[Variant, ...]
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
) -> list[Variant]:
    """Return the rows of one table: every combination of its lists, with what an ablation sets instead.

    Of several systems, each takes the settings that it reads; one that none of them reads is an error.
    """
    systems = described.get("system")
    if isinstance(systems, list) and systems:
        known = {name for one in systems for name in reads(str(one))}
        found = []
        for one in systems:
            mine = {name: value for name, value in described.items() if name not in known or name in reads(str(one))}
            found += _expanded({**mine, "system": one}, setting, changes, common)
        return found
    if not isinstance(systems, str):
        raise InputError('a row has no system = "…".')
    given = {name: value for name, value in described.items() if name not in ("system", "group")}
    varied = {name: value for name, value in setting.items() if name not in ("factor", "name")}
    read = reads(systems)
    if unread := sorted((given.keys() & set(OPTIONS)) - set(read)):
        raise InputError(f"{systems} does not read {unread[0]}. Its settings are: {', '.join(read)}.")
    given |= {name: list(values) for name, values in changes.items() if values and name in read}
    values = [value if isinstance(value, list) else [value] for value in given.values()]
    group, factor, name = (
        str(text) for text in (described.get("group", ""), setting.get("factor", ""), setting.get("name", ""))
    )
    made = [make_options({**common, **dict(zip(given, chosen, strict=True)), **varied}) for chosen in product(*values)]
    return [Variant(systems, options, group=group, factor=factor, setting=name) for options in made]


def row_command(collection: str, row: Variant, seeds: int = 1) -> str:
    """Return the command that evaluates one row by itself; `collection` may be followed by options, as typed."""
    words = ["sparse-coverage evaluate", collection, f"--system {row.name}"]
    read, changed = row.reads, row.options.differences()
    for name, value in asdict(row.options).items():
        if name in read and (name in changed or name in row.options.fixed or name in ("encoder", "unit")):
            words.append(as_typed(name, shlex.quote(str(value))))
    return " ".join([*words, *([f"--seeds {seeds}"] if seeds > 1 and "seed" in read else [])])


Draw = Callable[[Path], list[Path]]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """An experiment's table, its figures (functions that draw into a folder), commands, failures, rows, and tests between them."""

    definition: Definition
    table: Table
    figures: tuple[Draw, ...]
    commands: tuple[str, ...]
    failures: tuple[str, ...]
    rows: Mapping[str, Evaluation] = field(default_factory=dict)
    comparisons: Sequence[Comparison] = ()


def table_measures(bench: Workbench, definition: Definition) -> tuple[AnyMeasure, ...]:
    """Return the measures of an experiment, or those of the paper's tables, that the collection has judgements for."""
    if definition.measures:
        wanted = tuple(map(parse_measure, definition.measures))
        return tuple(one for one in wanted if one.ranked == "document" or bench.collection.has_passages)
    documents = (R @ 100, MAP, PRES @ 100)
    return (*documents, MAP_D, PASSAGE_R @ 1000) if bench.collection.has_passages else documents


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
            if state != "finished" and "encoder" in row.reads:
                waiting[row.options.encoder] = waiting.get(row.options.encoder, 0) + 1
    return planned, [EncoderTime(name, rows, _encoding_seconds(bench, name)) for name, rows in waiting.items()]


def _row_state(definition: Definition, row: Variant, bench: Workbench, seeds: int, depth: int) -> str:
    if "encoder" in row.reads and not _is_here(row.options.encoder):
        return "open: the encoder will be fetched"
    centers = definition.kind == "centers"
    what = ["centers"] if centers else result_facts(table_measures(bench, definition), depth)
    try:
        get_system(row.name, "study")
        done = all(result_path(bench, one, what).is_file() for one in row.seeded(1 if centers else seeds))
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
