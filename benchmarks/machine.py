"""What machine a figure was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    flags: set[str] = set()
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
            elif line.startswith("flags"):
                flags = set(line.split(":", 1)[1].split())
    extras = [name for name in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if name in flags]
    return f"{model}, {os.cpu_count()} cores, {' '.join(extras) or 'no vector extensions named'}, Python {platform.python_version()}"
