"""What `search` and `explain` have in common: which documents may be found, and how they are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from sparse_coverage.search import Filter, Index

F = TypeVar("F", bound=Callable[..., Any])


def filter_options(function: F) -> F:
    """Give a command `--before`, `--not-family-of` and `--filter`."""
    options = [
        click.option(
            "--before", metavar="DATE", help="Only what was published before DATE (2001-05-17, 2001-05, 2001)."
        ),
        click.option(
            "--not-family-of", metavar="ID", multiple=True, help="Leave out the document ID and its family. Repeatable."
        ),
        click.option(
            "--filter", "expression", metavar="EXPRESSION", help="Which documents may be found; see `search`."
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def scoring_options(function: F) -> F:
    """Give a command the settings of the score; what is not given is as the model says."""
    options = [
        click.option("--alpha", type=float, help="Exponent of idf [that of the model]."),
        click.option("--gamma", type=float, help="Exponent of the length normalisation [that of the model]."),
        click.option("--rho", type=float, help="Share of the most frequent centers to leave out [that of the model]."),
        click.option(
            "--feedback",
            type=click.IntRange(0),
            help="How many documents found first lend the query their centers; 0: search once [that of the model].",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def open_index(folder: Path, threads: int | None, **scoring: float | None) -> Index:
    """Open an index that ranks as its model says, but for what was asked for."""
    from sparse_coverage import Index

    index = Index.open(folder, threads=threads)
    given: dict[str, Any] = {name: value for name, value in scoring.items() if value is not None}
    if given:
        index = Index(index.store, index.model, replace(index.model.scoring, **given), threads)
    index.warm_up()  # here, because loading compiled code is no cost of a query
    return index


def condition_of(folder: Path, before: str | None, families: tuple[str, ...], expression: str | None) -> Filter | None:
    """Join the ways to say what may be found in the index in a folder."""
    from sparse_coverage.index.filters import all_of, family, published
    from sparse_coverage.search import parse_filter

    _tell_unknown(folder, families)
    parts: list[Filter] = [published(before=before)] if before else []
    parts += [~family(id_) for id_ in families]
    parts += [parse_filter(expression)] if expression is not None else []
    return all_of(parts) if parts else None


def _tell_unknown(folder: Path, families: tuple[str, ...]) -> None:
    """Say so when a family that is to be left out has nothing in the index: the id may be misspelt."""
    from sparse_coverage.index import allowed_passages, open_store
    from sparse_coverage.index.filters import family

    if not families:
        return
    store = open_store(folder)
    try:
        for id_ in families:
            if not (allowed_passages(store, family(id_)) & store.live_passages).any():
                click.echo(
                    f"Note: the index holds neither {id_} nor a member of its family, so --not-family-of {id_} leaves nothing "
                    "out. Ids look like EP-1234567-A1.",
                    err=True,
                )
    finally:
        store.close()
