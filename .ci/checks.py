"""Every check, on a fresh machine: .ci/run, or .ci/run STEP ... for some of them. Each step is a script in .ci/steps.

Steps of one phase run side by side, as many as there are cores, each in an environment that none of them changes. What a step
printed is shown when it ends; a failed one does not stop the others. The last lines tell what each took.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".ci-work"  # everything a step makes beside .venv, removed at the end
PHASES = [
    ["set-up"],
    ["tests", "environments"],
    ["encoder"],
    [
        "late-interaction",
        "release",
        "engines",
        "browser",
        "cluster",
        "soak",
        "formats",
        "lowest",
        "documentation",
        "torch",
        "lint",
        "uv",
    ],
]
MINUTES = 40  # a step that takes longer hangs, also on a busy machine


class Done(NamedTuple):
    """How a step ended."""

    step: str
    status: int
    seconds: float
    cpu: float


def run(step: str) -> Done:
    """Run one step, its output into a file that is shown when it ends."""
    print(f"-- {step} begins", flush=True)
    log, begin = WORK / f"{step}.log", time.monotonic()
    told = {**os.environ, "SPARSE_COVERAGE_TESTS_RUN": str(WORK / "tests-run")}
    with log.open("wb") as out:
        command = ["bash", "-euo", "pipefail", ROOT / ".ci" / "steps" / step]
        process = subprocess.Popen(
            command, cwd=ROOT, env=told, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        overdue = threading.Timer(MINUTES * 60, os.killpg, (process.pid, signal.SIGKILL))
        overdue.start()
        _, status, used = os.wait4(process.pid, 0)
        overdue.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    done = Done(step, process.returncode, time.monotonic() - begin, used.ru_utime + used.ru_stime)
    text = log.read_text(encoding="utf-8", errors="replace")
    print(f"\n== {step}: {'passed' if done.status == 0 else 'FAILED'} in {done.seconds:.0f} s\n{text}", flush=True)
    return done


def run_nowhere(account: Path) -> list[str]:
    """The tests, and the files of tests, that some step left out and no step ran: each process told it (conftest.py)."""
    told = [json.loads(path.read_text(encoding="utf-8")) for path in account.glob("*.json")]
    ran = {test for one in told for test in one["ran"]}
    ran |= {test.partition("::")[0] for test in ran}
    return sorted({test for one in told for test in one["left out"]} - ran)


def main(chosen: list[str]) -> int:
    """Run the steps, all or those that are named, and tell what each took."""
    steps = [step for phase in PHASES for step in phase]
    if unknown := sorted(set(chosen) - set(steps)):
        print(f"There is no step {', '.join(unknown)}; there are: {', '.join(steps)}", file=sys.stderr)
        return 2
    account = WORK / "tests-run"
    if not chosen:
        shutil.rmtree(account, ignore_errors=True)
    account.mkdir(parents=True, exist_ok=True)
    begin, done = time.monotonic(), list[Done]()
    for phase in PHASES:
        steps = [step for step in phase if step in chosen or not chosen]
        with ThreadPoolExecutor(os.cpu_count()) as cores:
            done += cores.map(run, steps)
        if "set-up" in phase and any(step.status for step in done):
            break
    print(f"{'step':<18} {'seconds':>8} {'CPU':>6}")
    for step in done:
        print(f"{step.step:<18} {step.seconds:>8.0f} {step.cpu:>6.0f}{'' if step.status == 0 else '  FAILED'}")
    print(f"{'in all':<18} {time.monotonic() - begin:>8.0f} {sum(step.cpu for step in done):>6.0f}")
    failed = any(step.status for step in done)
    if not chosen and not failed and (tests := run_nowhere(account)):
        print("These tests are run by no step:", *tests, sep="\n    ")
        failed = True
    if not failed and not chosen:
        shutil.rmtree(WORK)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
