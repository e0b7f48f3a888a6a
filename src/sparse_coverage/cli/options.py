"""Options and input rules that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.errors import InputError
from sparse_coverage.patents import Patent, Problem, passages
from sparse_coverage.patents.passages import By

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs instead of text for people."
)
runtime_option = click.option(
    "--runtime",
    type=click.Choice(["auto", "openvino", "torch"]),
    default="auto",
    show_default=True,
    help="What runs the encoder: openvino on the CPU, torch (extra) on a GPU or for other architectures.",
)
preset_option = click.option(
    "--preset",
    type=click.Choice(["recall", "paper"]),
    default="recall",
    show_default=True,
    help="How the method is set: recall finds more, paper is exactly as published.",
)
threads_option = click.option("--threads", type=click.IntRange(1), help="How many cores to use (all by default).")


def read_query(query: str, what: str = "query") -> str:
    """Return the text that a user gave: directly, in `@file`, or on standard input with `-`. `what` names it in errors."""
    if query == "-":
        text = _standard_input(what)
    elif query.startswith("@"):
        try:
            text = _decoded(Path(query[1:]).read_bytes(), f"The {what} file {query[1:]}")
        except OSError as error:
            raise InputError(f"The {what} file {query[1:]} cannot be read ({error.strerror or error}).") from None
    else:
        text = query
    if not text.strip():
        raise InputError(f"The {what} is empty. Give the text itself, @FILE, or - for standard input.")
    return text


def _standard_input(what: str) -> str:
    # Decoded here, because Python would follow the locale and replace what it cannot read.
    binary = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if binary is None else _decoded(binary.read(), f"The {what} on standard input")


def _decoded(content: bytes, what: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is {content[error.start]:#04x}"
        raise InputError(f"{what} is not UTF-8: {place}. Save it as UTF-8.") from None


class ProblemLog:
    """Shows what could not be read, as it happens, and counts it for the exit status."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.without_text = 0
        self._console = Console(stderr=True)

    def __call__(self, problem: Problem) -> None:
        """Take note of one problem."""
        self.problems.append(problem)
        self._console.print(f"[yellow]left out[/yellow] {escape(str(problem))}", highlight=False, soft_wrap=True)

    @contextmanager
    def held_back(self) -> Iterator[Callable[[Problem], None]]:
        """Take note of nothing, since the same is read again later; but tell all of it if it does not come to that."""
        problems: list[Problem] = []
        try:
            yield problems.append
        except BaseException:
            for problem in problems:
                self(problem)
            raise

    def watched(self, patents: Iterable[Patent], by: By) -> Iterator[Patent]:
        """Pass patents on, and count those without any text (in the language that is read)."""
        for patent in patents:
            self.without_text += next(passages(patent, by=by), None) is None
            yield patent

    @property
    def about_texts(self) -> str:
        """What to tell about the patents without text: a sentence, or nothing."""
        if not self.without_text:
            return ""
        return f"Without text in this language, and so passed over: {self.without_text:,}. "

    @property
    def status(self) -> int:
        """The exit status: 0 when everything was read, 1 when something was left out."""
        return 1 if self.problems else 0
