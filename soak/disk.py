"""A small file system in a file, which can be filled to the last kilobyte. Making one takes the right to mount."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

_MEGABYTES = 64


class Disk:
    """A folder on a file system of its own; where mounting is not possible, a plain folder, and `small` is false."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "disk"
        self.path.mkdir()
        self.small = self._mounted(folder / "disk.img")
        self._filler = self.path / "filler"

    def _mounted(self, image: Path) -> bool:
        with image.open("wb") as file:
            file.truncate(_MEGABYTES << 20)
        try:
            for command in (["mkfs.ext4", "-q", "-m", "0", image], ["mount", "-o", "loop", image, self.path]):
                subprocess.run([*map(str, command)], check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            told = getattr(error, "stderr", b"") or b""
            print(f"No small file system can be mounted here ({error} {told.decode(errors='replace').strip()}):")
            print(
                "the soak goes on without a full disk. It needs root and loop devices, or run it in a virtual machine."
            )
            return False
        return True

    def fill(self, left: int) -> None:
        """Leave only so many bytes."""
        free = shutil.disk_usage(self.path).free
        # The file system may want some of it for itself, and then less is left.
        with self._filler.open("wb") as file, suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, max(1, free - left))

    def empty(self) -> None:
        """Free what `fill` took."""
        self._filler.unlink(missing_ok=True)

    def close(self) -> None:
        """Unmount."""
        if self.small:
            subprocess.run(["umount", "-l", str(self.path)], check=False, timeout=60)
