"""Files that come from outside: kept under a harmless name for as long as they are read, and read in a process of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from sparse_coverage.errors import InputError, SparseCoverageError

_HARMLESS = re.compile(r"[^\w .()-]+")
_SECONDS = 90.0
_PIECE = 1 << 20


def harmless_name(given: str | None) -> str:
    """Return a name for a file that was uploaded, like its own; no part of a path is left of it.

    >>> harmless_name("../../etc/my claim.pdf"), harmless_name(None)
    ('my claim.pdf', 'upload')
    """
    name = _HARMLESS.sub("_", re.split(r"[/\\\\]", given or "")[-1]).strip(" .-")
    stem, dot, suffix = name.rpartition(".")
    return f"{(stem or suffix)[:80]}{dot if stem else ''}{suffix[:10] if stem else ''}" or "upload"


@contextmanager
def stored_upload(file: IO[bytes], name: str | None, most: int) -> Iterator[Path]:
    """Keep an upload in a folder of its own for the time of a block."""
    with TemporaryDirectory(prefix="sparse-coverage-upload-") as folder:
        path = Path(folder) / harmless_name(name)
        size = 0
        with path.open("wb") as out:
            while piece := file.read(_PIECE):
                size += len(piece)
                if size > most:
                    raise InputError(f"The file is larger than {most:,} bytes.")
                out.write(piece)
        yield path


def read_apart(what: str, path: Path, more: str = "", seconds: float = _SECONDS) -> dict[str, Any]:
    """Let another process read a file; whatever happens to it, here it is an error that says so."""
    command = [sys.executable, "-m", "sparse_coverage.server.upload_reader", what, path.name, *([more] if more else [])]
    try:
        done = subprocess.run(command, cwd=path.parent, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise InputError(f"{path.name} took too long to read. Save its text in a plain file.") from None
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise InputError(
            f"{path.name} cannot be read: reading it took more memory or time than is given to a file."
        ) from None
    if "disk" in found:
        raise SparseCoverageError(
            f"{path.name} cannot be read, or its content written: {found['disk']}. Look at the disk of the server."
        )
    if "error" in found:
        raise InputError(found["error"])
    return found
