"""Farthest-first and activation beside their plain and well-known peers, on real token embeddings.

    python benchmarks/vocabulary.py --texts patents/ --cache embeddings            traversal, growth, activation
    python benchmarks/vocabulary.py --texts patents/ --cache embeddings --large    and N = 5M, V = 50k to the end
    python benchmarks/vocabulary.py --quick                                        a minute, on the demo collection

CPU seconds of one thread (wall time beside them), alternatives interleaved, medians. The machine may be busy: trust ratios.
Plain NumPy costs the same at every step, so where it would take too long a stated number of its steps is measured and
multiplied; such figures are marked with ~.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: the peers get the one thread that we get
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from sparse_coverage.vectors import ActivationConfig, activate
from sparse_coverage.vocabulary import Anchor, Vocabulary, VocabularyConfig
from sparse_coverage.vocabulary.farthest_first import Traversal, farthest_first
from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.points import Points
from sparse_coverage.vocabulary.quantised import Centers
from sparse_coverage.vocabulary.radii import measure_cells
from sparse_coverage.vocabulary.verify import verify_sequence

console = Console(width=140)
DIMENSION = 384


@dataclass(frozen=True)
class Time:
    cpu: float
    wall: float


def timed(work: Callable[[], object]) -> tuple[Time, object]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return Time(time.process_time() - cpu, time.perf_counter() - wall), result


# --- data -----------------------------------------------------------------------------------------------------------


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


# --- traversal ------------------------------------------------------------------------------------------------------


def plain_steps(points: np.ndarray, rows: Iterator[int]) -> list[Time]:
    """One step of the plain algorithm a row: distances to the new center, minimum, argmax. Float32 NumPy."""
    bound = np.full(len(points), np.inf, dtype=np.float32)
    times = []
    for row in rows:
        cpu, wall = time.process_time(), time.perf_counter()
        np.minimum(bound, 1.0 - points @ points[row], out=bound)
        bound.argmax()
        times.append(Time(time.process_time() - cpu, time.perf_counter() - wall))
    return times


def compare_traversals(real: np.ndarray, cases: list[tuple[int, int]], steps: int, repeats: int) -> None:
    table = Table(title="Farthest-first: lazy (exact) beside plain NumPy, CPU seconds of one thread (wall)")
    for column in ("N", "V", "plain NumPy", "lazy", "times faster", "sequence", "2 threads: wall, sequence"):
        table.add_column(column, justify="right")
    for total, size in cases:
        packed = subset(real, total)
        points = Points(packed)
        wide = points.rows(np.arange(total))
        plain: list[Time] = []
        lazy: list[Time] = []
        found: Traversal | None = None
        for _ in range(repeats):  # interleaved
            plain += plain_steps(wide, iter(range(steps // repeats)))
            spent, result = timed(lambda: farthest_first(points, size, threads=1))  # noqa: B023
            lazy.append(spent)
            found = result  # type: ignore[assignment]
        assert found is not None
        step = Time(statistics.median(t.cpu for t in plain), statistics.median(t.wall for t in plain))
        ours = Time(statistics.median(t.cpu for t in lazy), statistics.median(t.wall for t in lazy))
        both, again = timed(lambda: farthest_first(points, size, threads=2))  # noqa: B023
        check = verify_sequence(points, found.rows, found.distances)
        same = np.array_equal(again.rows, found.rows) and np.array_equal(again.distances, found.distances)  # type: ignore[attr-defined]
        table.add_row(
            f"{total:,}",
            f"{size:,}",
            f"~{step.cpu * size:,.0f} (~{step.wall * size:,.0f}), {len(plain)} steps",
            f"{ours.cpu:.1f} ({ours.wall:.1f})",
            f"{step.cpu * size / ours.cpu:.0f}",
            "that of plain" if check.holds else f"WRONG: {check.details}",
            f"{both.wall:.1f}, {'same bits' if same else 'DIFFERENT'}",
        )
    console.print(table)
    console.print(
        "sequence: every step of every point checked against the canonical distance with plain NumPy (verify_sequence).\n",
        highlight=False,
    )


def full_plain(real: np.ndarray, total: int, size: int) -> None:
    """Run plain NumPy to the end once: its whole time, and its float32 sequence beside the canonical one."""
    points = Points(subset(real, total))
    wide = points.rows(np.arange(total))
    lazy, found = timed(lambda: farthest_first(points, size, threads=1))

    def run() -> np.ndarray:
        bound = np.full(total, np.inf, dtype=np.float32)
        rows = np.empty(size, dtype=np.int64)
        row = int(found.rows[0])  # type: ignore[attr-defined]
        for number in range(size):
            rows[number] = row
            np.minimum(bound, 1.0 - wide @ wide[row], out=bound)
            bound[row] = -np.inf
            row = int(bound.argmax())
        return rows

    spent, rows = timed(run)
    differ = int((rows != found.rows).sum())  # type: ignore[attr-defined]
    same = set(rows.tolist()) == set(found.rows.tolist())  # type: ignore[attr-defined, arg-type]
    console.print(
        f"Plain NumPy to the end at N={total:,}, V={size:,}: {spent.cpu:.0f} s CPU ({spent.wall:.0f} wall), lazy {lazy.cpu:.1f} "
        f"({lazy.wall:.1f}): {spent.cpu / lazy.cpu:.0f} times. Its float32 sequence differs from the canonical one at {differ} "
        f"places, {'the same set' if same else 'another set'}.\n",
        highlight=False,
    )


def growth(real: np.ndarray, totals: list[int], sizes: list[int]) -> None:
    table = Table(title="Growth of the lazy traversal, CPU seconds of one thread")
    for column in ("N", "V", "CPU s"):
        table.add_column(column, justify="right")
    exponents = []
    for name, cases in (
        ("N", [(total, sizes[1]) for total in totals]),
        ("V", [(totals[-2], size) for size in sizes]),
    ):
        spent = []
        for total, size in cases:
            points = Points(subset(real, total))
            taken, _ = timed(lambda: farthest_first(points, size, threads=1))  # noqa: B023
            spent.append(taken.cpu)
            table.add_row(f"{total:,}", f"{size:,}", f"{taken.cpu:.2f}")
        sides = [case[0] if name == "N" else case[1] for case in cases]
        slope = np.polyfit(np.log(sides), np.log(spent), 1)[0]
        exponents.append(f"{name}^{slope:.2f}")
        table.add_section()
    console.print(table)
    console.print(f"cost ~ {' * '.join(exponents)} (plain: N^1 * V^1)\n", highlight=False)


# --- activation -----------------------------------------------------------------------------------------------------


def numpy_activation(spans: np.ndarray, centers: np.ndarray, radii: np.ndarray, k: int) -> list[set[int]]:
    found = []
    for top in range(0, len(spans), 256):
        block = spans[top : top + 256] @ centers.T
        block[block < 1 - radii] = -np.inf
        best = np.argpartition(block, -k, axis=1)[:, -k:]
        for row, columns in enumerate(best):
            found.append({int(c) for c in columns if block[row, c] > -np.inf})
    return found


def faiss_activation(index: object, spans: np.ndarray, radii: np.ndarray, k: int, wide: int) -> list[set[int]]:
    similarities, numbers = index.search(spans, wide)  # type: ignore[attr-defined]
    covered = similarities >= 1 - radii[numbers]
    kept = covered & (np.cumsum(covered, axis=1) <= k)
    return [set(numbers[row, kept[row]].tolist()) for row in range(len(spans))]


def compare_activation(real: np.ndarray, sizes: list[int], chosen_from: int, spans: int, repeats: int) -> None:
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
            "ours (int16 screen, exact)": lambda: _sets(activate(vectors, vocabulary, ActivationConfig()).centers),  # noqa: B023
        }
        slow = vectors[: max(256, spans // 16)]
        try:
            import faiss

            faiss.omp_set_num_threads(1)
            index = faiss.IndexFlatIP(DIMENSION)
            index.add(vocabulary.centers)
            systems["FAISS IndexFlatIP k=32 + filter"] = lambda: faiss_activation(index, vectors, radii, 5, 32)  # noqa: B023
        except ImportError:
            console.print("  FAISS is not installed (extra [bench]): left out", highlight=False)
        systems["NumPy GEMM + argpartition"] = lambda: numpy_activation(slow, vocabulary.centers, radii, 5)  # noqa: B023
        times: dict[str, list[Time]] = {name: [] for name in systems}
        results: dict[str, list[set[int]]] = {}
        for _ in range(repeats):  # interleaved
            for name, run in systems.items():
                spent, result = timed(run)
                times[name].append(spent)
                results[name] = result  # type: ignore[assignment]
        ours = results["ours (int16 screen, exact)"]
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


def _sets(centers: np.ndarray) -> list[set[int]]:
    return [set(row[row >= 0].tolist()) for row in centers]


# --- the paper's scale ----------------------------------------------------------------------------------------------


def large(real: np.ndarray, total: int, size: int, cache: Path) -> None:
    points = Points(enlarged(real, total, cache))
    state = cache / f"large-{total}-{size}"
    state.mkdir(exist_ok=True)
    if any(state.iterdir()):
        console.print(
            "  taken up from an earlier run: the times below are those of the rest of the work", highlight=False
        )
    chosen, found = timed(lambda: farthest_first(points, size, checkpoint=state / "traversal.npz"))
    console.print(
        f"N={total:,}, V={size:,} on {os.cpu_count()} cores: traversal {chosen.wall:,.0f} s wall, {chosen.cpu:,.0f} s CPU, "
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB (mapped pages included)",
        highlight=False,
    )
    sizes = [size * part // 5 for part in range(1, 6)]
    centers = Centers.of(points.rows(found.rows))  # type: ignore[attr-defined]
    assigned, cells = timed(lambda: nearest_centers(points, centers, sizes=sizes, checkpoint=state / "cells.bin"))
    medians = {s: float(np.median(measure_cells(a, s, 99.0).radii)) for s, a in cells.items()}  # type: ignore[attr-defined]
    console.print(
        f"  nearest centers and radii for V = {', '.join(f'{s:,}' for s in sizes)} in one pass: {assigned.wall:,.0f} s wall, "
        f"{assigned.cpu:,.0f} s CPU; peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB\n"
        f"  median radii: {json.dumps({s: round(r, 4) for s, r in medians.items()})}\n"
        f"  of the {total:,} points {min(len(real), total):,} are real token embeddings, the rest copies of them with noise (cosine 0.9)",
        highlight=False,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, nargs="+", help="patents or texts to encode, in any format that is read")
    parser.add_argument("--cache", type=Path, default=Path("benchmark-cache"), help="where embeddings are kept")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, on the demo collection unless texts are given"
    )
    parser.add_argument("--only", choices=["traversal", "plain", "growth", "activation", "large"], nargs="+")
    parser.add_argument("--large", action="store_true", help="the paper's scale as well")
    parser.add_argument("--large-points", type=int, default=5_000_000)
    parser.add_argument("--large-size", type=int, default=50_000)
    arguments = parser.parse_args()
    texts = arguments.texts
    if texts is None:
        import sparse_coverage

        texts = [Path(sparse_coverage.__file__).parent / "demo" / "collection"]
        if not arguments.quick:
            parser.error("give --texts, or --quick for the demo collection")
    real = embeddings(texts, arguments.cache)
    console.print(
        f"{len(real):,} real token embeddings, d={DIMENSION}; {os.cpu_count()} cores, NumPy {np.__version__}\n"
    )
    farthest_first(np.ascontiguousarray(real[:2000]), 50, threads=1)  # compile before measuring
    if arguments.quick:
        half = len(real) // 2
        tasks: dict[str, Callable[[], None]] = {
            "traversal": lambda: compare_traversals(real, [(half, min(1000, half // 10))], 20, 1),
            "growth": lambda: growth(real, [half // 4, half // 2, half], [half // 80, half // 40, half // 20]),
            "activation": lambda: compare_activation(real, [min(1000, half // 10)], half, 1024, 3),
        }
    else:
        tasks = {
            "traversal": lambda: compare_traversals(real, [(200_000, 10_000), (1_000_000, 10_000)], 60, 3),
            "plain": lambda: full_plain(real, 200_000, 10_000),
            "growth": lambda: growth(real, [100_000, 200_000, 400_000, 800_000], [2_500, 5_000, 10_000, 20_000]),
            "activation": lambda: compare_activation(real, [10_000, 50_000], min(len(real), 400_000), 8192, 5),
        }
    if arguments.large or "large" in (arguments.only or ()):
        tasks["large"] = lambda: large(real, arguments.large_points, arguments.large_size, arguments.cache)
    for name, task in tasks.items():
        if not arguments.only or name in arguments.only:
            task()
    return 0


if __name__ == "__main__":
    sys.exit(main())
