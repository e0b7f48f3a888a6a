"""What commands that serve have in common: where they listen, for whom, and which indexes by which names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from sparse_coverage.cli.options import F, path_option, together
from sparse_coverage.errors import InputError

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
    """Return the key in a file."""
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The key file {path} cannot be read ({error}).") from None


def named_indexes(given: tuple[str, ...]) -> dict[str, Path]:
    """Return the folders of indexes by name: the one before a `=`, else that of the folder. Each must be there and finished."""
    from sparse_coverage.index.manifest import read_manifest, require_finished

    found: dict[str, Path] = {}
    for one in given:
        name, given_name, folder = one.partition("=")
        path = Path(folder if given_name and not Path(one).exists() else one)
        name = name if path == Path(folder) and given_name else path.resolve().name
        if not name or any(letter in name for letter in "/\\?#%") or name in found:
            why = "is the name of two indexes" if name in found else "is no name for an index"
            raise InputError(f"'{name}' {why}. Give each a name of its own: NAME={path}")
        require_finished(path, read_manifest(path))
        found[name] = path
    return found
