"""Working through the rows of an experiment: with progress, resumable, and one failing row does not lose the others."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from rich.console import Console

from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.evaluation.measures import AnyMeasure
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Row
from sparse_coverage.experiments.evaluate import Evaluation, evaluate_system, label
from sparse_coverage.experiments.systems import is_sparse


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
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
) -> list[Outcome]:
    """Evaluate all rows. What an earlier, interrupted run finished is found in the cache and not computed again."""
    outcomes: list[Outcome] = []
    for row in announced(bench, rows):
        try:
            outcomes.append(Outcome(row, evaluate_system(bench, row.system, row.options, measures, fresh=fresh)))
        except Exception as error:  # whatever a row dies of, the others go on; the report shows what it was
            outcomes.append(Outcome(row, None, failure_of(row, error)))
    return outcomes


def announced(bench: Workbench, rows: Sequence[Row]) -> Iterator[Row]:
    """Plan all rows, then yield them one by one and tell people where the sweep is; each row's own bars run below."""
    bench.plan(row.options for row in rows if is_sparse(row.system))
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
