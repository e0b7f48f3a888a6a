"""What an experiment gives: a table, figures, commands, and what failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.evaluation.measures import MAP, MAP_D, PASSAGE_R, PRES, AnyMeasure, R
from sparse_coverage.evaluation.significance import Comparison
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.definition import Definition
from sparse_coverage.experiments.sweep import Outcome
from sparse_coverage.present.tables import Table

OTHER_COLLECTION = "The paper's values are for CLEF-IP 2013: on another collection the difference is one of collections, not of programs."
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


def notes_beside_the_paper(bench: Workbench) -> tuple[str, ...]:
    """Return the collection's notes, and the warning that another collection is not the paper's."""
    known = bench.collection.name.startswith("clef-ip-2013")
    return bench.notes() + (() if known else (OTHER_COLLECTION,))
