"""What a user gives to read: patents and texts, how they are read, and what is told of those that cannot be."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from sparse_coverage.cli.options import F, NamesIn, attribute, together
from sparse_coverage.errors import InputError
from sparse_coverage.printing import console

if TYPE_CHECKING:
    from sparse_coverage.patents import Patent, Problem
    from sparse_coverage.patents.passages import By
    from sparse_coverage.patents.patent import Note
    from sparse_coverage.patents.queries import QueryText


def _existing(context: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:
    from sparse_coverage.patents.reading.sources import missing

    if absent := missing(paths):
        raise click.BadParameter(f"no such file or folder, and no file matches it as a pattern: {', '.join(absent)}")
    return paths


paths_argument = click.argument("paths", nargs=-1, required=True, callback=_existing)
query_argument = click.argument("query")
claims_option = click.option(
    "--claims", metavar="LIST", help="Take these claims alone, as 1,3-5, and those they depend on [all of them]."
)


def _reading_option(*names: str, parse: str = "", **settings: Any) -> Callable[[F], F]:
    """Return an option that `reading_settings` returns, so that commands need not pass it on one by one.

    `parse` names what reads its value, as "package.module:function" below `sparse_coverage`.
    """

    def kept(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value is not None and value != ():
            try:
                context.meta[f"reading.{parameter.name}"] = attribute(parse)(value) if parse else value
            except InputError as error:
                raise click.BadParameter(str(error)) from None

    return click.option(*names, expose_value=False, callback=kept, **settings)


reading_options = together(
    _reading_option(
        "--language",
        "--lang",
        default="en",
        metavar="CODE",
        parse="text.languages:wanted_language",
        help="Of parts that a document has in several languages, the one to read: en, de, fr, …, or any for its own. What it has in "
        "one language alone is read too; only-en leaves it out.",
    ),
    _reading_option(
        "--format",
        "reader",
        type=NamesIn("patents.readers:names", what="format"),
        help="Read all files as this format [recognised from content].",
    ),
    _reading_option(
        "--columns",
        metavar="LIST",
        parse="patents.readers.fields:chosen_columns",
        help="Columns of tables that are not known by their names: title=Titel,abstract=Kurztext, or by place: id=1,title=2.",
    ),
    _reading_option(
        "--ocr",
        metavar="PAGES",
        help="Recognise the text on these pages of scanned PDF files: all, or a list as 1,3-5 (extra [ocr]).",
    ),
    _reading_option(
        "--metadata",
        metavar="FILE",
        help="A table whose rows fill in what documents of their number lack: dates, classes, applicants, titles.",
    ),
)
"""How patents are read; `reading_settings` returns what was chosen."""


def reading_settings() -> dict[str, Any]:
    """Return what `read_patents` is told of how to read: all of `reading_options`."""
    meta = click.get_current_context().meta
    return {name.removeprefix("reading."): value for name, value in meta.items() if name.startswith("reading.")}


def read_query(query: str, what: str = "query", claims: str | None = None) -> QueryText:
    """Return what a user gave to search with: a text, a file, named with or without an @, or - for standard input.

    `claims` chooses claims of it. `what` names it in errors. What a file was read as is said on standard error.
    """
    from sparse_coverage.patents.numbers import parse_number
    from sparse_coverage.patents.queries import file_query, looks_like_file, text_query

    if what == "claim" and parse_number(query):
        raise InputError(
            f"{query} is the number of a publication, not a claim. Give the text of the claim, or the name of a file of the patent."
        )
    if query == "-":
        found = text_query(_standard_input(what), claims)
    elif query.startswith("@") or (there := is_file(query)) or looks_like_file(query):
        name = query.removeprefix("@")
        if not query.startswith("@") and not there:
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


def is_file(query: str) -> bool:
    """Tell whether a text is the name of a file that is there."""
    try:
        return len(query) < 4096 and Path(query).is_file()
    except (OSError, ValueError):  # no path at all, such as a text with a zero byte
        return False


def _standard_input(what: str) -> str:
    # Decoded here, because Python would follow the locale and replace what it cannot read.
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:
        return sys.stdin.read()
    content = binary.read()
    try:
        return str(content, "utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is {content[error.start]:#04x}"
        raise InputError(f"The {what} on standard input is not UTF-8: {place}. Save it as UTF-8.") from None


def read_ids(paths: Iterable[str], **reading: Any) -> list[str] | None:
    """Return the ids of all patents, to know how many there are and which are known; None where they could be read only once."""
    from sparse_coverage.patents import read_patents
    from sparse_coverage.progress import tracked

    if "-" in paths:
        return None
    patents = read_patents(list(paths), on_problem=lambda problem: None, **reading)
    return [patent.id for patent in tracked(patents, "Counting documents")]


def is_always_told(note: Note) -> bool:
    """Tell whether every command shows a note: what was mended, which columns are not used, and what is said of a file as a whole.

    Skipped files and notes on single documents may be many, and are counted.
    """
    return note.kind != "skipped" and (not note.document or note.kind in ("mended", "unused"))


class ProblemLog:
    """Shows what could not be read, as it happens, and counts it for the exit status."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.without_text = 0
        self.duplicates = self.skipped = self.noted = 0
        self.languages: Counter[str] = Counter()
        self._repeated: list[str] = []
        self._console = console(stderr=True)

    def __call__(self, problem: Problem) -> None:
        """Take note of one problem."""
        self.problems.append(problem)
        self._console.print(f"[yellow]left out[/yellow] {escape(str(problem))}", highlight=False, soft_wrap=True)

    def note(self, note: Note) -> None:
        """Show what is always told; count skipped files and other notes."""
        if not is_always_told(note):
            self.skipped += note.kind == "skipped"
            self.noted += note.kind != "skipped"
        else:
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
        """Pass patents on, and count those without any text."""
        from sparse_coverage.patents import passages

        for patent in patents:
            self.without_text += next(passages(patent, by=by), None) is None
            others = (one.xpath.split("/")[2].partition("-")[2] for one in patent.translations)
            self.languages.update({patent.language, *others})
            yield patent

    def repeated(self, document: Patent | str) -> None:
        """Count a document that came before."""
        self.duplicates += 1
        if len(self._repeated) < 5:
            self._repeated.append(document if isinstance(document, str) else document.id)

    def told_of_repeats(self) -> str:
        """Say how many documents came twice, and that the first was kept; or nothing."""
        if not self.duplicates:
            return ""
        named = ", ".join(self._repeated) + (", …" if self.duplicates > len(self._repeated) else "")
        return f"Came again: {self.duplicates:,} ({named}); the first of each was kept. "

    def counts(self, *, watched: bool = True) -> dict[str, int | None]:
        """Return what was counted, for programs; None where nobody looked."""
        return {
            "problems": len(self.problems),
            "without_text": self.without_text if watched else None,
            "duplicates": self.duplicates,
        }

    def about_texts(self, encoder: str, vectors: str | None = None) -> str:
        """What to tell of patents without text, what was left out, and languages that the encoder does not know: sentences, or nothing."""
        from sparse_coverage.encoding.catalogue import languages_of

        told = f"Without any text, and so passed over: {self.without_text:,}. " if self.without_text else ""
        if self.skipped or self.noted:
            what = [f"files that hold no patents, skipped: {self.skipped:,}"] * bool(self.skipped)
            what += [f"notes on documents (parts in other languages, odd dates): {self.noted:,}"] * bool(self.noted)
            told += f"{'; '.join(what).capitalize()}. `sparse-coverage inspect --notes` names them. "
        known, wholes = languages_of(encoder), languages_of(vectors or "")
        others = {code: count for code, count in sorted(self.languages.items()) if code and known and code not in known}
        if others:
            named = ", ".join(f"{code}: {count:,}" for code, count in others.items())
            by = "words, not by meaning"
            if all(code in wholes for code in others):
                by = f"words and by the vectors of whole passages ({vectors}), not by concepts"
            told += (
                f"In languages that the encoder does not know ({named}): these are ranked by their {by}; "
                "`sparse-coverage models` says which encoder knows which. "
            )
        return told

    @property
    def status(self) -> int:
        """The exit status: 0 when everything was read, 1 when something was left out."""
        return 1 if self.problems else 0
