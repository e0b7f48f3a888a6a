"""Working through the rows of an experiment, resumable, one failing row does not lose the others; and what it gives in the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from rich.console import Console

from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.evaluation.measures import MAP, MAP_D, PASSAGE_R, PRES, AnyMeasure, R
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition, Row
from sparse_coverage.experiments.evaluate import Evaluation, label
from sparse_coverage.experiments.paper import notes_on_the_paper
from sparse_coverage.experiments.seeds import evaluate_seeds, seeded
from sparse_coverage.experiments.systems import is_sparse
from sparse_coverage.present.tables import Table

Draw = Callable[[Path], list[Path]]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """An experiment's table, its figures (functions that draw into a folder), commands, failures, and tests between rows."""

    definition: Definition
    table: Table
    figures: tuple[Draw, ...]
    commands: tuple[str, ...]
    failures: tuple[str, ...]
    outcomes: tuple[Outcome, ...] = ()
    comparisons: Sequence[Comparison] = ()


def paper_measures(bench: Workbench) -> tuple[AnyMeasure, ...]:
    """Return the measures of the paper's tables that the collection has judgements for."""
    documents = (R @ 100, MAP, PRES @ 100)
    return (*documents, MAP_D, PASSAGE_R @ 1000) if bench.collection.has_passages else documents


def notes_beside_the_paper(bench: Workbench, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the collection's notes, and beside which rows the paper's values do not stand."""
    return bench.notes() + notes_on_the_paper(rows, bench.collection, learned_here=bench.learns_from_itself)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A row with its evaluation, or with why there is none."""

    row: Row
    evaluation: Evaluation | None
    failure: str = ""


def run_rows(
    bench: Workbench, rows: Sequence[Row], measures: Sequence[AnyMeasure], *, fresh: bool = False, seeds: int = 1
) -> list[Outcome]:
    """Evaluate all rows. What an earlier, interrupted run finished is found in the cache and not computed again."""
    outcomes: list[Outcome] = []
    for row in announced(bench, rows, seeds):
        try:
            found = evaluate_seeds(bench, row.system, row.options, measures, seeds, fresh=fresh)
            outcomes.append(Outcome(row, found))
        except Exception as error:  # whatever a row dies of, the others go on; the report shows what it was
            outcomes.append(Outcome(row, None, failure_of(row, error)))
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
