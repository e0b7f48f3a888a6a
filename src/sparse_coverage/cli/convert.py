"""`sparse-coverage convert`: patents of any format in, JSON Lines out."""

from __future__ import annotations

import json
import sys

import click

from sparse_coverage.cli.options.inputs import (
    ProblemLog,
    language_option,
    limits_for,
    paths_argument,
    processes_option,
    strict_option,
)
from sparse_coverage.progress import tracked


@click.command(no_args_is_help=True)
@paths_argument
@language_option
@strict_option
@processes_option
@click.pass_context
def command(context: click.Context, paths: tuple[str, ...], language: str, strict: bool, processes: int) -> None:
    """Convert patents to JSON Lines on standard output, one patent a line.

    PATHS are files, folders, patterns, archives (.zip, .tar, .tar.gz, .gz) or - for standard input. The format is
    recognised from content. The exit status is 0 when everything was read and 1 when something was not; what, and why,
    is said on standard error.

    \b
    Example:
      sparse-coverage convert ipg240102.zip > patents.jsonl
      sparse-coverage convert EP/ --language any | head -1
    """
    from sparse_coverage.patents import read_patents
    from sparse_coverage.patents.export import to_record

    log = ProblemLog()
    out = sys.stdout.buffer  # UTF-8 whatever the locale
    limits = limits_for(strict)
    patents = read_patents(
        paths, language=language, on_problem=log, on_note=log.note, processes=processes, limits=limits
    )
    for patent in tracked(patents, "Converting"):
        out.write(json.dumps(to_record(patent), ensure_ascii=False).encode() + b"\n")
    out.flush()
    context.exit(log.status)
