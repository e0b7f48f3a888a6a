"""`sparse-coverage mcp`: tools for assistants, by the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import path_option
from sparse_coverage.cli.options.serving import key_option, listening_options, named_indexes, read_key


@click.command(no_args_is_help=True)
@click.argument("indexes", nargs=-1, required=True, metavar="[NAME=]INDEX...")
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp, instead of standard input and output.")
@listening_options(8766)
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="With --http: also answer to this name. Repeatable."
)
@key_option
@path_option("--calibration", exists=True, dir_okay=False, help="Of claim charts, made by `calibrate -o`.")
def command(
    indexes: tuple[str, ...],
    http: bool,
    host: str,
    port: int,
    names: tuple[str, ...],
    key_file: Path | None,
    calibration: Path | None,
) -> None:
    """Give an assistant tools to search INDEXES: search, read a passage, find a document, chart a claim, combine documents.

    Every quotation that they return has the id of its passage and its offsets. An assistant starts this command itself and talks
    with it over standard input and output; with --http it runs by itself, for this machine alone unless there is a key.

    \b
    Example, as an assistant's settings have it:
      {"mcpServers": {"patents": {"command": "sparse-coverage", "args": ["mcp", "/home/me/my-index"]}}}
    """
    from sparse_coverage.errors import MissingExtraError
    from sparse_coverage.server.settings import ServerSettings

    settings = ServerSettings(
        named_indexes(indexes), host=host, port=port, hosts=names, key=read_key(key_file), calibration=calibration
    )
    try:
        from sparse_coverage.server.mcp import create_mcp, create_mcp_app
    except ModuleNotFoundError:
        raise MissingExtraError("Tools for assistants", "mcp") from None
    if http:
        from sparse_coverage.server.running import serve

        serve(settings, create_mcp_app, lambda address: click.echo(f"Tools for assistants at {address}mcp"))
    else:
        create_mcp(settings).run("stdio")
