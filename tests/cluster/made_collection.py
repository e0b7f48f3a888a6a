"""A small invented collection in several files, and ways to compare folders and to find the workers of a cluster."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np

FIT: dict[str, Any] = {"size": 300, "sizes": [50], "max_documents": 400, "max_spans": 12_000, "seed": 5}
WORDS = "the a of valve spring plunger sensor pump housing claim wherein comprising method device noise rubber . , ;".split()


def write_collection(folder: Path, documents: int, words: int, files: int = 5) -> Path:
    """Write patents of about `words` words each, in words that the tiny encoder knows, with years and families."""
    random = np.random.default_rng(3)
    folder.mkdir(parents=True)
    for part in range(files):
        lines = []
        for number in range(part, documents, files):
            paragraphs = [" ".join(random.choice(WORDS, words // 8)) for _ in range(7)]
            record = {
                "id": f"XX-{number:05d}-A1",
                "title": f"Document {number}",
                "publication_date": f"{1990 + number % 7}-05-04",
            }
            record |= {
                "abstract": paragraphs[0],
                "claims": paragraphs[1:3],
                "description": paragraphs[3:],
                "ipc": ["F16K 1/00"],
            }
            lines.append(json.dumps(record))
        if part == 1:
            lines[1:1] = ["this is no JSON", json.dumps({"id": "XX-EMPTY-A1", "title": ""})]
        (folder / f"part-{part}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder; the lock of a writer is no content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "write.lock"
    }


def workers_doing(what: str) -> list[int]:
    """Return the Ray workers below this process that are at work on something (Ray names them after it)."""
    parents: dict[int, int] = {}
    titles: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
                titles[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    return [pid for pid, title in titles.items() if title.startswith(f"ray::{what}") and _below(pid, parents)]


def kill_one(what: str) -> bool:
    """Kill one of the workers that do something; tell whether there was one."""
    for pid in workers_doing(what):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def _below(pid: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = parents.get(pid, 0)
    return False
