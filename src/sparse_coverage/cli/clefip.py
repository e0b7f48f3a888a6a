"""`sparse-coverage clefip`: the CLEF-IP 2013 benchmark, what of it is there, and its candidate pool."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Group
from rich.table import Table
from rich.text import Text

from sparse_coverage.cli.options import count_option, echo_people, json_option, path_option, show
from sparse_coverage.cli.options.collections import POOL
from sparse_coverage.dataclass_json import record
from sparse_coverage.files import as_typed


@click.command(no_args_is_help=True)
@click.argument("folder", type=click.Path(path_type=Path))
@path_option("-o", "--output", help="Draw the candidate pool of the paper and write it: every document and its tier.")
@count_option("--pool", "size", default=POOL, help="With -o: size of the candidate pool.")
@count_option("--pool-seed", "seed", default=0, least=0, help="With -o: its seed. Same seed, same pool.")
@json_option
def command(folder: Path, output: Path | None, size: int, seed: int) -> int:
    """Say what of CLEF-IP 2013 is in FOLDER, what is missing and how to get it. The exit status is 0 when all is there.

    \b
    Example:
      sparse-coverage clefip clef-ip-2013/
      sparse-coverage clefip clef-ip-2013/ -o pool.json
      sparse-coverage reproduce lengths --collection clef-ip-2013/
      sparse-coverage evaluate clef-ip-2013/ --system bm25
    """
    from sparse_coverage.evaluation.clefip import check

    if output is not None:
        return _pool(folder, output, size, seed)
    findings = check(folder)
    complete = all(finding.present for finding in findings)
    table = Table("part", "", "found", title=f"CLEF-IP 2013 in {folder}")
    for finding in findings:
        table.add_row(finding.part, "[green]yes[/green]" if finding.present else "[red]no[/red]", finding.found)
    show(findings, table)
    echo_people(*dict.fromkeys(f"- {finding.remedy}" for finding in findings if finding.remedy))
    if complete:
        echo_people(f"All is there. Next: sparse-coverage evaluate {as_typed(folder)} --system bm25")
    return 0 if complete else 1


def _pool(folder: Path, output: Path, size: int, seed: int) -> int:
    """Draw the candidate pool, show its tiers and write it."""
    from sparse_coverage.evaluation.clefip import read_clefip
    from sparse_coverage.evaluation.clefip_pool import PoolConfig
    from sparse_coverage.experiments.cache import default_cache
    from sparse_coverage.files import require_place, write_json

    require_place(output)
    read = read_clefip(folder, PoolConfig(size, seed=seed), cache=default_cache())
    drawn = read.pool
    facts = {"config": drawn.config, "counts": drawn.counts(), "available": drawn.available, "missing": drawn.missing}
    whole = record({**facts, "documents": drawn.tiers})
    write_json(output, whole)
    table = Table("tier", "drawn", "available", title=f"{len(drawn.documents):,} candidates, seed {seed}")
    for tier, count in drawn.counts().items():
        table.add_row(tier, f"{count:,}", f"{drawn.available[tier]:,}")
    show(whole, lambda: Group(table, *(Text(f"- {note}") for note in read.collection.notes)))
    echo_people(f"Pool: {output}")
    return 0
