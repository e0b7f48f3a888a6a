"""Killed before any one of its steps, a writer leaves the last commit: the same changes, cut short at one place after another.

Every seventh step by default; every one with SPARSE_COVERAGE_EVERY_STEP (`make crashes`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from made_up import build, random_document

from sparse_coverage.index import IndexWriter, damaged_files, open_store

STRIDE = 1 if "SPARSE_COVERAGE_EVERY_STEP" in os.environ else 7


def held(folder: Path) -> list[str]:
    store = open_store(folder)
    live = np.concatenate([segment.live_documents for segment in store.segments])
    names = [store.document(number).id for number in np.flatnonzero(live).tolist()]
    store.close()
    return names


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks the process that it kills")
def test_killed_before_any_step_the_last_commit_stays(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "index"
    random = np.random.default_rng(1)
    build(base, [random_document(f"B{number}", random) for number in range(6)])
    before = held(base)
    after = ["B0", "B2", "B4", "B5", "N1", "N2", "B3"]
    shutil.copytree(base, tmp_path / "warm")
    arguments = [sys.executable, str(Path(__file__).parent / "step_worker.py"), str(tmp_path / "warm")]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"

        def run(step: int) -> list[str]:
            assert worker.stdin is not None
            assert worker.stdout is not None
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(base, folder)
            worker.stdin.write(f"{folder} {step}\n")
            worker.stdin.flush()
            said = []
            while (line := worker.stdout.readline()) != "end\n":
                assert line, "the worker is gone"
                said.append(line)
            return said

        steps, opened = json.loads(run(0)[0])
        assert held(folder) == after
        assert steps > 40
        assert "manifest.json" not in opened, "the manifest is only ever put in its place as a whole"
        seen = []
        for step in range(1, steps + 1, STRIDE):
            assert run(step) == []
            assert damaged_files(folder) == []
            seen.append(held(folder))
            IndexWriter.open(folder).close()  # not locked, and what the crash left can be cleared
            named = {segment.entry.name for segment in open_store(folder).segments}
            assert {path.name for path in (folder / "segments").iterdir()} == named
            assert held(folder) == seen[-1]
        worker.stdin.close()
    commits = seen.index(after)
    assert seen == [before] * commits + [after] * (len(seen) - commits), "one moment divides the old state from the new"
    assert 0 < commits < len(seen)
