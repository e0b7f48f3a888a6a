"""What a search is made with: a query as one types it, a document of the index, or many queries at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import gathered, path_option
from sparse_coverage.cli.options.inputs import claims_option, read_query
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.index import IndexStore
    from sparse_coverage.patents.queries import QueryText


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that say what to search with, beside the query itself."""

    like: str | None
    claims: str | None
    keep_family: bool
    queries: Path | None
    run: Path | None

    def require_one(self, query: str | None) -> None:
        """Refuse no query, and more than one."""
        given = [
            name for name, value in (("QUERY", query), ("--like", self.like), ("--queries", self.queries)) if value
        ]
        if len(given) != 1:
            told = f"not {' and '.join(given)} together" if given else "and there is none of them"
            raise click.UsageError(f"Search with QUERY, --like or --queries, {told}.")
        if self.run and not self.queries:
            raise click.UsageError("--run writes the rankings of --queries. For one query use --json, --csv or --xlsx.")

    def query(self, query: str | None, store: IndexStore) -> QueryText:
        """Return the one query: what was typed, or claims of a document of the index."""
        from sparse_coverage.patents.numbers import parse_number
        from sparse_coverage.patents.queries import patent_query
        from sparse_coverage.search.stored import require_document, stored_patent

        if self.like is None:
            assert query is not None
            if parse_number(query):
                click.echo(f"Note: searching for the words '{query}'. For the document: --like '{query}'.", err=True)
            return read_query(query, claims=self.claims)
        found = patent_query(stored_patent(store, require_document(store, self.like)), self.claims)
        click.echo(f"The query is {found.source}.", err=True)
        return found

    def itself(self, store: IndexStore) -> str:
        """Return the id of the document of `--like`, which is to be left out with its family, and say so; else nothing."""
        from sparse_coverage.search.stored import require_document

        if self.like is None or self.keep_family:
            return ""
        id_ = store.document(require_document(store, self.like)).id
        click.echo(f"Left out: {id_} itself and its family (--keep-family keeps them).", err=True)
        return id_

    def many(self) -> tuple[Mapping[str, str], int]:
        """Return the queries of a file or folder by their ids, and how many could not be read; these are told."""
        from sparse_coverage.formats.queries_in import read_queries

        assert self.queries is not None
        problems: list[str] = []
        if not self.queries.exists():
            raise InputError(f"{self.queries}: there is no such file or folder.")
        found = {query.id: query.text for query in read_queries(self.queries, self.claims, problems.append)}
        for problem in problems:
            click.echo(f"left out {problem}", err=True)
        return found, len(problems)


asked_options = gathered(
    "asked",
    Asked,
    click.option(
        "--like", metavar="ID", help="Search with a document of the index: its claims, without its own family."
    ),
    claims_option,
    click.option("--keep-family", is_flag=True, help="With --like: do not leave out the document and its family."),
    path_option(
        "--queries",
        metavar="FILE|FOLDER",
        help="Search with many: lines of JSON (id, text) or of id, tab, text; TREC topics; patents; a folder, a query a file.",
    ),
    path_option("--run", dir_okay=False, help="Write the rankings of --queries as a TREC run."),
    check=lambda asked, given: asked.require_one(given["query"]),
)
