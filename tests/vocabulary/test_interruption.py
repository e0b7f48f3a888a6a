"""Killed at any point and started again, a fit gives the same bits as one that was left alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="there is no SIGKILL, and no limit on file sizes")

POINTS = [
    "while a shard is written",
    "while the sample is put together",
    "before the sample is committed",
    "before the shards are removed",
    "during the traversal",
    "while the traversal is saved",
    "while cells are written",
]


Fit = Callable[..., int]


@pytest.fixture(scope="module")
def fit() -> Iterator[Fit]:
    """Fits in a process of its own, and returns how it ended."""
    command = [sys.executable, str(Path(__file__).with_name("fit_worker.py"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None

        def call(work: Path, output: Path, point: str = "", threads: int = 1, limit: int | None = None) -> int:
            print(json.dumps([str(work), str(output), point, threads, limit]), file=worker.stdin, flush=True)
            return int(worker.stdout.readline())

        yield call
        worker.stdin.close()


@pytest.fixture(scope="module")
def calm(fit: Fit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the `work` and the `model` of a fit that was left alone."""
    folder = tmp_path_factory.mktemp("calm")
    assert fit(folder / "work", folder / "model") == 0
    return folder


def test_a_fit_killed_at_every_stage_gives_the_same_bits(fit: Fit, calm: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    for point in POINTS:
        assert fit(work, tmp_path / "never", point) == -9, f"not killed {point}"
        assert not (tmp_path / "never").exists()
    assert fit(work, tmp_path / "resumed", threads=2) == 0
    for expected in sorted((calm / "model").iterdir()):
        assert (tmp_path / "resumed" / expected.name).read_bytes() == expected.read_bytes(), expected.name
    assert (work / "points.f16").read_bytes() == (calm / "work" / "points.f16").read_bytes()
    assert not (work / "shards").exists()


@pytest.mark.parametrize("limit", [20_000, 60_000])
def test_a_disk_that_is_full_leaves_nothing_broken(fit: Fit, calm: Path, tmp_path: Path, limit: int) -> None:
    """A write that fails in the middle (here: a limit on file sizes) is an error; with space again, the run goes on."""
    work, output = tmp_path / "work", tmp_path / "model"
    assert fit(work, output, limit=limit) == errno.EFBIG
    assert not output.exists()
    assert not list(work.rglob("*.partial*"))
    assert fit(work, output) == 0
    for expected in sorted((calm / "model").iterdir()):
        assert (output / expected.name).read_bytes() == expected.read_bytes(), expected.name
