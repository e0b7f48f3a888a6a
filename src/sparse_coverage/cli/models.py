"""`sparse-coverage models`: the store of encoders."""

from __future__ import annotations

import click
from rich.markup import escape

from sparse_coverage.cli.options import json_option, show
from sparse_coverage.present.records import to_json


@click.group(no_args_is_help=True)
def command() -> None:
    """List, fetch and locate encoders.

    An encoder is asked for by name, by a local folder, or by its id on the model hub (owner/name). What is fetched is
    verified and kept in the cache; SPARSE_COVERAGE_CACHE moves it.
    """


@command.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """List the encoders that have a name here, and which of them are in the cache."""
    from sparse_coverage.encoding.catalogue import CATALOGUE
    from sparse_coverage.encoding.store import cached_folder

    rows, told = [], []
    for model in CATALOGUE.values():
        cached = cached_folder(model.name) is not None
        about = {"name": model.name, "hub": model.hub, "dimension": model.dimension}
        rows.append({**about, "cached": cached, "about": model.about})
        # Not a table: ids are there to be copied, and a narrow terminal would cut its columns.
        told.append(
            f"[bold]{model.name}[/bold]  {model.hub}  {model.dimension:,} dimensions{', in the cache' * cached}"
        )
        told.append(f"    {escape(model.about)}")
    show(rows, as_json, lambda: "\n".join(told), soft_wrap=True)


@command.command(no_args_is_help=True)
@click.argument("name")
@json_option
def fetch(name: str, as_json: bool) -> None:
    """Fetch the encoder NAME (a known name or a hub id) into the cache, verified."""
    from sparse_coverage.encoding.catalogue import CATALOGUE
    from sparse_coverage.encoding.store import model_folder

    folder = model_folder(name)
    if name in CATALOGUE and CATALOGUE[name].adapter:
        model_folder(CATALOGUE[name].adapter)
    click.echo(to_json({"name": name, "path": str(folder)}) if as_json else f"{name} is in {folder}")


@command.command(no_args_is_help=True)
@click.argument("name")
@json_option
def path(name: str, as_json: bool) -> None:
    """Print where the fetched encoder NAME lies. Fetches nothing."""
    from sparse_coverage.encoding.store import cached_folder
    from sparse_coverage.errors import ModelError

    folder = cached_folder(name)
    if folder is None:
        raise ModelError(f"'{name}' is not in the cache. Fetch it with: sparse-coverage models fetch {name}")
    click.echo(to_json({"name": name, "path": str(folder)}) if as_json else str(folder))
