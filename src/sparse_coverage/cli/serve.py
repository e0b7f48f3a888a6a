"""`sparse-coverage serve`: the page and the REST service, on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import count_option, path_option
from sparse_coverage.cli.options.serving import key_option, listening_options, named_indexes, read_key


@click.command(no_args_is_help=True)
@click.argument("indexes", nargs=-1, required=True, metavar="[NAME=]INDEX...")
@path_option("--projects", file_okay=False, help="Keep projects (searches, marks, notes, charts) in this folder.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@listening_options(8765)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Also answer to this name, as behind a reverse proxy (needs --key-file). Repeatable.",
)
@key_option
@click.option("--allow-changes", is_flag=True, help="Let requests add, replace and delete documents.")
@path_option("--calibration", exists=True, dir_okay=False, help="Of claim charts, made by `calibrate -o`.")
@click.option(
    "--keep",
    is_flag=True,
    help="Before serving, keep the sentences of the indexes (once), so that charts and combinations take seconds.",
)
@count_option("--concurrency", help="How many requests are worked on at a time [as many as there are cores].")
@count_option(
    "--waiting", default=64, least=0, help="How many more may wait; those beyond are told to come again (429)."
)
@click.option("--log-text", is_flag=True, help="Write the texts of queries to the log, which holds none otherwise.")
def command(
    indexes: tuple[str, ...],
    projects: Path | None,
    no_browser: bool,
    host: str,
    port: int,
    names: tuple[str, ...],
    key_file: Path | None,
    allow_changes: bool,
    calibration: Path | None,
    keep: bool,
    concurrency: int | None,
    waiting: int,
    log_text: bool,
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
    from sparse_coverage.server.settings import Limits, ServerSettings

    try:
        from sparse_coverage.server.app import create_app
    except ModuleNotFoundError:
        raise MissingExtraError("Serving", "server") from None
    limits = Limits(waiting=waiting) if concurrency is None else Limits(concurrency=concurrency, waiting=waiting)
    settings = ServerSettings(
        named_indexes(indexes),
        projects=projects,
        host=host,
        port=port,
        hosts=names,
        key=read_key(key_file),
        allow_changes=allow_changes,
        calibration=calibration,
        limits=limits,
        log_text=log_text,
    )

    if keep:
        from sparse_coverage.charts.charting import Charts
        from sparse_coverage.retrievers import open_index

        for folder in settings.indexes.values():
            Charts(open_index(folder), calibration).keep()

    def ready(address: str) -> None:
        click.echo(f"Serving {', '.join(settings.indexes)} at {address} (Ctrl-C ends it)")
        if not no_browser:
            open_browser(address)

    click.echo(f"Opening {len(settings.indexes)} {'indexes' if len(settings.indexes) > 1 else 'index'} …", err=True)
    serve(settings, create_app, ready)
