"""What `server.py` measures with: an index of many passages, claims, clients, a server and its peer on this machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from qdrant_server import Node

from sparse_coverage import Index, Patent, SparseCoverage, load_encoder, read_patents
from sparse_coverage.evaluation.demo import demo_patents
from sparse_coverage.index.postings import WEIGHT_SCALE
from sparse_coverage.progress import tracked

COLLECTION = "passages"
_UPLOADED = 500


def build(folder: Path, passages: int, patents: Path | None) -> Index:
    """Index patents again and again under ids of their own, until there are so many passages. Equal ones are encoded once."""
    if (folder / "manifest.json").exists():
        return Index.open(folder)
    own = list(demo_patents() if patents is None else read_patents(patents, on_problem=lambda problem: None))
    model = SparseCoverage.fit(own, encoder=load_encoder())
    small = Index.build(folder.with_name(f"{folder.name}-once"), model, own)
    copies = -(-passages // len(small))

    def every() -> Iterator[Patent]:
        for copy in range(copies):
            for patent in own:
                yield replace(patent, id=f"{patent.id}.{copy}", family="", family_members=())

    return Index.build(folder, model, every(), total=copies * len(own))


def claims(index: Index, words: int, count: int) -> list[str]:
    """Texts of so many words, all different, made of the words of passages."""
    store = index.store
    every: list[str] = []
    number = 0
    while len(every) < words + 7 * count:
        every += store.passage(number % store.size).text.split()
        number += 1
    return [" ".join(every[7 * place : 7 * place + words]) for place in range(count)]


@dataclass
class Load:
    """What clients saw: seconds of each answer, answers a second, the seconds of CPU that the server took for each, and how often
    each other status came in the place of an answer.
    """

    seconds: list[float]
    rate: float
    cpu: float
    other: Counter[int]

    def part(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ask(connection: HTTPConnection, path: str, body: bytes) -> bytes:
    """Return an answer; any other status than 200 is an error."""
    status, content = tell(connection, path, body)
    if status != 200:
        raise RuntimeError(f"{path}: status {status}: {content[:300]!r}")
    return content


def tell(connection: HTTPConnection, path: str, body: bytes) -> tuple[int, bytes]:
    """Return the status and the content of an answer; wait as long as the server says when it is busy."""
    try:
        connection.request("POST", path, body, {"content-type": "application/json"})
        answer = connection.getresponse()
    except (OSError, HTTPException):  # it was idle for too long, and closed
        connection.close()
        connection.request("POST", path, body, {"content-type": "application/json"})
        answer = connection.getresponse()
    content = answer.read()
    if answer.status == 429:
        time.sleep(float(answer.headers["retry-after"]))
    return answer.status, content


def load(address: str, path: str, bodies: Sequence[bytes], clients: int, seconds: float, pids: Sequence[int]) -> Load:
    """Let so many clients ask, each its next question as soon as it has an answer."""
    parts, taken, lock = urlsplit(address), [], threading.Lock()
    until = time.perf_counter() + seconds
    turn = iter(range(10**9))
    other: Counter[int] = Counter()

    def client() -> None:
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        mine: list[float] = []
        while True:
            with lock:
                place = next(turn)
            begun = time.perf_counter()
            if begun > until and mine:
                break
            status, _ = tell(connection, path, bodies[place % len(bodies)])
            if status == 200:
                mine.append(time.perf_counter() - begun)
            else:
                with lock:
                    other[status] += 1
        connection.close()
        with lock:
            taken.extend(mine)

    before, begun = cpu_of(pids), time.perf_counter()
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.perf_counter() - begun
    return Load(taken, len(taken) / passed, (cpu_of(pids) - before) / len(taken), other)


def cpu_of(pids: Sequence[int]) -> float:
    """Seconds of CPU that processes have taken so far."""
    ticks = os.sysconf("SC_CLK_TCK")
    fields = [Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / ticks


def memory_of(pids: Sequence[int]) -> float:
    """Megabytes that processes hold themselves, without the files that they map."""
    texts = [Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in pids]
    return sum(int(re.findall(r"RssAnon:\s+(\d+)", text)[0]) for text in texts) / 1000


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """Run `sparse-coverage serve`; give its address and the process that answers."""
    command = [sys.executable, "-m", "sparse_coverage", "serve", f"bench={folder}", "--port", "0", "--no-browser"]
    source = str(Path(__file__).resolve().parents[1] / "src")
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONPATH": source}
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[3]
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        workers = [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        yield address, workers
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def qdrant(folder: Path, index: Index) -> Iterator[tuple[str, list[int], Callable[[str], bytes]]]:
    """Run Qdrant with the passages of an index; give its address, its process, and what makes a body of a claim."""
    node = Node(folder, clustered=False)
    try:
        node.start()
        parts = urlsplit(node.url)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=600)
        settings = {"sparse_vectors": {"centers": {"index": {"on_disk": False}}}}
        _put(connection, f"/collections/{COLLECTION}", settings)
        for points in tracked(_points(index), "Loading Qdrant", -(-len(index) // _UPLOADED)):
            _put(connection, f"/collections/{COLLECTION}/points?wait=true", {"points": points})
        connection.close()

        def body(claim: str) -> bytes:
            vector = index.model.encode_query(claim)
            worth = index.statistics.worth[vector.centers] * vector.weights
            kept = np.flatnonzero(worth > 0)
            query = {"indices": vector.centers[kept].tolist(), "values": worth[kept].tolist()}
            return json.dumps({"query": query, "using": "centers", "limit": 30, "with_payload": True}).encode()

        assert node._process is not None
        yield node.url, [node._process.pid], body
    finally:
        node.kill()


def _put(connection: HTTPConnection, path: str, body: object) -> None:
    connection.request("PUT", path, json.dumps(body).encode(), {"content-type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {content[:300]!r}")


def _points(index: Index) -> Iterator[list[dict[str, object]]]:
    """Yield the passages as points, weights as the index scores them, text and id as payload."""
    for segment in index.store.segments:
        offsets = segment.postings.offsets.astype(np.int64)
        packed = segment.postings.packed
        centers = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        passages, weights = packed >> 16, (packed & 0xFFFF) / WEIGHT_SCALE
        order = np.argsort(passages, kind="stable")
        bounds = np.searchsorted(passages[order], np.arange(len(segment) + 1))
        norms = index.statistics.norms(segment)
        for first in range(0, len(segment), _UPLOADED):
            last = min(first + _UPLOADED, len(segment))
            points = []
            for number, record in enumerate(segment.texts.passages_between(first, last), first):
                mine = order[bounds[number] : bounds[number + 1]]
                vector = {"indices": centers[mine].tolist(), "values": (weights[mine] * norms[number]).tolist()}
                payload = {"id": record.id, "document": record.document, "text": record.text}
                points.append({"id": segment.first_passage + number, "vector": {"centers": vector}, "payload": payload})
            yield points
