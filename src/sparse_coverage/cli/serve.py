"""`sparse-coverage serve`: the page and the REST service, on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import path_option


@click.command(no_args_is_help=True)
@click.argument("indexes", nargs=-1, required=True, type=click.Path(path_type=Path))
@path_option("--projects", file_okay=False, help="Keep projects (searches, marks, notes, charts) in this folder.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, help="0: any that is free.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def command(indexes: tuple[Path, ...], projects: Path | None, port: int, no_browser: bool) -> None:
    """Serve INDEXES on this machine: a page to search in, and a REST service below /v1.

    \b
    Example:
      sparse-coverage serve my-index --projects my-projects
    """
    import uvicorn

    from sparse_coverage.server.app import create_app
    from sparse_coverage.server.settings import ServerSettings

    settings = ServerSettings({path.resolve().name: path for path in indexes}, projects=projects, port=port)
    click.echo(f"Serving at http://127.0.0.1:{port}/")
    uvicorn.run(create_app(settings), host=settings.host, port=port, log_level="warning")
