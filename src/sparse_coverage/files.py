"""Writing files so that a crash leaves either the old content or the new, never half of it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from sparse_coverage.errors import InputError


class ClosesItself:
    """Has a `close` that is also called in the end, where an error kept others from it: Python 3.13 warns of what was left open."""

    def close(self) -> None:
        """Let go of what is held."""

    def __del__(self) -> None:
        # Half made, or ended in another thread than SQLite allows: there is nothing more to do.
        with suppress(Exception):
            self.close()


def user_cache() -> Path:
    """Return the folder of everything that is kept and can be made or fetched again; `SPARSE_COVERAGE_CACHE` moves it."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("SPARSE_COVERAGE_CACHE")
    return Path(chosen) if chosen else user_cache_path("sparse-coverage", appauthor=False)


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


def has_sha256(path: Path, sha256: str) -> bool:
    """Tell whether a file is there and has this sha256."""
    try:
        return sha256_of(path) == sha256
    except (FileNotFoundError, IsADirectoryError):
        return False


def checksum_of(content: Mapping[str, Any]) -> str:
    """Return the hexadecimal sha256 of plain values, whatever the order of their names."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def write_text(path: Path, text: str) -> None:
    """Replace a file's content in one step. A new file has the rights that the umask leaves."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file's content in one step, as `write_text` does."""
    with replacing(path) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a stream to write to; when the block ends without an error, what was written replaces the file in one step.

    A folder of that name is refused before anything is written.
    """
    require_place(path)
    temporary = _partial(path)
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with _synced_after(path.parent):
            temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):  # it names the temporary file, which means nothing to a user
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file's content in one step."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file; a damaged one is an error that names it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON ({error}). The file is damaged; build or fetch it again.") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; a mistake in it is an error that names the place."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # pragma: no cover
        import tomli as tomllib
    try:
        parsed: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return parsed
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML ({error}).") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None


def sync_file(path: Path, flags: int = os.O_RDWR) -> None:
    """Make a file's content durable."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Make the entries of a folder durable, where the system can."""
    with _synced_after(path):
        pass


@contextmanager
def _synced_after(folder: Path) -> Iterator[None]:
    """Make the entries of a folder durable after a block; it is opened before, so that nothing done is called failed for want of a file."""
    if os.name != "posix":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield
        os.fsync(handle)
    finally:
        os.close(handle)


def require_free(folder: Path) -> None:
    """Refuse a folder that holds anything, or a file of that name: nothing that exists is ever overwritten."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not an empty folder. Choose another name or remove it first.")


def require_place(file: Path) -> None:
    """Refuse a file that cannot be written where it is named, before the work whose result it is to hold."""
    if file.is_dir():
        raise InputError(f"{file} is a folder. Name a file in it, such as {file / ('result' + file.suffix)}.")
    if not file.absolute().parent.is_dir():
        raise InputError(f"{file} cannot be written: there is no folder {file.parent}. Make it first.")


def require_space(target: Path) -> None:
    """Refuse, before any work, a place that cannot be written to or has less than 64 MiB left."""
    place = target.absolute()
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        raise InputError(
            f"{target} cannot be written: {place} is not a folder that you may write to. Choose another place."
        )
    if (free := shutil.disk_usage(place).free) < 64 << 20:
        raise InputError(
            f"{target}: only {free / (1 << 20):,.0f} MiB are free there. Free some space, or choose a place on another disk."
        )


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


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Give a name of one's own to write to; what was written there takes its real name when the block ends well.

    Several processes may do so at once, such as a worker that was thought dead and the one that took over: both write the same.
    """
    partial = _partial(path)
    try:
        yield partial
        sync_file(partial, os.O_RDONLY)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def remove_partial_files(folder: Path) -> None:
    """Remove what processes that died had begun to write, once nobody writes there any more."""
    for partial in folder.glob(".*.partial-*"):
        partial.unlink(missing_ok=True)


def _partial(target: Path) -> Path:
    return target.with_name(f".{target.name}.partial-{secrets.token_hex(4)}")
