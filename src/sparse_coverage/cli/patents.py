"""`sparse-coverage inspect` and `convert`: what is in these files, and their patents as JSON Lines."""

from __future__ import annotations

import sys
from collections import Counter

import click
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparse_coverage.cli.options import json_option, wants_json
from sparse_coverage.cli.options.inputs import (
    ProblemLog,
    is_always_told,
    paths_argument,
    reading_options,
    reading_settings,
)
from sparse_coverage.dataclass_json import plain_json, to_json
from sparse_coverage.patents.passages import Survey
from sparse_coverage.patents.patent import Note
from sparse_coverage.printing import console
from sparse_coverage.progress import tracked

_LONGEST = 12


@click.command(no_args_is_help=True)
@paths_argument
@reading_options
@click.option(
    "--notes",
    "show_notes",
    is_flag=True,
    help="Also list the notes on single documents and skipped files: what was left out on purpose, and why.",
)
@json_option
@click.pass_context
def inspect_command(
    context: click.Context,
    paths: tuple[str, ...],
    show_notes: bool,
) -> None:
    """Show what patent files hold: formats, documents, languages, years, kinds, claims, passages, duplicates, problems.

    PATHS are files, folders, patterns, archives (.zip, .tar, .tar.gz, .gz) or - for standard input. The format is
    recognised from content. The exit status is 0 when everything was read and 1 when something was not.

    \b
    Example:
      sparse-coverage inspect patents/ more/ipg240102.zip
      sparse-coverage inspect patents/ --language any --json | jq .formats
    """
    from sparse_coverage.patents import read_patents

    log = ProblemLog()
    notes = Notes(show_notes)
    survey = Survey()
    settings = reading_settings()
    reading = read_patents(paths, on_problem=log, on_note=notes, **settings)
    for patent in tracked(reading, "Reading"):
        survey.add(patent)
    if wants_json():
        facts = {**survey.record(), "problems": log.problems, "left_out": notes.count, "mended": notes.mended}
        facts["unused"] = notes.unused
        click.echo(to_json(facts, indent=2))
    else:
        console().print(_text(survey, log, notes))
    survey.duplicates.close()
    context.exit(log.status)


class Notes:
    """Counts what was left out on purpose or read in another way than usual, and lists on demand what is not always told."""

    def __init__(self, show: bool) -> None:
        self.all = self.count = self.mended = 0
        self.unused: list[str] = []
        self._show = show

    def __call__(self, note: Note) -> None:
        """Take one note."""
        self.all += 1
        self.unused += note.names
        self.mended += note.kind == "mended"
        self.count += note.kind in ("", "skipped")
        if self._show or is_always_told(note):
            click.echo(f"note {note}", err=True)


def _text(survey: Survey, log: ProblemLog, notes: Notes) -> RenderableType:
    if not survey.documents:
        return f"No patent was read. Problems: {len(log.problems):,}; notes (--notes): {notes.all:,}."
    totals = Table("", "", show_header=False)
    totals.columns[1].justify = "right"
    rows = (
        ("documents", survey.documents),
        ("claims", survey.claims),
        ("of them independent", survey.independent_claims),
        ("passages", survey.passages),
        ("words in passages", survey.words),
        *((f"documents without {part}", n) for part, n in survey.without.items() if n),
        ("documents whose id came before", survey.duplicates.count),
        ("notes, such as parts left out (--notes)", notes.all),
        *([("of them documents with small damage, mended", notes.mended)] if notes.mended else []),
        ("problems", len(log.problems)),
    )
    for name, number in rows:
        totals.add_row(name, f"{number:,}")
    shown: list[RenderableType] = [totals]
    if examples := survey.duplicates.examples:
        more = ", …" if survey.duplicates.count > len(examples) else ""
        shown.append(Text(f"ids that occur more than once: {', '.join(examples)}{more}"))
    groups = (
        ("format", survey.formats),
        ("language", survey.languages),
        ("country", survey.countries),
        ("kind", survey.kinds),
        ("year", survey.years if len(survey.years) <= _LONGEST else _by_decade(survey.years)),
    )
    return Group(*shown, Columns([_table(name, counts) for name, counts in groups]))


def _by_decade(years: Counter[str]) -> Counter[str]:
    decades: Counter[str] = Counter()
    for year, number in years.items():
        decades[f"{year[:3]}0s" if year.isdigit() else year] += number
    return decades


def _table(name: str, counts: Counter[str]) -> Table:
    """List the most frequent values; years in their own order."""
    table = Table(name, "documents")
    table.columns[1].justify = "right"
    ordered = sorted(counts.items()) if name == "year" else counts.most_common()
    for value, number in ordered[:_LONGEST]:
        table.add_row(Text(value), f"{number:,}")
    if rest := sum(number for _, number in ordered[_LONGEST:]):
        table.add_row("others", f"{rest:,}")
    return table


@click.command(no_args_is_help=True)
@paths_argument
@reading_options
@click.pass_context
def convert_command(context: click.Context, paths: tuple[str, ...]) -> None:
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
    from sparse_coverage.patents.readers.records import to_record

    log = ProblemLog()
    out = sys.stdout.buffer  # UTF-8 whatever the locale
    settings = reading_settings()
    patents = read_patents(paths, on_problem=log, on_note=log.note, **settings)
    for patent in tracked(patents, "Converting"):
        out.write(plain_json(to_record(patent)).encode() + b"\n")
    out.flush()
    context.exit(log.status)
