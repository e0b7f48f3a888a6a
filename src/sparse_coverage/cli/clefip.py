"""`sparse-coverage clefip`: the CLEF-IP 2013 benchmark, what of it is there, its pool and its statistics."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from sparse_coverage.cli.options import echo_people, json_option, path_option, show, wants_json
from sparse_coverage.cli.options.collections import CollectionOptions, reading_options
from sparse_coverage.dataclass_json import record
from sparse_coverage.files import as_typed

folder_argument = click.argument("folder", type=click.Path(path_type=Path))


@click.group()
def command() -> None:
    """CLEF-IP 2013, claims to passages: check the download, see the candidate pool, count.

    \b
    Example:
      sparse-coverage clefip check clef-ip-2013/
      sparse-coverage clefip pool clef-ip-2013/ -o pool.json
      sparse-coverage evaluate clef-ip-2013/ --system bm25
    """


@command.command(no_args_is_help=True)
@folder_argument
@json_option
def check(folder: Path) -> int:
    """Say what is in FOLDER, what is missing and how to get it. The exit status is 0 when all is there."""
    from sparse_coverage.evaluation.clefip import check as look

    findings = look(folder)
    complete = all(finding.present for finding in findings)
    table = Table("part", "", "found", title=f"CLEF-IP 2013 in {folder}")
    for finding in findings:
        table.add_row(finding.part, "[green]yes[/green]" if finding.present else "[red]no[/red]", finding.found)
    show(findings, table)
    echo_people(*dict.fromkeys(f"- {finding.remedy}" for finding in findings if finding.remedy))
    if complete:
        echo_people(f"All is there. Next: sparse-coverage evaluate {as_typed(folder)} --system bm25")
    return 0 if complete else 1


@command.command(no_args_is_help=True)
@folder_argument
@path_option("-o", "--output", help="Also write the pool: every document and its tier.")
@reading_options
@json_option
def pool(folder: Path, output: Path | None, reading: CollectionOptions) -> None:
    """Draw the candidate pool of the paper and show its tiers. Same seed, same pool."""
    from sparse_coverage.evaluation.clefip import read_clefip
    from sparse_coverage.files import require_place, write_json

    if output is not None:
        require_place(output)
    read = read_clefip(folder, reading.pool_config, cache=reading.cache)
    drawn = read.pool
    facts = {"config": drawn.config, "counts": drawn.counts(), "available": drawn.available, "missing": drawn.missing}
    whole = record({**facts, "documents": drawn.tiers})
    if output:
        write_json(output, whole)
    table = Table("tier", "drawn", "available", title=f"{len(drawn.documents):,} candidates, seed {reading.pool_seed}")
    for tier, count in drawn.counts().items():
        table.add_row(tier, f"{count:,}", f"{drawn.available[tier]:,}")
    show(whole, lambda: Group(table, *(Text(f"- {note}") for note in read.collection.notes)))
    if output:
        echo_people(f"Pool: {output}")


@command.command(no_args_is_help=True)
@folder_argument
@reading_options
@json_option
def statistics(folder: Path, reading: CollectionOptions) -> None:
    """Count documents, passages, queries and judgements, beside the paper's table."""
    from sparse_coverage.evaluation.collection import dataset_statistics
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.experiments.reproduce import run_experiment
    from sparse_coverage.experiments.sweep import load_definition

    read = reading.collection(str(folder))
    with Workbench(read, reading.cache) as bench:
        counts = {line.key: line.values for line in dataset_statistics(read, bench.corpus)} if wants_json() else {}
        show(counts, lambda: run_experiment(load_definition("lengths"), bench, str(folder)).table.rich())
