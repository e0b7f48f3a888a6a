"""What the parts of `vocabulary.py` share: timing, claims, and real token embeddings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

console = Console(width=140)
DIMENSION = 384


@dataclass(frozen=True)
class Time:
    cpu: float
    wall: float


@dataclass(frozen=True)
class Claim:
    """What was wanted, what was measured."""

    what: str
    wanted: str
    measured: str
    holds: bool


def timed(work: Callable[[], object]) -> tuple[Time, Any]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return Time(time.process_time() - cpu, time.perf_counter() - wall), result


def embeddings(texts: list[Path], cache: Path) -> np.ndarray:
    """Token embeddings of the texts (float16, memory-mapped), encoded once and kept in the cache."""
    path = cache / "tokens.f16"
    if not path.exists():
        from sparse_coverage.encoding import load_encoder
        from sparse_coverage.patents import read_patents
        from sparse_coverage.spans import get_unit
        from sparse_coverage.vocabulary.sampler import grouped

        encoder, unit = load_encoder("minilm"), get_unit("token")
        cache.mkdir(parents=True, exist_ok=True)
        patents = read_patents([str(text) for text in texts], language="any", on_problem=lambda problem: None)
        with path.with_suffix(".partial").open("wb") as stream:
            for group in grouped(patents):
                parts = [section.text for _, sections in group for section in sections]
                for spans in unit.pool_many(parts, encoder.encode(parts)):
                    stream.write(spans.vectors.astype(np.float16).tobytes())
                console.print(f"  encoded {stream.tell() // (2 * DIMENSION):,} tokens", highlight=False)
        path.with_suffix(".partial").replace(path)
    return np.memmap(path, dtype=np.float16, mode="r").reshape(-1, DIMENSION)


def subset(real: np.ndarray, total: int) -> np.ndarray:
    chosen = np.sort(np.random.default_rng(7).choice(len(real), total, replace=False))
    return np.ascontiguousarray(real[chosen])
