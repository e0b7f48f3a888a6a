"""Killed at any point and started again, a fit gives the same bits as one that was left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIT = """
import os, signal, sys
from pathlib import Path
import numpy as np
from sparse_coverage import Sampling, Selection, SparseCoverage, files
from hash_encoder import HashEncoder
from sparse_coverage.vocabulary import farthest_first, nearest, traversal_state
from sparse_coverage.vocabulary import sampler
from sparse_coverage.vocabulary import span_sample as sample

work, output, point, threads = sys.argv[1:5]
sampler.GROUP_CHARACTERS, farthest_first.SMALLEST_BLOCK, farthest_first.POOL = 3000, 64, 4
farthest_first.SECONDS_BETWEEN_SAVES, nearest.BLOCKS_PER_SAVE = 0.0, 1
calls = 0

def dying(original, when, before=True):
    def wrapped(*arguments):
        global calls
        calls += 1
        if before and calls >= when:
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments)
        if calls >= when:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return wrapped

class CutAndDying:
    # in the place of `os`: leaves half of what was written to some files, as a kill in the middle of writing does
    def __init__(self, pattern, when):
        self.pattern, self.when = pattern, when
    def __getattr__(self, name):
        return getattr(os, name)
    def fsync(self, handle):
        global calls
        calls += any(path.stat().st_ino == os.fstat(handle).st_ino for path in Path(work).rglob(self.pattern))
        if calls == self.when:
            os.ftruncate(handle, os.fstat(handle).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        os.fsync(handle)

def half_written(self, first, last):
    global calls
    calls += 1
    if calls == 3:
        with self._path.open("ab") as stream:
            stream.write(b"x" * 100)
        os.kill(os.getpid(), signal.SIGKILL)
    append(self, first, last)

append = nearest._Saved.append
if point == "while a shard is written":
    files.os = CutAndDying(".0*.safetensors.partial-*", 4)
elif point == "while the sample is put together":
    sample.os = CutAndDying("points.f16", 1)
elif point == "while the traversal is saved":
    files.os = CutAndDying(".traversal-*.partial-*", 2)
elif point == "before the sample is committed":
    sample.write_json = dying(sample.write_json, 1)
elif point == "before the shards are removed":
    sample.ShardFolder.remove = dying(sample.ShardFolder.remove, 1)
elif point == "during the traversal":
    traversal_state.TraversalState.save = dying(traversal_state.TraversalState.save, 3, before=False)
elif point == "while cells are written":
    nearest._Saved.append = half_written

random = np.random.default_rng(0)
words = "valve spring plunger housing pump sensor noise rubber headset microphone filter seal method device".split()
texts = [" ".join(random.choice(words, random.integers(20, 80))) for _ in range(60)]
model = SparseCoverage.fit(
    texts, encoder=HashEncoder(), size=150, selection=Selection(sizes=[40, 90]), sampling=Sampling(max_spans=2000),
    work=work, threads=int(threads), seed=7,
    preset="paper",
)
model.save(output)
"""
POINTS = [
    "while a shard is written",
    "while the sample is put together",
    "before the sample is committed",
    "before the shards are removed",
    "during the traversal",
    "while the traversal is saved",
    "while cells are written",
]


ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the `work` and the `model` of a fit that was left alone."""
    folder = tmp_path_factory.mktemp("calm")
    assert fit(folder / "work", folder / "model") == 0
    return folder


def fit(work: Path, output: Path, point: str = "", threads: int = 1) -> int:
    arguments = [sys.executable, "-c", FIT, str(work), str(output), point, str(threads)]
    done = subprocess.run(arguments, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, -9), done.stderr
    return done.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_fit_killed_at_every_stage_gives_the_same_bits(calm: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    for point in POINTS:
        assert fit(work, tmp_path / "never", point) == -9, f"not killed {point}"
        assert not (tmp_path / "never").exists()
    assert fit(work, tmp_path / "resumed", threads=2) == 0
    for expected in sorted((calm / "model").iterdir()):
        assert (tmp_path / "resumed" / expected.name).read_bytes() == expected.read_bytes(), expected.name
    assert (work / "points.f16").read_bytes() == (calm / "work" / "points.f16").read_bytes()
    assert not (work / "shards").exists()


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
@pytest.mark.parametrize("limit", [20_000, 60_000])
def test_a_disk_that_is_full_leaves_nothing_broken(calm: Path, tmp_path: Path, limit: int) -> None:
    """A write that fails in the middle (here: a limit on file sizes) is an error; with space again, the run goes on."""
    work, output = tmp_path / "work", tmp_path / "model"
    arguments = [str(work), str(output), "", "1"]
    failed = subprocess.run(
        [sys.executable, "-c", LIMITED + FIT, str(limit), *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert failed.returncode == 1
    assert "OSError" in failed.stderr
    assert not output.exists()
    assert not list(work.rglob("*.partial*"))
    assert fit(work, output) == 0
    for expected in sorted((calm / "model").iterdir()):
        assert (output / expected.name).read_bytes() == expected.read_bytes(), expected.name
