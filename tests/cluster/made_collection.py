"""A small invented collection in several files, and ways to compare folders and to find the workers of a cluster."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sparse_coverage import Sampling, Selection

FIT: dict[str, Any] = {"size": 300, "sizes": [50], "max_documents": 400, "max_spans": 12_000, "seed": 5}
"""As the cluster takes it; `FIT_HERE` is the same for one machine."""
FIT_HERE: dict[str, Any] = {
    "size": 300, "selection": Selection(sizes=[50]), "sampling": Sampling(400, 12_000), "seed": 5
}  # fmt: skip
T = TypeVar("T")
WORDS = "the a of valve spring plunger sensor pump housing claim wherein comprising method device noise rubber . , ;".split()


def patiently(start: Callable[[], T]) -> T:
    """Start a node, again if need be: Ray gives its agent 15 seconds, whatever else the machine has to do."""
    for _ in range(4):
        try:
            return start()
        except Exception as error:
            late = error
    raise late


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
    """Return all files of a model or an index; the lock of a writer is no content.

    A local build commits what it has now and then, a cluster once: how often, and what segments are called for it, is left out.
    """
    if not (folder / "manifest.json").exists():
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    places = {entry["name"]: f"segment-{place}" for place, entry in enumerate(manifest["segments"])}
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in ("write.lock", "manifest.json"):
            found["/".join(places.get(part, part) for part in path.relative_to(folder).parts)] = path.read_bytes()
    same = {name: value for name, value in manifest.items() if name not in ("generation", "sha256")}
    same["segments"] = [{**entry, "name": places[entry["name"]]} for entry in manifest["segments"]]
    return {**found, "manifest.json": json.dumps(same, sort_keys=True).encode()}


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
