"""What machine code depends on: the files of this package; and where it can be kept."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

HERE = Path(__file__).parent


def sources() -> str:
    """Return a digest of all files of this package: whatever kernels call, and every constant they were compiled with."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


SOURCES = sources()


def is_writable(folder: Path) -> bool:
    """Tell whether files can be made in a folder, which need not be there yet."""
    place = folder if folder.exists() else folder.parent
    return os.access(place, os.W_OK | os.X_OK)
