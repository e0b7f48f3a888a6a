"""`sparse-coverage reproduce`: the paper's tables and figures, beside its values; and `clefip`, what they are made on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sparse_coverage.cli.options import (
    OnceOnly,
    count_option,
    depth_option,
    echo_people,
    fresh_option,
    json_option,
    measure_option,
    path_option,
    seed_option,
    seeds_option,
    show,
    wants_json,
)
from sparse_coverage.cli.options.research import POOL, Means, bench_options, encoder_option, size_option, unit_option
from sparse_coverage.dataclass_json import record
from sparse_coverage.files import as_typed
from sparse_coverage.printing import console

if TYPE_CHECKING:
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.experiments.options import Variant
    from sparse_coverage.experiments.sweep import Definition


@click.command(cls=OnceOnly, no_args_is_help=True)
@click.argument("experiments", nargs=-1, required=True)
@click.option("--collection", default="demo", help="What to measure on; as for `evaluate`.")
@path_option("-o", "--output", file_okay=False, default=Path("report"), help="The report folder.")
@click.option(
    "--small/--full-size", default=None, help="MiniLM and small vocabularies [for the demo collection: small]."
)
@encoder_option(None, "Instead of the experiment's encoders; may be repeated.", multiple=True)
@unit_option(None, "Instead of the experiment's units; may be repeated.", multiple=True)
@size_option("Instead of the experiment's sizes; may be repeated.", multiple=True)
@seed_option("Seed of the vocabularies, the first of several.")
@seeds_option
@click.option(
    "--against", help="Test all rows against this one: a row's name or a part of it, or bm25, dense, splade, colbert."
)
@measure_option
@depth_option
@click.option("--runs", is_flag=True, help="Also write the rankings of every row into the report, as TREC runs.")
@fresh_option
@click.option(
    "--dry-run", is_flag=True, help="Only list the rows, which are finished, and how long encoding would take."
)
@bench_options
@json_option
def reproduce_command(
    experiments: tuple[str, ...],
    collection: str,
    output: Path,
    small: bool | None,
    seed: int,
    seeds: int,
    against: str | None,
    measures: tuple[str, ...],
    depth: int,
    runs: bool,
    fresh: bool,
    dry_run: bool,
    means: Means,
    **changes: tuple[Any, ...],
) -> int:
    """Make EXPERIMENTS: main, full, ablations, efficiency, centers, lengths, all of them (`all`), or a .toml file.

    Each prints a table and writes it as CSV, Markdown and LaTeX with its figures (PDF, SVG and PNG) into the report folder,
    which has an HTML index, a paragraph on what was run (methods.tex) and a BibTeX file. The paper's values stand beside
    rows of the same encoder, unit and V on the same collection; a note says where they do not, and why. Interrupted, the
    same command goes on where it stopped. The exit status is 1 when a row failed; the others are not lost.

    \b
    Example:
      sparse-coverage reproduce all
      sparse-coverage reproduce full --collection path/to/clef-ip-2013 --dry-run
      sparse-coverage reproduce main full --collection path/to/clef-ip-2013 --seeds 5 --against bm25
      sparse-coverage reproduce ablations --collection path/to/beir --small -V 1000 -V 5000
    """
    from sparse_coverage.evaluation.measures import parse_measure
    from sparse_coverage.experiments.sweep import NAMES, load_definition

    names = [name for given in experiments for name in (NAMES if given == "all" else (given,))]
    small = collection == "demo" if small is None else small
    definitions = [
        load_definition(name, small=small, changes=changes, seed=seed, max_documents=means.max_documents)
        for name in dict.fromkeys(names)
    ]
    if means.as_published:
        definitions = [replace(one, rows=tuple(_as_published(row, means) for row in one.rows)) for one in definitions]
    if measures:
        for name in measures:
            parse_measure(name)
        definitions = [replace(one, measures=measures) for one in definitions]
    if not dry_run:
        output.mkdir(parents=True, exist_ok=True)
        _tell_what_is_missing(definitions)
    loaded = means.reading.collection(collection)
    with means.workbench(loaded) as bench:
        if dry_run:
            return _look_ahead(definitions, bench, means.as_typed(collection), seeds, depth)
        rows = [row for one in definitions for row in one.rows if row.is_sparse]
        bench.plan(one.options for row in rows for one in row.seeded(seeds))
        about = {
            "command": shlex.join(["sparse-coverage", *sys.argv[1:]]),
            "collection": loaded.name,
            "fingerprint": bench.fingerprint,
            "queries": len(loaded.judged),
            "documents": len(bench.corpus.documents),
            "passages": len(bench.corpus),
            "by": loaded.by,
            "notes": list(bench.notes()),
            "seed": seed,
            "seeds": list(range(seed, seed + seeds)),
            "against": against,
            "depth": depth,
            "learned_from": list(means.learn_from) or "the collection itself",
            "restricted": [str(means.only)] if means.only else [],
            "pool": {"size": means.reading.pool, "seed": means.reading.pool_seed},
        }
        how = {"fresh": fresh, "seeds": seeds, "against": against, "depth": depth, "runs": runs}
        return _make(definitions, bench, means.as_typed(collection), output, about, how)


def _as_published(row: Variant, means: Means) -> Variant:
    """Return a row with its unit as the paper has it."""
    options = replace(row.options, unit=means.units([row.options.unit])[0])
    return row.replaced(options=options) if row.is_sparse else row


def _tell_what_is_missing(definitions: Sequence[Definition]) -> None:
    """Say before the work begins which rows will fail, and that figures will, for want of an extra."""
    from sparse_coverage.errors import MissingExtraError, require_package
    from sparse_coverage.experiments.figures import FIGURES_NEED
    from sparse_coverage.systems import require_system

    systems = dict.fromkeys(row.name for one in definitions for row in one.rows)
    checks: list[Callable[[], object]] = [partial(require_system, name, "study") for name in systems]
    checks.append(partial(require_package, *FIGURES_NEED))
    for check in checks:
        try:
            check()
        except MissingExtraError as error:
            click.echo(f"Note: {error}", err=True)


def _make(
    definitions: Sequence[Definition],
    bench: Workbench,
    spoken: str,
    output: Path,
    about: dict[str, Any],
    how: dict[str, Any],
) -> int:
    from sparse_coverage.experiments.report import RUNS, write_result
    from sparse_coverage.experiments.reproduce import run_experiment

    screen = console()
    summary: dict[str, Any] = {"collection": about["collection"], "report": str(output), "experiments": {}}
    failed = 0
    for definition in definitions:
        begun = perf_counter()
        runs = output / definition.name / RUNS if how["runs"] else None
        result = run_experiment(definition, bench, spoken, **{**how, "runs": runs})
        seconds = round(perf_counter() - begun, 1)
        rows = [row.record() for row in definition.rows]
        own = {**about, "encoders": bench.encoders(), "experiment": definition.name, "rows": rows, "seconds": seconds}
        index, failures = write_result(result, output, own)
        failed += len(failures)
        summary["experiments"][definition.name] = {"failures": failures, "seconds": seconds}
        if not wants_json():
            screen.print(result.table.rich())
            for cause in dict.fromkeys(failure.partition(": ")[2] for failure in failures):
                first, *more = [row for row, _, why in (one.partition(": ") for one in failures) if why == cause]
                those = f"{first} and {len(more)} more" if more else first
                screen.print(f"[red]failed[/red] {escape(those)}: {escape(cause)}", highlight=False, soft_wrap=True)
    show(summary, f"Open the report: [bold]{escape(str(index))}[/bold]", soft_wrap=True)
    return 1 if failed else 0


def _look_ahead(definitions: Sequence[Definition], bench: Workbench, spoken: str, seeds: int, depth: int) -> int:
    from sparse_coverage.experiments.sweep import look_ahead

    planned, encoders = look_ahead(definitions, bench, spoken, seeds, depth)
    lines = [f"{escape(row.command)}  [dim]# {row.experiment}, {escape(row.state)}[/dim]" for row in planned]
    table = Table(title=f"{escape(bench.collection.name)}: {len(bench.corpus):,} passages, {len(planned):,} rows")
    table.add_column("encoder")
    table.add_column("rows to do", justify="right")
    table.add_column("encoding all passages once takes about", justify="right")
    for one in encoders:
        table.add_row(escape(one.encoder), f"{one.rows_open:,}", _duration(one.seconds))
    if lines and not wants_json():
        show(None, "\n".join(lines), soft_wrap=True)
    show({"rows": planned, "encoders": encoders}, table if encoders else "No row is left that needs an encoder.")
    return 0


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "not known: it cannot be loaded here yet"
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"


@click.command(no_args_is_help=True)
@click.argument("folder", type=click.Path(path_type=Path))
@path_option("-o", "--output", help="Draw the candidate pool of the paper and write it: every document and its tier.")
@count_option("--pool", "size", default=POOL, help="With -o: size of the candidate pool.")
@count_option("--pool-seed", "seed", default=0, least=0, help="With -o: its seed. Same seed, same pool.")
@json_option
def clefip_command(folder: Path, output: Path | None, size: int, seed: int) -> int:
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
