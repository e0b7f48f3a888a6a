"""Writing files so that a crash leaves either the old content or the new, never half of it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError


class ClosesItself:
    """Has a `close` that is also called in the end, where an error kept others from it: Python 3.13 warns of what was left open."""

    def close(self) -> None:
        """Let go of what is held."""

    def __del__(self) -> None:
        # Half made, or ended in another thread than SQLite allows: there is nothing more to do.
        with suppress(Exception):
            self.close()


def as_typed(path: str | Path) -> str:
    """Return a path as it is typed into a command: in quotes where it holds a blank or anything else that a shell reads.

    >>> as_typed("my index"), as_typed("my-index")
    ("'my index'", 'my-index')
    """
    return shlex.quote(str(path))


def sha256_of(path: Path) -> str:
    """Return the hexadecimal sha256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def checksum_of(content: Mapping[str, Any]) -> str:
    """Return the hexadecimal sha256 of plain values, whatever the order of their names."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_text(path: Path, text: str) -> None:
    """Replace a file's content in one step. A new file has the rights that the umask leaves."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """The same with bytes. A folder of that name is refused before anything is written."""
    if path.is_dir():
        raise InputError(f"{path} is a folder. Name a file in it, such as {path / ('result' + path.suffix)}.")
    temporary = _partial(path)
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{path} cannot be written: there is no folder {path.parent}. Make it first.") from None
        if isinstance(error, OSError):  # it names the temporary file, which means nothing to a user
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    sync_folder(path.parent)


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file's content in one step."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file; a damaged one is an error that names it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path}: not valid JSON ({error}). The file is damaged; build or fetch it again.") from None


def sync_file(path: Path, flags: int = os.O_RDWR) -> None:
    """Make a file's content durable."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Make the entries of a folder durable, where the system can."""
    if os.name == "posix":
        sync_file(path, os.O_RDONLY)


def require_free(folder: Path) -> None:
    """Refuse a folder that holds anything, or a file of that name: nothing that exists is ever overwritten."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not an empty folder. Choose another name or remove it first.")


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Fill a folder under another name and give it its own name only when everything is written.

    An existing empty folder may be the target; one that holds anything is refused before work begins.
    """
    require_free(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(target)
    partial.mkdir()
    try:
        yield partial
        if target.exists():
            target.rmdir()
        partial.replace(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    sync_folder(target.parent)


def _partial(target: Path) -> Path:
    return target.with_name(f".{target.name}.partial-{secrets.token_hex(4)}")
