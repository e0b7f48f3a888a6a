"""Killed at any moment, an index holds its last commit: nothing more, nothing less, nothing damaged, nothing locked.

6 lives by default; SPARSE_COVERAGE_CRASHES sets another number (`make crashes`: 200).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage.index import IndexWriter, damaged_files, open_store

CRASHES = int(os.environ.get("SPARSE_COVERAGE_CRASHES", "6"))


def ids(folder: Path) -> list[str]:
    store = open_store(folder, unfinished=True)
    try:
        for segment in store.segments:
            segment.packed.check_all()
            segment.spans.check_all()
        return [
            segment.texts.document(number).id
            for segment in store.segments
            for number in np.flatnonzero(segment.live_documents).tolist()
        ]
    finally:
        store.close()


@dataclass
class Story:
    """What the worker said: the state it committed last, the one it is about to commit, and how long changes take."""

    committed: list[str] | None = None
    begun: list[str] | None = None
    commits: int = 0
    usual: float = 0.02
    since: float = 0.0

    def hear(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "begin":
            self.begun, self.since = json.loads(rest), time.monotonic()
        elif word.strip() == "done":
            self.committed, self.begun, self.commits = self.begun, None, self.commits + 1
            self.usual = 0.8 * self.usual + 0.2 * (time.monotonic() - self.since)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks the process that it kills")
def test_killed_at_any_moment_the_last_commit_stays(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    random = np.random.default_rng(0)
    arguments = [sys.executable, str(Path(__file__).parent / "crash_worker.py"), str(folder)]
    story, kills_within_a_change = Story(), 0
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        for life in range(CRASHES):
            worker.stdin.write(f"{life}\n")
            worker.stdin.flush()
            pid = int(worker.stdout.readline().split()[1])
            # Let some changes pass, then strike at a random moment of one, however long they take on this machine.
            enough = story.commits + int(random.integers(0, 3))
            while story.commits < enough or story.begun is None:
                story.hear(worker.stdout.readline())
            time.sleep(float(random.uniform(0, story.usual)))
            os.kill(pid, signal.SIGKILL)
            while (line := worker.stdout.readline()) != "dead\n":
                story.hear(line)
            kills_within_a_change += story.begun is not None
            if (folder / "manifest.json").exists():
                assert damaged_files(folder) == []
                now = ids(folder)
                assert now in (story.committed, story.begun)
                IndexWriter.open(folder).close()  # not locked, and the leftovers of the crash can be cleared
                named = {segment.entry.name for segment in open_store(folder, unfinished=True).segments}
                assert {path.name for path in (folder / "segments").glob("*")} == named
                story.committed = now
            else:
                assert story.committed is None
            story.begun = None
        worker.stdin.close()
    assert story.commits, "nothing was written: the test proves nothing"
    if CRASHES >= 100:  # of a few, none may have hit on a busy machine; `test_index_crash_steps` strikes at every step
        assert kills_within_a_change > CRASHES / 4, "hardly any kill fell into a change: the test proves nothing"
