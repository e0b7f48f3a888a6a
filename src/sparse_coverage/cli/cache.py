"""`sparse-coverage cache`: what `evaluate` and `reproduce` keep, how large it is, and making room."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from sparse_coverage.cli.options import count_option, json_option, path_option, show

cache_option = path_option("--cache", file_okay=False, help="The folder [the user's cache].")


@click.group(no_args_is_help=True)
def command() -> None:
    """Show or prune what `evaluate` and `reproduce` keep: token vectors, vocabularies, indexes, sides, results.

    Everything in it can be computed again.

    \b
    Example:
      sparse-coverage cache size
      sparse-coverage cache prune --older-than 30
    """


@command.command()
@cache_option
@json_option
def size(cache: Path | None) -> None:
    """Say how large each part of the cache is."""
    from sparse_coverage.experiments.cache import cache_parts, default_cache

    folder = cache or default_cache()
    parts = cache_parts(folder)
    table = Table("part", "entries", "MB", title=str(folder))
    for name, (entries, size_) in parts.items():
        table.add_row(name, f"{entries:,}", f"{size_ / 1e6:,.1f}")
    table.add_row("all", f"{sum(n for n, _ in parts.values()):,}", f"{sum(s for _, s in parts.values()) / 1e6:,.1f}")
    record = {name: {"entries": entries, "bytes": size_} for name, (entries, size_) in parts.items()}
    show({"cache": str(folder), "parts": record}, table)


@command.command()
@cache_option
@count_option("--older-than", "days", least=0, default=30, help="Days since an entry was written or read.")
@json_option
def prune(cache: Path | None, days: int) -> None:
    """Remove what nobody has used for some days; 0 removes everything."""
    from sparse_coverage.experiments.cache import default_cache, prune_cache

    removed, freed = prune_cache(cache or default_cache(), days)
    told = f"{removed:,} entries removed, {freed / 1e6:,.1f} MB freed."
    show({"removed": removed, "bytes": freed}, told)
