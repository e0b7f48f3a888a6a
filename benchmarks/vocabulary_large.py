"""The paper's scale, five million points and 50,000 centers: a part of `vocabulary.py`."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
from vocabulary_common import Claim, console, enlarged, timed

from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.nearest import measure_cells, nearest_centers
from sparse_coverage.vocabulary.points import Centers, Points


class Peak:
    """The most memory of its own (mapped files left out) that this process held while it was watched."""

    def __enter__(self) -> Peak:
        self.gib = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        status = Path("/proc/self/status")
        while status.exists() and not self._over.wait(0.2):
            lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
            self.gib = max(self.gib, int(lines["RssAnon"].split()[0]) / 2**20)


def large_alone(arguments: argparse.Namespace) -> list[Claim]:
    """Run the large case in a process of its own, so that its memory is its own."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "claims.json"
        options = [
            "--cache",
            arguments.cache,
            "--large-points",
            arguments.large_points,
            "--large-size",
            arguments.large_size,
        ]
        command = [
            sys.executable,
            Path(__file__).with_name("vocabulary.py"),
            "--large-here",
            "--json",
            result,
            *options,
        ]
        subprocess.run([str(part) for part in command], check=True)
        return [Claim(**claim) for claim in json.loads(result.read_text(encoding="utf-8"))["claims"]]


def large(real: np.ndarray, total: int, size: int, cache: Path) -> list[Claim]:
    points = Points(enlarged(real, total, cache))
    state = cache / f"large-{total}-{size}"
    state.mkdir(exist_ok=True)
    resumed = any(state.iterdir())
    if resumed:
        console.print(
            "  taken up from an earlier run: the times below are those of the rest of the work", highlight=False
        )
    with Peak() as peak:
        chosen, found = timed(lambda: farthest_first(points, size, checkpoint=state / "traversal.npz"))
    console.print(
        f"N={total:,}, V={size:,} on {os.cpu_count()} cores: traversal {chosen.wall:,.0f} s wall, {chosen.cpu:,.0f} s CPU, "
        f"peak memory {peak.gib:.2f} GiB, {_mapped_too():.2f} with mapped pages",
        highlight=False,
    )
    sizes = [size * part // 5 for part in range(1, 6)]
    centers = Centers.of(points.rows(found.rows))
    with Peak() as later:
        assigned, cells = timed(lambda: nearest_centers(points, centers, sizes=sizes, checkpoint=state / "cells.bin"))
    medians = {s: float(np.median(measure_cells(a, s, 99.0).radii)) for s, a in cells.items()}
    console.print(
        f"  nearest centers and radii for V = {', '.join(f'{s:,}' for s in sizes)} in one pass: {assigned.wall:,.0f} s wall, "
        f"{assigned.cpu:,.0f} s CPU; peak memory {later.gib:.2f} GiB, {_mapped_too():.2f} with mapped pages\n"
        f"  median radii: {json.dumps({s: round(r, 4) for s, r in medians.items()})}\n"
        f"  of the {total:,} points {min(len(real), total):,} are real token embeddings, the rest copies of them with noise (cosine 0.9)\n",
        highlight=False,
    )
    case, hours = f"N={total:,}, V={size:,}", (chosen.wall + assigned.wall) / 3600
    rest = " (the rest of an earlier run)" if resumed else ""
    return [
        Claim(f"{case}: traversal and radii to the end{rest}", "< 2 hours", f"{hours:.2f} hours wall", hours < 2),
        Claim(
            f"{case}: peak memory, mapped pages included", "< 24 GiB", f"{_mapped_too():.1f} GiB", _mapped_too() < 24
        ),
    ]


def _mapped_too() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
