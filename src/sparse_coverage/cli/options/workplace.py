"""Where `fit` and `index` do their work: on this machine, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sparse_coverage.errors import InputError

_PLACES = click.Choice(["local", "ray"])


def workplace_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--on` and `--address`; `--engine`, the old name of `--on`, still works and says so."""

    @click.option(
        "--on",
        type=_PLACES,
        default="local",
        show_default=True,
        help="Work on this machine, or on a Ray cluster (extra [ray]): --threads cores a task there. See docs/cluster.md.",
    )
    @click.option("--engine", "old_on", type=_PLACES, hidden=True)
    @click.option(
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster, or auto for the one this machine is in [start one here].",
    )
    @wraps(function)
    def with_workplace(*, on: str, old_on: str | None, address: str | None, **rest: Any) -> Any:
        if old_on is not None:
            click.echo(f"Warning: --engine {old_on} is now called --on {old_on}.", err=True)
            on = old_on
        if on != "ray" and address is not None:
            raise InputError("--address names a Ray cluster: give --on ray with it.")
        return function(on=on, address=address, **rest)

    return with_workplace
