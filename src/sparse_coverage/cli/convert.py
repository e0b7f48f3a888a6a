"""`sparse-coverage convert`: patents of any format in, JSON Lines out."""

from __future__ import annotations

import json
import sys

import click

from sparse_coverage.cli.options import ProblemLog
from sparse_coverage.errors import InputError
from sparse_coverage.patents.languages import wanted_language
from sparse_coverage.patents.reading.sources import missing
from sparse_coverage.progress import tracked


def _existing(context: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    if absent := missing(paths):
        raise click.BadParameter(f"no such file or folder, and no file matches it as a pattern: {', '.join(absent)}")
    return paths


def _language(context: click.Context, parameter: click.Parameter, language: str) -> str:
    try:
        return wanted_language(language)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


paths_argument = click.argument("paths", nargs=-1, required=True, callback=_existing)
language_option = click.option(
    "--lang",
    "language",
    default="en",
    show_default=True,
    metavar="CODE",
    callback=_language,
    help="Language of the parts to read: en, de, fr, …, or any for each document's own.",
)
processes_option = click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="How many processes read. More than one helps large inputs only where cores are idle.",
)


@click.command(no_args_is_help=True)
@paths_argument
@language_option
@processes_option
@click.pass_context
def command(context: click.Context, paths: tuple[str, ...], language: str, processes: int) -> None:
    """Convert patents to JSON Lines on standard output, one patent a line.

    PATHS are files, folders, patterns, archives (.zip, .tar, .tar.gz, .gz) or - for standard input. The format is
    recognised from content. The exit status is 0 when everything was read and 1 when something was not; what, and why,
    is said on standard error.

    \b
    Example:
      sparse-coverage convert ipg240102.zip > patents.jsonl
      sparse-coverage convert EP/ --lang any | head -1
    """
    from sparse_coverage.patents import read_patents
    from sparse_coverage.patents.export import to_record

    log = ProblemLog()
    out = sys.stdout.buffer  # UTF-8 whatever the locale
    patents = read_patents(paths, language=language, on_problem=log, processes=processes)
    for patent in tracked(patents, "Converting"):
        out.write(json.dumps(to_record(patent), ensure_ascii=False).encode() + b"\n")
    out.flush()
    context.exit(log.status)
