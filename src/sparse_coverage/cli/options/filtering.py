"""Options that say what may be found at all. What they mean is in `search.conditions`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import gathered

if TYPE_CHECKING:
    from sparse_coverage.search.conditions import Conditions, FilterOptions

filter_option = click.option(
    "--filter", "expression", metavar="EXPRESSION", help="Which documents may be found; see `search --help`."
)
filter_options = gathered(
    "filters",
    "search.conditions:FilterOptions",
    click.option("--before", metavar="DATE", help="Only what was published before DATE (2001-05-17, 2001-05, 2001)."),
    click.option(
        "--undated",
        type=click.Choice(["keep", "drop"]),
        default="drop",
        help="Documents without the date that a filter asks for: let them through, or leave them out and say so.",
        show_default=True,
    ),
    click.option(
        "--not-family-of", metavar="ID", multiple=True, help="Leave out the document ID and its family. Repeatable."
    ),
    click.option(
        "--must",
        metavar="WORDS",
        multiple=True,
        help='Only documents with this word or "phrase". Repeatable: with all.',
    ),
    click.option(
        "--any", "any_", metavar="WORDS,…", multiple=True, help="Only documents with one of these words or phrases."
    ),
    click.option(
        "--not", "not_", metavar="WORDS", multiple=True, help="Only documents without this word or phrase. Repeatable."
    ),
    filter_option,
)


def conditions_of(folder: Path, options: FilterOptions) -> Conditions:
    """Join the ways to say what may be found in the index in a folder, and tell what they leave out that nobody asked for."""
    from sparse_coverage.index import open_store
    from sparse_coverage.search.conditions import Conditions, conditions_in_store

    if next(options.named(), None) is None:
        return Conditions()
    store = open_store(folder)
    try:
        return conditions_in_store(store, options, lambda told: click.echo(told, err=True))
    finally:
        store.close()
