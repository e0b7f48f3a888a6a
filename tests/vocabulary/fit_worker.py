"""Fits that end themselves at a chosen point, for `test_interruption.py`: each a fork of this program, which has all modules loaded.

Each line of standard input holds the arguments of one; how it ended is printed.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hash_encoder import HashEncoder

from sparse_coverage import Sampling, Selection, SparseCoverage, files
from sparse_coverage.vocabulary import farthest_first, nearest, sampler, traversal_state
from sparse_coverage.vocabulary import span_sample as sample

append = nearest._Saved.append
calls = 0


def dying(original: Any, when: int, before: bool = True) -> Any:
    """Kill this process before, or after, a function is called for so many times."""

    def wrapped(*arguments: Any) -> Any:
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
    """In the place of `os`: leaves half of what was written to some files, as a kill in the middle of writing does."""

    def __init__(self, work: Path, pattern: str, when: int) -> None:
        self.work, self.pattern, self.when = work, pattern, when

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def fsync(self, handle: int) -> None:
        global calls
        calls += any(path.stat().st_ino == os.fstat(handle).st_ino for path in self.work.rglob(self.pattern))
        if calls == self.when:
            os.ftruncate(handle, os.fstat(handle).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        os.fsync(handle)


def half_written(self: Any, first: Any, last: Any) -> None:
    """Kill this process in the middle of the third block of cells."""
    global calls
    calls += 1
    if calls == 3:
        with self._path.open("ab") as stream:
            stream.write(b"x" * 100)
        os.kill(os.getpid(), signal.SIGKILL)
    append(self, first, last)


def fit(work: Path, output: Path, point: str, threads: int, limit: int | None) -> None:
    """Fit, with files of at most `limit` bytes, and die at a point."""
    sampler.GROUP_CHARACTERS, farthest_first.SMALLEST_BLOCK, farthest_first.POOL = 3000, 64, 4
    farthest_first.SECONDS_BETWEEN_SAVES, nearest.BLOCKS_PER_SAVE = 0.0, 1
    if limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    if point == "while a shard is written":
        files.os = CutAndDying(work, ".0*.safetensors.partial-*", 4)
    elif point == "while the sample is put together":
        sample.os = CutAndDying(work, "points.f16", 1)
    elif point == "while the traversal is saved":
        files.os = CutAndDying(work, ".traversal-*.partial-*", 2)
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
        texts,
        encoder=HashEncoder(),
        size=150,
        selection=Selection(sizes=[40, 90]),
        sampling=Sampling(max_spans=2000),
        work=work,
        threads=threads,
        seed=7,
        preset="paper",
    )
    model.save(output)


def main() -> None:
    """Fit once, so that compiled code is loaded, then fork for each line."""
    with TemporaryDirectory() as folder:
        fit(Path(folder, "work"), Path(folder, "model"), "", 1, None)
    for line in sys.stdin:
        work, output, point, threads, limit = json.loads(line)
        if (child := os.fork()) == 0:
            status = 1
            try:
                fit(Path(work), Path(output), point, threads, limit)
                status = 0
            except OSError as error:
                status = error.errno or 1
            finally:
                os._exit(status)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
