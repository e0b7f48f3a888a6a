"""Options and input rules that several commands share."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Problem

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs instead of text for people."
)
threads_option = click.option("--threads", type=click.IntRange(1), help="How many cores to use (all by default).")


def read_query(query: str) -> str:
    """Return the query text: given directly, read from `@file`, or from standard input with `-`."""
    if query == "-":
        text = sys.stdin.read()
    elif query.startswith("@"):
        try:
            text = Path(query[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The query file {query[1:]} cannot be read ({error}).") from None
    else:
        text = query
    if not text.strip():
        raise InputError("The query is empty. Give the text of a claim, @FILE, or - for standard input.")
    return text


class ProblemLog:
    """Shows what could not be read, as it happens, and counts it for the exit status."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._console = Console(stderr=True)

    def __call__(self, problem: Problem) -> None:
        """Take note of one problem."""
        self.problems.append(problem)
        self._console.print(f"[yellow]left out[/yellow] {escape(str(problem))}", highlight=False)

    @property
    def status(self) -> int:
        """The exit status: 0 when everything was read, 1 when something was left out."""
        return 1 if self.problems else 0
