"""Options and arguments that commands of every kind have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs instead of text for people."
)
threads_option = click.option("--threads", type=click.IntRange(1), help="How many cores to use (all by default).")
fresh_option = click.option("--fresh", is_flag=True, help="Rank and measure again, even where the result is known.")
index_argument = click.argument("index", type=click.Path(path_type=Path))
weight_bits_option = click.option(
    "--weight-bits",
    type=click.Choice(["8", "16"]),
    default="16",
    show_default=True,
    help="Precision of a stored weight; 8 saves a sixth of the postings and may swap near ties.",
)


def count_option(
    *names: str,
    help: str,  # noqa: A002
    default: int | None = None,
    least: int = 1,
    **settings: Any,
) -> Callable[[F], F]:
    """Return an option that counts something."""
    kind = click.IntRange(least)
    return click.option(*names, default=default, show_default=default is not None, type=kind, help=help, **settings)


def path_option(
    *names: str,
    help: str,  # noqa: A002
    exists: bool = False,
    file_okay: bool = True,
    dir_okay: bool = True,
    **settings: Any,
) -> Callable[[F], F]:
    """Return an option that names a file or a folder."""
    kind = click.Path(path_type=Path, exists=exists, file_okay=file_okay, dir_okay=dir_okay)
    return click.option(*names, type=kind, help=help, **settings)


def output_option(what: str) -> Callable[[F], F]:
    """Return the option for the new folder that a command fills."""
    return path_option("-o", "--output", required=True, help=f"The new folder for the {what}.")


def seed_option(what: str) -> Callable[[F], F]:
    """Return the option for the seed of what a command draws at random."""
    return count_option("--seed", default=0, least=0, help=what)
