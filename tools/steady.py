"""Run the tests again and again, with several numbers of workers and in orders drawn by chance, and see that every run passes.

    python tools/steady.py --times 10 --workers 1 2 4

Arguments after `--` go to pytest, such as the tests to run. Every line tells how to repeat its run. The first run keeps the usual order.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Run, and tell how many runs passed. Returns 1 if one did not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10, help="how many runs (10)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="how many workers, by turns (1 2 4)")
    parser.add_argument(
        "--seed", type=int, help="the seed of the second run's order; those after it follow (by chance)"
    )
    parser.add_argument("--folder", type=Path, default=Path(), help="the folder of the tests (this one)")
    parser.add_argument("arguments", nargs="*", help="arguments of pytest, after --")
    wishes = parser.parse_args()
    first = secrets.randbelow(2**31) if wishes.seed is None else wishes.seed
    failed = 0
    for run in range(wishes.times):
        arguments = ["-n", str(wishes.workers[run % len(wishes.workers)])]
        if run:
            arguments += ["--order-seed", str(first + run - 1)]
        failed += not passes([*arguments, *wishes.arguments], wishes.folder)
    print(f"{wishes.times - failed} of {wishes.times} runs passed")
    return int(failed > 0)


def passes(arguments: list[str], folder: Path) -> bool:
    """Run pytest once; print what it was asked, what it took and what failed."""
    begin, used = time.monotonic(), sum(os.times()[2:4])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True, check=False
    )
    seconds, cpu = time.monotonic() - begin, sum(os.times()[2:4]) - used
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["nothing was printed"]
    print(f"pytest {' '.join(arguments)}: {lines[-1].strip('= ')}; {seconds:.0f} s, {cpu:.0f} CPU s", flush=True)
    for line in re.findall(r"^(?:FAILED|ERROR).*", f"{done.stdout}\n{done.stderr}", re.MULTILINE):
        print(f"    {line}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
