"""Working through the rows of an experiment, or looking ahead at what that would take.

It can be interrupted and taken up again, and a row that fails does not lose the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic, perf_counter

from rich.console import Console

from sparse_coverage.encoding import load_encoder
from sparse_coverage.encoding.weights import cached_folder
from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.evaluation.collection import corpus_passages
from sparse_coverage.evaluation.measures import MAP, MAP_D, PASSAGE_R, PRES, AnyMeasure, R, parse_measure
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition, Row, row_command
from sparse_coverage.experiments.evaluation import (
    DEPTH,
    Evaluation,
    evaluate_seeds,
    label,
    result_facts,
    result_path,
    seeded,
)
from sparse_coverage.experiments.paper import notes_on_the_paper
from sparse_coverage.experiments.systems import is_sparse, reads
from sparse_coverage.present.tables import Table
from sparse_coverage.systems import get_system

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


def notes_beside_the_paper(bench: Workbench, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the collection's notes, and beside which rows the paper's values do not stand."""
    return bench.notes() + notes_on_the_paper(rows, bench.collection, learned_here=bench.learns_from_itself)


@dataclass(frozen=True, slots=True, eq=False)
class RowOutcome:
    """A row with its evaluation, or with why there is none."""

    row: Row
    evaluation: Evaluation | None
    failure: str = ""


def run_rows(
    bench: Workbench,
    rows: Sequence[Row],
    measures: Sequence[AnyMeasure],
    *,
    fresh: bool = False,
    seeds: int = 1,
    depth: int = DEPTH,
) -> list[RowOutcome]:
    """Evaluate all rows. What an earlier, interrupted run finished is found in the cache and not computed again."""
    outcomes: list[RowOutcome] = []
    for row in announced(bench, rows, seeds):
        try:
            found = evaluate_seeds(bench, row.system, row.options, measures, seeds, fresh=fresh, depth=depth)
            outcomes.append(RowOutcome(row, found))
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
            text = f"[{done + 1}/{len(rows)}] {label(row.system, row.options)}{left}"
            console.print(text, markup=False, highlight=False)
        yield row


def failure_of(row: Row, error: Exception) -> str:
    """Say what a row died of, at once on standard error, and return it for the report."""
    cause = str(error) if isinstance(error, SparseCoverageError) else f"{type(error).__name__}: {error}"
    print(f"failed: {label(row.system, row.options)}: {cause}", file=sys.stderr)
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
