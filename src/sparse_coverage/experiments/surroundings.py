"""What a result was made with: versions and machine."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from sparse_coverage.kernels.threads import usable_cores
from sparse_coverage.version import __version__

_PACKAGES = ("numpy", "numba", "openvino", "tokenizers", "bm25s", "ir-measures", "matplotlib", "torch", "transformers")


def surroundings() -> dict[str, Any]:
    """Return versions and machine."""
    return {
        "sparse-coverage": __version__,
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": usable_cores(),
        },
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
