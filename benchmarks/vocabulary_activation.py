"""Activation beside FAISS and NumPy: a part of `vocabulary.py`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from vocabulary_common import DIMENSION, Claim, Time, console, subset, timed

from sparse_coverage.vectors import ActivationConfig, activate
from sparse_coverage.vocabulary import Anchor, Vocabulary, VocabularyConfig
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.nearest import measure_cells, nearest_centers
from sparse_coverage.vocabulary.points import Centers, Points

OURS, FLAT = "ours, exact", "FAISS IndexFlatIP"


def numpy_activation(spans: np.ndarray, centers: np.ndarray, radii: np.ndarray, k: int) -> list[set[int]]:
    found = []
    for top in range(0, len(spans), 256):
        block = spans[top : top + 256] @ centers.T
        block[block < 1 - radii] = -np.inf
        best = np.argpartition(block, -k, axis=1)[:, -k:]
        for row, columns in enumerate(best):
            found.append({int(c) for c in columns if block[row, c] > -np.inf})
    return found


def faiss_activation(index: Any, spans: np.ndarray, radii: np.ndarray, k: int, wide: int) -> list[set[int]]:
    similarities, numbers = index.search(spans, wide)
    covered = similarities >= 1 - radii[numbers]
    kept = covered & (np.cumsum(covered, axis=1) <= k)
    return [set(numbers[row, kept[row]].tolist()) for row in range(len(spans))]


def exact_activation(spans: np.ndarray, centers: np.ndarray, radii: np.ndarray, k: int) -> list[set[int]]:
    """The definition itself, in float64: distances rounded to float32, all within the radius, the k nearest."""
    found = []
    for top in range(0, len(spans), 64):
        distances = (1.0 - spans[top : top + 64].astype(np.float64) @ centers.T.astype(np.float64)).astype(np.float32)
        for row in distances:
            covering = np.flatnonzero(row <= radii)
            found.append(set(covering[np.argsort(row[covering], kind="stable")[:k]].tolist()))
    return found


def faiss_index(centers: np.ndarray) -> Any:
    """FAISS's exact index."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(DIMENSION)
    index.add(centers)
    return index


def compare_activation(
    real: np.ndarray, sizes: list[int], chosen_from: int, spans: int, repeats: int, wanted: float
) -> list[Claim]:
    """`wanted` is how many times as fast as FAISS's exact index ours is wanted to be."""
    claims = []
    points = Points(subset(real, chosen_from))
    started = time.perf_counter()
    rows = farthest_first(points, max(sizes)).rows
    packed = Centers.of(points.rows(rows))
    measured = Points(subset(real, min(len(real), 100_000)))
    cells = {s: measure_cells(a, s, 99.0) for s, a in nearest_centers(measured, packed, sizes=sizes).items()}
    console.print(f"  {max(sizes):,} centers and their radii: {time.perf_counter() - started:.0f} s", highlight=False)
    queries = Points(np.ascontiguousarray(real[np.random.default_rng(3).integers(0, len(real), spans)]))
    vectors = queries.rows(np.arange(spans))
    table = Table(title="Activation: all centers within their radius, then K=5; spans a second, one thread")
    for column in ("V", "system", "spans/s", "wall", "rows equal to ours", "mean active"):
        table.add_column(column, justify="right")
    for size in sizes:
        radii = cells[size].radii
        config = VocabularyConfig(
            "minilm", "", "fp32", DIMENSION, "token", size, 99.0, "farthest-first", 0, chosen_from
        )
        anchors = tuple(Anchor("", "", "") for _ in range(size))
        vocabulary = Vocabulary(packed.rows[:size].copy(), radii, anchors, config)
        vocabulary.packed  # noqa: B018 (packed once, as in use)
        systems: dict[str, Callable[[], list[set[int]]]] = {
            OURS: lambda: _sets(activate(vectors, vocabulary, ActivationConfig()).centers),  # noqa: B023
        }
        slow = vectors[: max(256, spans // 16)]
        try:
            systems[FLAT] = partial(faiss_activation, faiss_index(vocabulary.centers), vectors, radii, 5, 32)
        except ImportError:
            console.print("  FAISS is not installed (extra [bench]): left out", highlight=False)
        systems["NumPy GEMM + argpartition"] = lambda: numpy_activation(slow, vocabulary.centers, radii, 5)  # noqa: B023
        times: dict[str, list[Time]] = {name: [] for name in systems}
        results: dict[str, list[set[int]]] = {}
        for _ in range(repeats):  # interleaved
            for name, run in systems.items():
                spent, result = timed(run)
                times[name].append(spent)
                results[name] = result
        ours = results[OURS]
        right = exact_activation(slow, vocabulary.centers, radii, 5)
        equal = sum(a == b for a, b in zip(ours, right, strict=False))
        case = f"activation, V={size:,}, K=5"
        claims.append(
            Claim(f"{case}: sets of the definition", f"{len(right)} of {len(right)}", f"{equal}", equal == len(right))
        )
        if FLAT in times:
            speed = [statistics.median(t.cpu for t in times[name]) for name in (FLAT, OURS)]
            faster = speed[0] / speed[1]
            claims.append(
                Claim(f"{case}: times FAISS's exact index", f">= {wanted}", f"{faster:.2f}", faster >= wanted)
            )
        for name in systems:
            count = len(results[name])
            same = sum(a == b for a, b in zip(ours, results[name], strict=False)) / count
            cpu, wall = (statistics.median(getattr(t, kind) for t in times[name]) for kind in ("cpu", "wall"))
            covering = statistics.mean(map(len, results[name]))
            table.add_row(
                f"{size:,}", name, f"{count / cpu:,.0f}", f"{count / wall:,.0f}", f"{same:.4%}", f"{covering:.2f}"
            )
        table.add_section()
    console.print(table)
    console.print("FAISS: k=32, then the radius test.\n")
    return claims


def _sets(centers: np.ndarray) -> list[set[int]]:
    return [set(row[row >= 0].tolist()) for row in centers]
