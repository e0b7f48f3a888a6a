"""Makes the same changes to an index again and again, and dies before a given step. Run by the test of crashes step by step.

A line of input is a folder and the number of the step to die before (0: none). A step is anything Python does to the files of
the folder. The answer is `survived` with the number of steps and the files that were opened for writing, or `dead`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
from made_up import random_document

from sparse_coverage.index import IndexWriter

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "sqlite3.connect"}


def change(folder: Path) -> None:
    random = np.random.default_rng(5)
    with IndexWriter.open(folder, memory=500) as writer:
        writer.delete("B1")
        for name in ("N1", "N2", "B3"):
            made = random_document(name, random, units=3)
            writer.replace(made.record, made.indexed)
        writer.commit()
        writer.merge()


def watch(folder: str, last: int) -> list[str]:
    """Count the steps from now on and die before the one numbered `last`; return where opened files are noted."""
    steps: list[str] = []

    def see(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        if (event in CHANGES or writes) and folder in str(arguments[0]):
            steps.append(str(arguments[0]) if writes else "")
            if len(steps) == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(see)
    return steps


def main() -> None:
    change(Path(sys.argv[1]))  # compile everything before the first fork
    print("ready", flush=True)
    for line in sys.stdin:
        folder, last = line.rsplit(" ", 1)
        child = os.fork()
        if child == 0:
            steps = watch(folder, int(last))
            change(Path(folder))
            print(json.dumps([len(steps), sorted({Path(step).name for step in steps if step})]), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print("end", flush=True)


main()
