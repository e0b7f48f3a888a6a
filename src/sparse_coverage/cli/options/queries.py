"""What goes into a search and what comes out: a query, a document of the index or many queries; and files, an option for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sparse_coverage.cli.options import gathered, path_option, together
from sparse_coverage.cli.options.inputs import claims_option, read_query
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import Export


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options that say what to search with, beside the query itself."""

    like: str | None
    claims: str | None
    keep_family: bool
    queries: Path | None
    run: Path | None

    def require_one(self, query: str | None, expression: str | None) -> None:
        """Refuse no query, and more than one. An expression may stand alone."""
        given = [
            name for name, value in (("QUERY", query), ("--like", self.like), ("--queries", self.queries)) if value
        ]
        if len(given) > 1 or not (given or expression):
            told = f"not {' and '.join(given)} together" if given else "and there is none of them"
            raise click.UsageError(f"Search with QUERY, --like, --queries or --filter alone, {told}.")
        if self.run and not self.queries:
            raise click.UsageError("--run writes the rankings of --queries. For one query use --json, --csv or --xlsx.")

    def one(self, query: str | None) -> dict[str, Any]:
        """Return what a search is asked with, as fields of its request: what was typed, or a document of the index."""
        from sparse_coverage.patents.numbers import parse_number

        if query is None and self.like is None:
            return {}
        if query is None:
            return {"like": self.like, "claims": self.claims, "keep_family": self.keep_family}
        if parse_number(query):
            click.echo(f"Note: searching for the words '{query}'. For the document: --like '{query}'.", err=True)
        read = read_query(query, claims=self.claims)
        return {"query": read.text, "source": read.source}

    def many(self) -> tuple[dict[str, Any], int]:
        """Return the queries of a file or folder as fields of a request, and how many could not be read; these are told."""
        from sparse_coverage.evaluation.trec import read_queries
        from sparse_coverage.patents.queries import listed_in

        assert self.queries is not None
        problems: list[str] = []
        if not self.queries.exists():
            raise InputError(f"{self.queries}: there is no such file or folder.")
        if numbers := listed_in(self.queries):
            return {"like": numbers}, 0
        found = {query.id: query.text for query in read_queries(self.queries, self.claims, problems.append)}
        for problem in problems:
            click.echo(f"left out {problem}", err=True)
        return {"queries": found}, len(problems)


asked_options = gathered(
    "asked",
    QueryOptions,
    click.option(
        "--like", metavar="ID", help="Search with a document of the index: its claims, without its own family."
    ),
    claims_option,
    click.option("--keep-family", is_flag=True, help="With --like: do not leave out the document and its family."),
    path_option(
        "--queries",
        metavar="FILE|FOLDER",
        help="Search with many: lines of JSON (id, text) or of id, tab, text; TREC topics; patents; a list of "
        "publication numbers of the index; a folder, a query a file.",
    ),
    path_option("--run", dir_okay=False, help="Write the rankings of --queries as a TREC run."),
    check=lambda asked, given: asked.require_one(given["query"], given.get("filter")),
)


@dataclass(frozen=True, slots=True)
class Exports:
    """Where to write which kind of file."""

    paths: Mapping[str, Path]
    kinds: Mapping[str, Export]

    def __bool__(self) -> bool:
        return bool(self.paths)

    @property
    def with_passages(self) -> bool:
        """Whether anything is to be written that shows passages and why they were found."""
        return any(self.kinds[name].passages for name in self.paths)

    def write(self, *results: Any) -> Iterable[Path]:
        """Write the files, and return where they are."""
        from sparse_coverage.files import write_bytes

        for name, path in self.paths.items():
            write_bytes(path, self.kinds[name].make(*results))
        return self.paths.values()


def export_options(kinds: Mapping[str, Export]) -> Callable[[Any], Any]:
    """Return the options that name files of these kinds; they reach the command as its argument `exports`."""

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def with_exports(**given: Any) -> Any:
            paths = {name: path for name in kinds if (path := given.pop(name)) is not None}
            return function(exports=Exports(paths, kinds), **given)

        return together(*(path_option(f"--{one.name}", help=one.help) for one in kinds.values()))(with_exports)

    return decorate


def tell_written(what: str, written: Iterable[Path], as_json: bool) -> None:
    """Say to people where files are."""
    for path in () if as_json else written:
        click.echo(f"{what}: {path}")
