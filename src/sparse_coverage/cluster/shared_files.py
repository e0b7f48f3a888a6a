"""Files that several workers may write at once: whole under their name, or not there at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparse_coverage.errors import MismatchError
from sparse_coverage.files import read_json, write_json


@contextmanager
def published(path: Path) -> Iterator[Path]:
    """Give a name of one's own to write to; what was written there takes its real name at the end.

    A worker that was thought dead may write the same file as the one that took over: both hold the same.
    """
    partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(4)}")
    try:
        yield partial
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def clear_leftovers(folder: Path) -> None:
    """Remove what workers that died had begun to write, once nobody writes there any more."""
    for partial in folder.glob(".*.partial-*"):
        partial.unlink(missing_ok=True)


def require_same_run(folder: Path, facts: Mapping[str, Any]) -> None:
    """Keep what determines a run beside its state; refuse to go on with the state of another."""
    from sparse_coverage.version import __version__

    path = folder / "run.json"
    wanted = {"version": __version__, **facts}
    if not path.exists():
        write_json(path, wanted)
        return
    found = read_json(path)
    different = [name for name in wanted if found.get(name) != wanted[name]]
    if different:
        raise MismatchError(
            f"{folder} holds the state of another run: {', '.join(different)} differ. Use the same settings and input to "
            "finish that one, or give another folder with --work."
        )
