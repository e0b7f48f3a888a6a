"""What a user gives to read: patents and texts, how they are read, and what is told of those that cannot be."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from sparse_coverage.cli.options import NamesIn, count_option
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.patents import Limits, Patent, Problem
    from sparse_coverage.patents.passages import By
    from sparse_coverage.patents.queries import QueryText


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
claims_option = click.option(
    "--claims", metavar="LIST", help="Search with these claims, as 1,3-5, and those they depend on [all of them]."
)
language_option = click.option(
    "--language",
    "--lang",
    default="en",
    metavar="CODE",
    callback=_language,
    help="Language of the parts to read: en, de, fr, …, or any for each document's own.",
)
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Leave out XML with small damage, such as a bare &, instead of mending and reading it.",
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


def limits_for(strict: bool) -> Limits:
    """Return how much is read of a document, and whether small damage is mended."""
    from sparse_coverage.patents import Limits

    return Limits(mend=not strict)


def read_query(query: str, what: str = "query", claims: str | None = None) -> QueryText:
    """Return what a user gave to search with: a text, a file, named with or without an @, or - for standard input.

    `claims` chooses claims of it. `what` names it in errors. What a file was read as is said on standard error.
    """
    from sparse_coverage.patents.queries import file_query, looks_like_file, text_query

    if query == "-":
        found = text_query(_standard_input(what), claims)
    elif query.startswith("@") or (is_file := _is_file(query)) or looks_like_file(query):
        name = query.removeprefix("@")
        if not query.startswith("@") and not is_file:
            raise InputError(
                f"There is no file {name}. Give the text of the {what} itself, or the name of a file that is there."
            )
        try:
            found = file_query(Path(name), claims)
        except OSError as error:
            raise InputError(f"The {what} file {name} cannot be read ({error.strerror or error}).") from None
    else:
        found = text_query(query, claims)
    if not found.text.strip():
        raise InputError(f"The {what} is empty. Give the text itself, @FILE, or - for standard input.")
    if found.source and found.source != query.removeprefix("@"):
        click.echo(f"The {what} is {found.source}.", err=True)
    elif found.source and not query.startswith("@"):
        click.echo(f"The {what} is read from the file {found.source}.", err=True)
    return found


def _is_file(query: str) -> bool:
    try:
        return len(query) < 4096 and Path(query).is_file()
    except (OSError, ValueError):  # no path at all, such as a text with a zero byte
        return False


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


def count_documents(paths: Iterable[str], **reading: Any) -> int | None:
    """Return how many patents there are, for estimates of the time left; None where that could be read only once."""
    from sparse_coverage.patents import read_patents
    from sparse_coverage.progress import tracked

    if "-" in paths:
        return None
    patents = read_patents(list(paths), on_problem=lambda problem: None, **reading)
    return sum(1 for _ in tracked(patents, "Counting documents"))


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

    def note(self, note: Problem) -> None:
        """Show what was mended, and keep what was left out of the patent that is read next: `inspect --notes` lists that."""
        from sparse_coverage.patents.reading.context import MENDED

        self._note = note
        if note.cause.startswith(MENDED):
            self._console.print(f"[yellow]note[/yellow] {escape(str(note))}", highlight=False, soft_wrap=True)

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
