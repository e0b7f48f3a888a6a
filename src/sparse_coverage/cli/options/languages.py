"""What is told about a query in another language than the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sparse_coverage.index import IndexStore


def tell_language(store: IndexStore, query: str) -> None:
    """Warn where a query is in a language that hardly anything in the index is in."""
    from sparse_coverage.search.languages import language_warning

    if warning := language_warning(store, query):
        click.echo(warning, err=True)
