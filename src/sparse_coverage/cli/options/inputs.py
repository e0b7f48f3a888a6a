"""What a user gives to read: patents and texts, how they are read, and what is told of those that cannot be."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.cli.options import NamesIn, count_option
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.patents import Patent, Problem
    from sparse_coverage.patents.passages import By


def _existing(context: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    from sparse_coverage.patents.reading.sources import missing

    if absent := missing(paths):
        raise click.BadParameter(f"no such file or folder, and no file matches it as a pattern: {', '.join(absent)}")
    return paths


def _language(context: click.Context, parameter: click.Parameter, language: str) -> str:
    from sparse_coverage.patents.languages import wanted_language

    try:
        return wanted_language(language)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


paths_argument = click.argument("paths", nargs=-1, required=True, callback=_existing)
query_argument = click.argument("query")
language_option = click.option(
    "--language",
    "--lang",
    default="en",
    metavar="CODE",
    callback=_language,
    help="Language of the parts to read: en, de, fr, …, or any for each document's own.",
)
duplicate_option = click.option(
    "--on-duplicate",
    type=NamesIn("patents.repeats:OnDuplicate", what="rule"),
    default="keep",
    show_default=True,
    help="A document that comes twice: keep the first, replace it with the last, or end with an error.",
)
processes_option = count_option(
    "--processes",
    default=1,
    help="How many processes read. More than one helps large inputs only where cores are idle.",
)


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
        self.title_only = 0
        self.duplicates = 0
        self._repeated: list[str] = []
        self._reduced: list[str] = []
        self._languages: set[str] = set()
        self._note: Problem | None = None
        self._console = Console(stderr=True, emoji=False)

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

    def note(self, note: Problem) -> None:
        """Take what was left out of the patent that is read next."""
        self._note = note

    def watched(self, patents: Iterable[Patent], by: By) -> Iterator[Patent]:
        """Pass patents on, and count those without any text (in the language that is read), and those with a title alone."""
        from sparse_coverage.patents import passages

        for patent in patents:
            self.without_text += next(passages(patent, by=by), None) is None
            if not (patent.abstract or patent.claims or patent.description):
                self._count_reduced(patent)
            yield patent

    def repeated(self, document: Patent | str) -> None:
        """Count a document that came before."""
        self.duplicates += 1
        if len(self._repeated) < 5:
            self._repeated.append(document if isinstance(document, str) else document.id)

    def told_of_repeats(self, rule: str) -> str:
        """Say how many documents came twice, and what became of them; or nothing."""
        if not self.duplicates:
            return ""
        named = ", ".join(self._repeated) + (", …" if self.duplicates > len(self._repeated) else "")
        which = (
            "the last of each was kept"
            if rule == "replace"
            else "the first of each was kept (--on-duplicate replace: the last)"
        )
        return f"Came again: {self.duplicates:,} ({named}); {which}. "

    def counts(self, *, watched: bool = True) -> dict[str, int | None]:
        """Return what was counted, for programs; None where nobody looked."""
        return {
            "problems": len(self.problems),
            "without_text": self.without_text if watched else None,
            "title_only": self.title_only if watched else None,
            "duplicates": self.duplicates,
        }

    def _count_reduced(self, patent: Patent) -> None:
        note = self._note
        others = re.findall(r"\(([^)]*)\)", note.cause) if note is not None and note.document == patent.id else []
        if patent.title and others:
            self.title_only += 1
            self._languages.update(code for codes in others for code in codes.split(", "))
            self._reduced += [patent.id] if len(self._reduced) < 5 else []

    @property
    def about_texts(self) -> str:
        """What to tell about the patents without text, and about those whose text is in another language: sentences, or nothing."""
        told = ""
        if self.without_text:
            told += f"Without text in this language, and so passed over: {self.without_text:,}. "
        if self.title_only:
            named = ", ".join(self._reduced) + (", …" if self.title_only > len(self._reduced) else "")
            told += (
                f"Reduced to the title, because the text is in another language ({', '.join(sorted(self._languages))}): "
                f"{self.title_only:,} ({named}). --language any reads each in its own. "
            )
        return told

    @property
    def status(self) -> int:
        """The exit status: 0 when everything was read, 1 when something was left out."""
        return 1 if self.problems else 0
