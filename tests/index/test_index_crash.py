"""Killed at any moment, an index holds its last commit: nothing more, nothing less, nothing damaged, nothing locked.

20 lives by default; SPARSE_COVERAGE_CRASHES sets another number (`make soak`: 200).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sparse_coverage.index import IndexWriter, damaged_files, open_store

CRASHES = int(os.environ.get("SPARSE_COVERAGE_CRASHES", "20"))


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks the process that it kills")
def test_killed_at_any_moment_the_last_commit_stays(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    random = np.random.default_rng(0)
    arguments = [sys.executable, str(Path(__file__).parent / "crash_worker.py"), str(folder)]
    commits = kills_within_a_change = 0
    committed: list[str] | None = None
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        longest = 0.15  # seconds until the kill; a busy machine needs more for anything to be written
        for life in range(CRASHES):
            before = commits
            worker.stdin.write(f"{life}\n")
            worker.stdin.flush()
            pid = int(worker.stdout.readline().split()[1])
            time.sleep(float(random.uniform(0, longest)))
            os.kill(pid, signal.SIGKILL)
            begun: list[str] | None = None
            while (line := worker.stdout.readline()) != "dead\n":
                word, _, rest = line.partition(" ")
                if word == "begin":
                    begun = json.loads(rest)
                elif word.strip() == "done":
                    committed, begun, commits = begun, None, commits + 1
            kills_within_a_change += begun is not None
            if commits == before:
                longest = min(2.0, 1.3 * longest)
            if committed is None and begun is None:
                continue
            if not (folder / "manifest.json").exists():
                assert committed is None
                continue
            assert damaged_files(folder) == []
            now = ids(folder)
            assert now in (committed, begun)
            IndexWriter.open(folder).close()  # not locked, and the leftovers of the crash can be cleared
            named = {segment.entry.name for segment in open_store(folder, unfinished=True).segments}
            assert {path.name for path in (folder / "segments").glob("*")} == named
            committed = now
        worker.stdin.close()
    assert commits > CRASHES / 4, "hardly anything was written: the test proves nothing"
    assert kills_within_a_change > CRASHES / 4, "hardly any kill fell into a change: the test proves nothing"
