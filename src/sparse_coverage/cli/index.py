"""`sparse-coverage index`: patents in, a searchable folder out; and what keeps that folder up to date."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.cli.cluster import index_with_ray
from sparse_coverage.cli.index_updates import add, delete, merge, refresh, verify
from sparse_coverage.cli.options import (
    NamesIn,
    ProblemLog,
    count_option,
    json_option,
    language_option,
    output_option,
    paths_argument,
    threads_option,
    weight_bits_option,
)
from sparse_coverage.cli.options.method import runtime_option
from sparse_coverage.cli.options.sides import make_sides, side_options
from sparse_coverage.cli.options.workplace import workplace_options
from sparse_coverage.errors import InputError


class _BuildsByDefault(click.Group):
    """`index PATHS -o DIR` builds; `index add`, `index verify` and the others are its subcommands."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in context.help_option_names:
            args = ["build", *args]
        return super().parse_args(context, args)


@click.group(cls=_BuildsByDefault, no_args_is_help=True, subcommand_metavar="PATHS -o FOLDER | COMMAND ...")
def command() -> None:
    """Index patents for searching, and keep the index up to date.

    \b
    Example:
      sparse-coverage index patents/ -o my-index
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
      sparse-coverage index add my-index new-patents/
      sparse-coverage index delete my-index EP-1234567-A1

    All options of a build: sparse-coverage index build --help
    """


@command.command("build", no_args_is_help=True)
@paths_argument
@output_option("index")
@click.option(
    "--model",
    help="A model made with `fit`, or one on the model hub (owner/name) [without it, one is learned from PATHS first].",
)
@click.option(
    "--by",
    type=NamesIn("patents.passages:By"),
    default="passage",
    show_default=True,
    help="What one indexed passage is.",
)
@language_option
@weight_bits_option
@count_option("--memory", default=512, help="MiB of postings to hold before they are written.")
@side_options
@workplace_options
@runtime_option
@threads_option
@json_option
def build(
    paths: tuple[str, ...],
    output: Path,
    model: str | None,
    by: str,
    language: str,
    weight_bits: str,
    memory: int,
    kinds: tuple[str, ...],
    hybrid: bool,
    dense_encoder: str | None,
    on: str,
    address: str | None,
    runtime: str,
    threads: int | None,
    as_json: bool,
) -> int:
    """Index the patents in PATHS (files, folders, patterns, archives). The word `build` may be left out.

    An interrupted build goes on where it stopped when the same command is given again.

    \b
    Example:
      sparse-coverage index patents/ -o my-index
      sparse-coverage index patents/ -o my-index --hybrid
    """
    from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents
    from sparse_coverage.search import is_unfinished
    from sparse_coverage.search.building import MODEL_FOLDER

    log = ProblemLog()
    if on == "ray":
        settings = {"by": by, "weight_bits": int(weight_bits), "memory": memory << 20}
        index = index_with_ray(
            address, threads, paths, output, model, log, language=language, runtime=runtime, **settings
        )
    else:
        if model is None and is_unfinished(output) and (output / MODEL_FOLDER).is_dir():
            learned = SparseCoverage.load(output / MODEL_FOLDER, runtime=runtime, threads=threads)
        elif model is None:
            if "-" in paths:
                raise InputError("Standard input can be read only once: fit a model first and give it with --model.")
            with log.held_back() as hold:
                reading = read_patents(list(paths), language=language, on_problem=hold)
                learned = SparseCoverage.fit(reading, encoder=load_encoder(runtime=runtime, threads=threads))
        else:
            learned = SparseCoverage.load(model, runtime=runtime, threads=threads)
        index = Index.build(
            output,
            learned,
            log.watched(read_patents(list(paths), language=language, on_problem=log), by),  # type: ignore[arg-type]
            by=by,  # type: ignore[arg-type]
            weight_bits=int(weight_bits),  # type: ignore[arg-type]
            memory=memory << 20,
        )
    facts = index.store.manifest
    sides = make_sides(output, kinds, hybrid, dense_encoder, index.model.encoder, threads)
    if as_json:
        counts = {"problems": len(log.problems), "without_text": log.without_text if on == "local" else None}
        click.echo(json.dumps({"index": str(output), **counts, **facts, "sides": sides}))
    else:
        share = facts["uncovered_spans"] / max(facts["spans"], 1)
        Console().print(
            f"[bold]{facts['documents']:,}[/bold] documents, {facts['passages']:,} {by}s, "
            f"{facts['postings']:,} postings; {share:.1%} of the spans lie outside every center\n"
            f"{log.about_texts}Saved in [bold]{escape(str(output))}[/bold]. "
            f'Next: sparse-coverage search {escape(str(output))} "your claim"{" --hybrid" if hybrid else ""}',
            highlight=False,
        )
    return log.status


for _subcommand in (add, delete, merge, refresh, verify):
    command.add_command(_subcommand)
