"""`sparse-coverage reproduce`: the paper's tables and figures, measured here, beside the paper's values."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.cli.evaluate import (
    cache_option,
    learn_option,
    max_documents_option,
    pool_option,
    pool_seed_option,
)
from sparse_coverage.cli.options import json_option, threads_option


@click.command(no_args_is_help=True)
@click.argument("experiments", nargs=-1, required=True)
@click.option("--collection", default="demo", show_default=True, help="What to measure on; as for `evaluate`.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="The report folder.",
)
@click.option(
    "--small/--full-size", default=None, help="MiniLM and small vocabularies [for the demo collection: small]."
)
@click.option("--encoder", "encoders", multiple=True, help="Instead of the experiment's encoders; may be repeated.")
@click.option("--unit", "units", multiple=True, help="Instead of the experiment's units; may be repeated.")
@click.option(
    "-V",
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    help="Instead of the experiment's sizes; may be repeated.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the vocabularies.")
@click.option("--fresh", is_flag=True, help="Rank and measure again, even where the result is known.")
@learn_option
@max_documents_option
@pool_option
@pool_seed_option
@cache_option
@threads_option
@json_option
def command(
    experiments: tuple[str, ...],
    collection: str,
    output: Path,
    small: bool | None,
    encoders: tuple[str, ...],
    units: tuple[str, ...],
    sizes: tuple[int, ...],
    seed: int,
    fresh: bool,
    learn_from: tuple[str, ...],
    max_documents: int | None,
    pool: int,
    pool_seed: int,
    cache: Path | None,
    threads: int | None,
    as_json: bool,
) -> int:
    """Make EXPERIMENTS: main, full, ablations, efficiency, centers, lengths, all of them (`all`), or a .toml file.

    Each prints a table with our value, the paper's and the difference, and writes it as CSV, Markdown and LaTeX with
    its figures (SVG and PNG) into the report folder, which has an HTML index. Interrupted, the same command goes on
    where it stopped. The exit status is 1 when a row failed; the others are not lost.

    \b
    Example:
      sparse-coverage reproduce all
      sparse-coverage reproduce main full --collection path/to/clef-ip-2013
      sparse-coverage reproduce ablations --collection path/to/beir --small -V 1000 -V 5000
    """
    from sparse_coverage.evaluation.clefip import PoolConfig
    from sparse_coverage.evaluation.collections import load_collection
    from sparse_coverage.experiments.bench import Workbench
    from sparse_coverage.experiments.cache import default_cache
    from sparse_coverage.experiments.definition import NAMES, load_definition
    from sparse_coverage.experiments.report import write_result
    from sparse_coverage.experiments.reproduce import run_experiment
    from sparse_coverage.experiments.systems import is_sparse

    names = [name for given in experiments for name in (NAMES if given == "all" else (given,))]
    small = collection == "demo" if small is None else small
    changes = {"encoder": encoders, "unit": units, "size": sizes}
    definitions = [
        load_definition(name, small=small, changes=changes, seed=seed, max_documents=max_documents)
        for name in dict.fromkeys(names)
    ]
    cache = cache or default_cache()
    loaded = load_collection(collection, pool=PoolConfig(pool, seed=pool_seed), cache=cache)
    spoken = [collection, *(f"--learn-from {path}" for path in learn_from)]
    spoken += [f"--pool {pool}"] if pool != 25_000 else []
    spoken += [f"--pool-seed {pool_seed}"] if pool_seed else []
    console = Console()
    summary: dict[str, Any] = {"collection": loaded.name, "report": str(output), "experiments": {}}
    failed = 0
    with Workbench(loaded, cache, threads=threads, learn_from=learn_from) as bench:
        bench.plan(row.options for one in definitions for row in one.rows if is_sparse(row.system))
        for definition in definitions:
            begun = perf_counter()
            result = run_experiment(definition, bench, " ".join(spoken), fresh=fresh)
            about = {
                "collection": loaded.name,
                "fingerprint": bench.fingerprint,
                "queries": len(loaded.judged),
                "notes": list(loaded.notes),
                "experiment": definition.name,
                "seed": seed,
                "learned_from": list(learn_from) or "the collection itself",
                "pool": {"size": pool, "seed": pool_seed},
                "rows": [asdict(row.options) | {"system": row.system} for row in definition.rows],
                "seconds": round(perf_counter() - begun, 1),
            }
            index = write_result(result, output, about)
            failed += len(result.failures)
            summary["experiments"][definition.name] = {"failures": list(result.failures), "seconds": about["seconds"]}
            if not as_json:
                console.print(result.table.rich())
                for failure in result.failures:
                    console.print(f"[red]failed[/red] {escape(failure)}", highlight=False)
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        console.print(f"Open the report: [bold]{index}[/bold]", highlight=False)
    return 1 if failed else 0
