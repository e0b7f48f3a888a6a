"""Working through the rows of an experiment: with progress, resumable, and one failing row does not lose the others."""

from __future__ import annotations

import sys
from collections.abc import Sequence
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
    bench.plan(row.options for row in rows if is_sparse(row.system))
    outcomes: list[Outcome] = []
    begun = monotonic()
    for row in rows:
        _announce(row, len(outcomes), len(rows), monotonic() - begun)
        try:
            found = evaluate_system(bench, row.system, row.options, measures, fresh=fresh)
            outcomes.append(Outcome(row, found))
        except SparseCoverageError as error:
            outcomes.append(Outcome(row, None, str(error)))
        except Exception as error:  # whatever a row dies of, the others go on; the report shows what it was
            outcomes.append(Outcome(row, None, f"{type(error).__name__}: {error}"))
        if outcomes[-1].failure:
            print(f"failed: {label(row.system, row.options)}: {outcomes[-1].failure}", file=sys.stderr)
    return outcomes


def _announce(row: Row, done: int, total: int, elapsed: float) -> None:
    """Tell people where the sweep is, a line a row: the bars of a row's own steps run below it."""
    console = Console(stderr=True)
    if console.is_terminal:
        left = f", about {elapsed / done * (total - done) / 60:,.0f} min left" if done and elapsed > 60 else ""
        console.print(f"[{done + 1}/{total}] {label(row.system, row.options)}{left}", markup=False, highlight=False)
