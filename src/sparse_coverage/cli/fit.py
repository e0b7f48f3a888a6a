"""`sparse-coverage fit`: patents in, a vocabulary out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console

from sparse_coverage.cli.options import ProblemLog, json_option, threads_option


@click.command(no_args_is_help=True)
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The new folder for the model.")
@click.option("--encoder", default="minilm", show_default=True, help="A known name, a local folder or a hub id.")
@click.option("--precision", default="auto", show_default=True, help="auto, fp32, bf16 or int8.")
@click.option("--unit", default="token", show_default=True, help="What counts as a span.")
@click.option(
    "-V", "--size", type=click.IntRange(1), help="How many centers [10,000, or a tenth of the spans if fewer]."
)
@click.option(
    "--tau", default=99.0, show_default=True, help="Percentile of the distances in a cell that sets its radius."
)
@click.option("--max-spans", default=5_000_000, show_default=True, help="How many spans to sample the centers from.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same input: same vocabulary.")
@click.option("--language", default="en", show_default=True, help="Which parts of the patents to read.")
@threads_option
@json_option
def command(
    paths: tuple[str, ...],
    output: Path,
    encoder: str,
    precision: str,
    unit: str,
    size: int | None,
    tau: float,
    max_spans: int,
    seed: int,
    language: str,
    threads: int | None,
    as_json: bool,
) -> int:
    """Learn a vocabulary of semantic centers from the patents in PATHS.

    Files, folders, patterns and archives are read; formats are recognised from content.

    \b
    Example:
      sparse-coverage fit patents/ -o my-model -V 10000
      sparse-coverage index patents/ --model my-model -o my-index
    """
    from sparse_coverage import SparseCoverage, load_encoder, read_patents

    log = ProblemLog()
    model = SparseCoverage.fit(
        read_patents(list(paths), language=language, on_problem=log),
        encoder=load_encoder(encoder, precision=precision, threads=threads),
        unit=unit,
        size=size,
        tau=tau,
        max_spans=max_spans,
        seed=seed,
    )
    model.save(output)
    config = model.vocabulary.config
    if as_json:
        click.echo(json.dumps({"model": str(output), "problems": len(log.problems), **asdict(config)}))
    else:
        Console().print(
            f"[bold]{config.size:,}[/bold] centers from {config.spans:,} spans ({config.unit}, {config.encoder}, "
            f"{config.precision}), median radius {float(sorted(model.vocabulary.radii)[config.size // 2]):.3f}\n"
            f"Saved in [bold]{output}[/bold]. Next: sparse-coverage index PATHS --model {output} -o INDEX",
            highlight=False,
        )
    return log.status
