"""One writer at a time. The lock belongs to the process: the system lets go of it when the process ends, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from sparse_coverage.errors import IndexStoreError

LOCK = "write.lock"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the right to write for the time of a block."""
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise IndexStoreError(
            f"{folder}: another process is writing to this index. Wait until it has finished; reading is possible meanwhile."
        ) from None
    except (OSError, NotImplementedError) as error:
        raise IndexStoreError(
            f"{folder}: this index cannot be changed here ({error}). Changing it needs the right to write into its folder, "
            "on a file system that knows locks; reading needs neither."
        ) from None
    try:
        yield
    finally:
        lock.release()
