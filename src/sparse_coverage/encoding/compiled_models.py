"""Models as the runtime compiles them, kept on disk: the next process loads what this one has compiled.

Where nothing can be kept, or what was kept cannot be used, the model is compiled as if nothing had been there.
"""

from __future__ import annotations

import hashlib
import io
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sparse_coverage.encoding.checksums import cache_folder
from sparse_coverage.kernels.choosing import machine

SMALLEST = 16 << 20
"""Models with fewer bytes of weights are compiled in no time."""


def compiled_model(
    ov: Any, core: Any, name: str, weights: Path, settings: Mapping[str, Any], build: Callable[[], Any]
) -> tuple[Any, Any]:
    """Return a compiled model: the kept one of that name, or what `build` gives, compiled with some settings and kept.

    Beside it comes the memory that it lives in, which must live as long.
    """
    path = _path(ov, name, settings) if weights.stat().st_size >= SMALLEST else None
    if path is not None and path.exists():
        with suppress(RuntimeError, OSError, ValueError):
            # Copied on writing, though nobody writes: the runtime takes no memory that can only be read.
            content = np.memmap(path, dtype=np.uint8, mode="c")
            tensor = ov.Tensor(np.asarray(content), shared_memory=True)
            return core.import_model(tensor, "CPU", dict(settings)), (content, tensor)
    made = core.compile_model(build(), "CPU", dict(settings))
    if path is not None:
        _keep(made, path, name)
    return made, None


def _path(ov: Any, name: str, settings: Mapping[str, Any]) -> Path:
    source = (Path(__file__).parent / "bert_graph.py").read_bytes()
    facts = f"{ov.get_version()} {machine()} {sorted(settings.items())} {hashlib.sha256(source).hexdigest()}"
    return cache_folder() / "compiled" / f"{name}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}.blob"


def _keep(made: Any, path: Path, name: str) -> None:
    partial = path.with_name(f".{path.name}.partial-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        made.export_model(content)
        partial.write_bytes(content.getbuffer())
        for older in sorted(path.parent.glob(f"{name}-*.blob"), key=lambda one: one.stat().st_mtime)[:-3]:
            older.unlink(missing_ok=True)  # of earlier versions, or other numbers of threads
        partial.replace(path)
    except (OSError, RuntimeError):
        with suppress(OSError):
            partial.unlink()
