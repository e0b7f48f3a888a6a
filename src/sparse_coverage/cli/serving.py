"""`sparse-coverage serve` and `mcp`: the page and the REST service, and tools for assistants by the Model Context Protocol."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sparse_coverage.cli.options import F, count_option, path_option, together
from sparse_coverage.errors import InputError
from sparse_coverage.files import as_typed

key_option = path_option(
    "--key-file",
    exists=True,
    dir_okay=False,
    help="A file with the key that every request must send: Authorization: Bearer KEY.",
)


def listening_options(port: int) -> Callable[[F], F]:
    """Return the options that say where to listen."""
    return together(
        click.option("--host", default="127.0.0.1", help="Where to listen; beyond this machine only with --key-file."),
        click.option("--port", type=click.IntRange(0, 65535), default=port, help="0: any that is free."),
    )


def read_key(path: Path | None) -> str | None:
    """Return the key in a file; that others can read it is a warning."""
    if path is None:
        return None
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            click.echo(f"Warning: others can read {path}. Let only you: chmod 600 {as_typed(path)}", err=True)
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The key file {path} cannot be read ({error}).") from None


def named_indexes(given: tuple[str, ...]) -> dict[str, Path]:
    """Return the folders of indexes by name: the name before `=`, else the name of the folder. Each folder must exist and hold an index."""
    from sparse_coverage.index.manifest import read_manifest, require_finished

    found: dict[str, Path] = {}
    for one in given:
        name, given_name, folder = one.partition("=")
        path = Path(folder if given_name and not Path(one).exists() else one)
        name = name if path == Path(folder) and given_name else path.resolve().name
        if not name or any(letter in name for letter in "/\\?#%") or name in found:
            why = "is the name of two indexes" if name in found else "is no name for an index"
            raise InputError(f"'{name}' {why}. Give each a name of its own: NAME={path}")
        if not (state := read_manifest(path)).documents:
            require_finished(path, state)
        found[name] = path
    return found


rerank_option = click.option(
    "--rerank",
    "rerankers",
    multiple=True,
    metavar="NAME",
    help="Offer this to rank documents again, beside the sides of an index: cross-encoder:NAME, an ONNX folder or hub id. Repeatable.",
)


@click.command(no_args_is_help=True)
@click.argument("indexes", nargs=-1, required=True, metavar="[NAME=]INDEX...")
@path_option("--projects", file_okay=False, help="Keep projects (searches, marks, notes, charts) in this folder.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@listening_options(8765)
@click.option(
    "--name",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Also answer to this name, as behind a reverse proxy (needs --key-file). Repeatable.",
)
@key_option
@click.option("--allow-changes", is_flag=True, help="Let requests add, replace and delete documents.")
@path_option("--calibration", exists=True, dir_okay=False, help="Of claim charts, made by `calibrate -o`.")
@rerank_option
@count_option("--concurrency", help="How many requests are worked on at a time [as many as there are cores].")
def serve_command(
    indexes: tuple[str, ...],
    no_browser: bool,
    key_file: Path | None,
    concurrency: int | None,
    **given: Any,
) -> None:
    """Serve INDEXES on this machine: a page to search in, and a REST service below /v1.

    Only this machine can reach it, unless --host or --name say otherwise; then every request needs the key of --key-file. An
    index that changes on disk is picked up without a restart. An index is called by the name of its folder, or by NAME.

    \b
    Example:
      sparse-coverage serve my-index --projects my-projects
      sparse-coverage serve valves=work/valves/index pumps=work/pumps/index
      sparse-coverage serve my-index --host 0.0.0.0 --name patents.example.com --key-file key.txt --no-browser
    """
    from sparse_coverage.errors import MissingExtraError
    from sparse_coverage.server.running import open_browser, serve
    from sparse_coverage.server.settings import ServerLimits, ServerSettings

    try:
        from sparse_coverage.server.app import create_app
    except ModuleNotFoundError:
        raise MissingExtraError("Serving", "server") from None
    limits = ServerLimits() if concurrency is None else ServerLimits(concurrency=concurrency)
    settings = ServerSettings(named_indexes(indexes), key=read_key(key_file), limits=limits, **given)

    def ready(address: str) -> None:
        click.echo(f"Serving {', '.join(settings.indexes)} at {address} (Ctrl-C ends it)")
        if not no_browser:
            open_browser(address)

    click.echo(f"Opening {len(settings.indexes)} {'indexes' if len(settings.indexes) > 1 else 'index'} …", err=True)
    serve(settings, create_app, ready)


@click.command(no_args_is_help=True)
@click.argument("indexes", nargs=-1, required=True, metavar="[NAME=]INDEX...")
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp, instead of standard input and output.")
@listening_options(8766)
@click.option(
    "--name", "hosts", multiple=True, metavar="HOST", help="With --http: also answer to this name. Repeatable."
)
@key_option
@path_option("--calibration", exists=True, dir_okay=False, help="Of claim charts, made by `calibrate -o`.")
@rerank_option
def mcp_command(indexes: tuple[str, ...], http: bool, key_file: Path | None, **given: Any) -> None:
    """Give an assistant tools to search INDEXES: search, read a passage, find a document, chart a claim, combine documents.

    Every quotation that they return has the id of its passage and its offsets. An assistant starts this command itself and talks
    with it over standard input and output; with --http it runs by itself, for this machine alone unless there is a key.

    \b
    Example, as an assistant's settings have it:
      {"mcpServers": {"patents": {"command": "sparse-coverage", "args": ["mcp", "/home/me/my-index"]}}}
    """
    from sparse_coverage.errors import MissingExtraError
    from sparse_coverage.server.settings import ServerSettings

    settings = ServerSettings(named_indexes(indexes), key=read_key(key_file), **given)
    try:
        from sparse_coverage.server.mcp import create_mcp_app, run_on_standard_streams
    except ModuleNotFoundError:
        raise MissingExtraError("Tools for assistants", "mcp") from None
    if http:
        from sparse_coverage.server.running import serve

        serve(settings, create_mcp_app, lambda address: click.echo(f"Tools for assistants at {address}mcp"))
    else:
        run_on_standard_streams(settings)
