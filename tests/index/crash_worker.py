"""Changes an index until it is killed. Run by the crash test: one line of input is one life, in a process of its own.

Before each change it prints what the index will hold after it, and `done` once the commit has returned.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
from made_up import CENTERS, KEPT, random_document

from sparse_coverage.index import IndexWriter
from sparse_coverage.index.manifest import MANIFEST, read_manifest


def say(*words: object) -> None:
    print(*words, flush=True)


def live(writer: IndexWriter) -> list[str]:
    return [part.segment.texts.document(n).id for part in writer._parts for n in np.flatnonzero(part.live).tolist()]


def change(folder: Path, random: np.random.Generator) -> None:
    """Begin or go on with a build, or make one random change, and commit it."""
    if not (folder / MANIFEST).exists():
        say("begin", json.dumps([]))
        IndexWriter.create(folder, CENTERS, {}, **KEPT).close()
        return say("done")
    building = not read_manifest(folder).complete
    with IndexWriter.open(folder, memory=int(random.choice([500, 1 << 20]))) as writer:
        there, waiting = live(writer), [document.id for document, _ in writer.waiting()]
        if building and (len(there) < 8 or waiting):
            return build_on(writer, there, waiting, random)
        kind = "add" if len(there) < 4 else str(random.choice(["add", "delete", "replace", "merge"]))
        new = [f"N{random.integers(10**9)}" for _ in range(int(random.integers(1, 6)))] if kind == "add" else []
        old = random.choice(there, size=2, replace=False).tolist() if kind in ("delete", "replace") else []
        after = [name for name in there if name not in old] + (old if kind == "replace" else []) + new
        say("begin", json.dumps(after))
        for name in old if kind == "delete" else []:
            writer.delete(name)
        for name in (old if kind == "replace" else []) + new:
            made = random_document(name, random)
            writer.replace(made.record, made.indexed)
        if kind == "merge":
            writer.merge()
        else:
            writer.commit()
    return say("done")


def build_on(writer: IndexWriter, there: list[str], waiting: list[str], random: np.random.Generator) -> None:
    """Add some words to an index, or encode some of the documents that only have words."""
    if len(there) < 8:
        chosen = [f"N{random.integers(10**9)}" for _ in range(int(random.integers(1, 6)))]
        after = there + chosen
    else:
        chosen = waiting[: int(random.integers(1, 6))]
        after = [name for name in there if name not in chosen] + chosen
    say("begin", json.dumps(after))
    for name in chosen:
        made = random_document(name, random)
        if name in waiting:
            writer.replace(made.record, made.indexed)
        else:
            writer.add_words(made.record, [one.passage for one in made.indexed])
    writer.commit(complete=False)
    say("done")


def main() -> None:
    folder = Path(sys.argv[1])
    # Compile everything before the first fork, so that a life is spent writing.
    warm = folder.parent / "warm"
    for seed in range(12):
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        change(warm, np.random.default_rng(seed))
    sys.stdout = sys.__stdout__
    say("ready")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            random = np.random.default_rng(int(line))
            say("pid", os.getpid())
            while True:
                change(folder, random)
        os.waitpid(child, 0)
        say("dead")


main()
