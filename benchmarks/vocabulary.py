"""Farthest-first and activation beside their plain and well-known peers, on real token embeddings.

    python benchmarks/vocabulary.py --texts patents/ --cache embeddings                 everything
    python benchmarks/vocabulary.py --quick                                             a minute, on the demo collection

CPU seconds of one thread (wall time beside them), alternatives interleaved, medians. The machine may be busy: trust ratios.
At the end stands what was wanted beside what was measured; the exit status says whether all of it was reached.
Plain NumPy costs the same at every step, so where it would take too long a stated number of its steps is measured and
multiplied; such figures are marked with ~.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: the peers get the one thread that we get
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import machine
import numpy as np
from rich.table import Table
from vocabulary_activation import compare_activation
from vocabulary_common import DIMENSION, Claim, Time, console, embeddings, subset, timed

from sparse_coverage.vocabulary.farthest_first import Traversal, farthest_first
from sparse_coverage.vocabulary.points import Points
from sparse_coverage.vocabulary.verify import verify_sequence


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


def compare_traversals(real: np.ndarray, cases: list[tuple[int, int, int]], steps: int, repeats: int) -> list[Claim]:
    """Each case is N, V and how many times faster than plain NumPy the lazy traversal is wanted to be."""
    claims = []
    table = Table(title="Farthest-first: lazy (exact) beside plain NumPy, CPU seconds of one thread (wall)")
    for column in ("N", "V", "plain NumPy", "lazy", "times faster", "sequence", "2 threads: wall, sequence"):
        table.add_column(column, justify="right")
    for total, size, wanted in cases:
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
            found = result
        assert found is not None
        step = Time(statistics.median(t.cpu for t in plain), statistics.median(t.wall for t in plain))
        ours = Time(statistics.median(t.cpu for t in lazy), statistics.median(t.wall for t in lazy))
        both, again = timed(lambda: farthest_first(points, size, threads=2))  # noqa: B023
        check = verify_sequence(points, found.rows, found.distances)
        same = np.array_equal(again.rows, found.rows) and np.array_equal(again.distances, found.distances)
        case = f"traversal, N={total:,}, V={size:,}"
        faster = step.cpu * size / ours.cpu
        claims += [
            Claim(f"{case}: times faster than plain NumPy", f">= {wanted}", f"{faster:.1f}", faster >= wanted),
            Claim(f"{case}: the plain sequence", "every step", "every step" if check.holds else "not", check.holds),
            Claim(f"{case}: on 1 and on 2 threads", "same bits", "same bits" if same else "different", bool(same)),
        ]
        table.add_row(
            f"{total:,}",
            f"{size:,}",
            f"~{step.cpu * size:,.0f} (~{step.wall * size:,.0f}), {len(plain)} steps",
            f"{ours.cpu:.1f} ({ours.wall:.1f})",
            f"{faster:.0f}",
            "that of plain" if check.holds else f"WRONG: {check.details}",
            f"{both.wall:.1f}, {'same bits' if same else 'DIFFERENT'}",
        )
    console.print(table)
    console.print(
        "sequence: every step of every point checked against the canonical distance with plain NumPy (verify_sequence).\n",
        highlight=False,
    )
    return claims


def main() -> int:
    names = ["traversal", "activation"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, nargs="+", help="patents or texts to encode, in any format that is read")
    parser.add_argument("--cache", type=Path, default=Path("benchmark-cache"), help="where embeddings are kept")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, on the demo collection unless texts are given"
    )
    parser.add_argument("--only", choices=names, nargs="+", default=names)
    parser.add_argument("--skip", choices=names, nargs="+", default=[])
    parser.add_argument("--json", type=Path, help="write what was wanted and measured into this file")
    arguments = parser.parse_args()
    real = _real(arguments, parser)
    console.print(f"{len(real):,} real token embeddings, d={DIMENSION}; NumPy {np.__version__}; {machine.describe()}\n")
    farthest_first(np.ascontiguousarray(real[:2000]), 50, threads=1)  # compile before measuring
    claims: list[Claim] = []
    for name, task in (_quick(real) if arguments.quick else _whole(real)).items():
        if name in arguments.only and name not in arguments.skip:
            claims += task()
    table = Table("what", "wanted", "measured", "", title="Wanted and measured", title_justify="left")
    for claim in claims:
        table.add_row(claim.what, claim.wanted, claim.measured, "OK" if claim.holds else "[red]FAIL[/red]")
    console.print(table)
    if arguments.json is not None:
        content = {"machine": machine.describe(), "claims": [asdict(claim) for claim in claims]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return 0 if all(claim.holds for claim in claims) else 1


def _real(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> np.ndarray:
    texts = arguments.texts
    if texts is None:
        import sparse_coverage

        if not arguments.quick and not (arguments.cache / "tokens.f16").exists():
            parser.error("give --texts, or --quick for the demo collection")
        texts = [Path(sparse_coverage.__file__).parent / "evaluation" / "demo" / "collection"]
    return embeddings(texts, arguments.cache / "quick" if arguments.quick else arguments.cache)


def _quick(real: np.ndarray) -> dict[str, Callable[[], list[Claim]]]:
    """Small sizes: laziness pays little yet, so less is wanted."""
    half = len(real) // 2
    size = min(1000, half // 10)
    return {
        "traversal": lambda: compare_traversals(real, [(half, size, 3)], 20, 1),
        "activation": lambda: compare_activation(real, [size], half, 1024, 3, 1.0),
    }


def _whole(real: np.ndarray) -> dict[str, Callable[[], list[Claim]]]:
    return {
        "traversal": lambda: compare_traversals(real, [(200_000, 10_000, 30), (1_000_000, 10_000, 50)], 60, 3),
        "activation": lambda: compare_activation(real, [10_000, 50_000], min(len(real), 400_000), 8192, 5, 1.5),
    }


if __name__ == "__main__":
    sys.exit(main())
