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


def enlarged(real: np.ndarray, total: int, cache: Path) -> np.ndarray:
    """Real vectors, then copies of them with Gaussian noise (cosine 0.9 to the original), up to `total` rows, on disk."""
    path = cache / f"enlarged-{total}.f16"
    if not path.exists():
        random = np.random.default_rng(0)
        with path.with_suffix(".partial").open("wb") as stream:
            for top in range(0, total, 50_000):
                rows = np.arange(top, min(top + 50_000, total))
                block = real[rows % len(real)].astype(np.float32)
                copies = rows >= len(real)
                noise = random.standard_normal((int(copies.sum()), DIMENSION), dtype=np.float32)
                block[copies] += 0.484 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
                block /= np.linalg.norm(block, axis=1, keepdims=True)
                stream.write(block.astype(np.float16).tobytes())
        path.with_suffix(".partial").replace(path)
    return np.memmap(path, dtype=np.float16, mode="r").reshape(total, DIMENSION)


def subset(real: np.ndarray, total: int) -> np.ndarray:
    chosen = np.sort(np.random.default_rng(7).choice(len(real), total, replace=False))
    return np.ascontiguousarray(real[chosen])
