"""`sparse-coverage index`: patents in, a searchable folder out."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from sparse_coverage.cli.options import ProblemLog, json_option, threads_option
from sparse_coverage.errors import InputError


@click.command(no_args_is_help=True)
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The new folder for the index.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="A model made with `fit` [without it, one is learned from PATHS first].",
)
@click.option(
    "--by",
    type=click.Choice(["passage", "section", "document"]),
    default="passage",
    show_default=True,
    help="What one indexed unit is.",
)
@click.option("--language", default="en", show_default=True, help="Which parts of the patents to read.")
@threads_option
@json_option
def command(
    paths: tuple[str, ...],
    output: Path,
    model: Path | None,
    by: str,
    language: str,
    threads: int | None,
    as_json: bool,
) -> int:
    """Index the patents in PATHS (files, folders, patterns, archives) for searching.

    \b
    Example:
      sparse-coverage index patents/ -o my-index
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
    """
    from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents

    log = ProblemLog()
    if model is None:
        if "-" in paths:
            raise InputError("Standard input can be read only once: fit a model first and give it with --model.")
        reading = read_patents(list(paths), language=language, on_problem=lambda problem: None)
        learned = SparseCoverage.fit(reading, encoder=load_encoder(threads=threads))
    else:
        learned = SparseCoverage.load(model, threads=threads)
    index = Index.build(output, learned, read_patents(list(paths), language=language, on_problem=log), by=by)  # type: ignore[arg-type]
    manifest = index.store.manifest
    if as_json:
        facts = {key: value for key, value in manifest.items() if key != "sha256"}
        click.echo(json.dumps({"index": str(output), "problems": len(log.problems), **facts}))
    else:
        share = manifest["uncovered_spans"] / manifest["spans"]
        Console().print(
            f"[bold]{manifest['documents']:,}[/bold] documents, {manifest['units']:,} {by}s, "
            f"{manifest['postings']:,} postings; {share:.1%} of the spans lie outside every center\n"
            f'Saved in [bold]{output}[/bold]. Next: sparse-coverage search {output} "your claim"',
            highlight=False,
        )
    return log.status
