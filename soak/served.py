"""The server of a soak: `sparse-coverage serve` as a user starts it, killed and started again, its memory and files watched."""

from __future__ import annotations

import itertools
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
from pace import Pace
from tally import Tally

_READY_WITHIN = 120.0
_LONG = 60
"""A process that lived for fewer seconds is not measured: it may still have been filling its caches."""


@dataclass
class Life:
    """What one process that answers took: (seconds since it began, MiB of memory, open files)."""

    pid: int
    begun: float
    taken: list[tuple[float, float, int]] = field(default_factory=list)

    def ends(self) -> tuple[tuple[float, int], tuple[float, int]] | None:
        """Return memory and files after half of its life, when it is warm on any machine, and at its end: medians of a quarter."""
        if len(self.taken) < _LONG:
            return None
        part = len(self.taken) // 4
        first, last = self.taken[2 * part : 3 * part], self.taken[3 * part :]
        return tuple(  # type: ignore[return-value]
            (statistics.median(one[1] for one in some), round(statistics.median(one[2] for one in some)))
            for some in (first, last)
        )

    def tenths(self) -> list[tuple[float, float, int]]:
        """Return the middle of what it took in each tenth of its life, at the end of that tenth."""
        cuts = [len(self.taken) * place // 10 for place in range(11)]
        return [
            (some[-1][0], statistics.median(one[1] for one in some), round(statistics.median(one[2] for one in some)))
            for begin, end in itertools.pairwise(cuts)
            if (some := self.taken[begin:end])
        ]


class Served:
    """A running server."""

    def __init__(
        self,
        index: Path,
        projects: Path,
        calibration: Path,
        log: Path,
        tally: Tally,
        pace: Pace,
        *others: Path,
        files: int | None = None,
    ) -> None:
        """`others` are further indexes, `files` is how many files each of its processes may have open."""
        served = map(str, (index, *others))
        self._limit = None if files is None else partial(resource.setrlimit, resource.RLIMIT_NOFILE, (files, files))
        self._command = [
            *(sys.executable, "-m", "sparse_coverage", "serve", *served, "--projects", str(projects)),
            *("--calibration", str(calibration), "--allow-changes", "--no-browser", "--concurrency", "2"),
        ]
        self._log, self._tally, self._pace = log, tally, pace
        self.port = 0
        self.lives: list[Life] = []
        self.down_until = 0.0
        """Until this moment, or later, a request may find nobody (monotonic)."""
        self._stopped = threading.Event()
        self.start()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> bool:
        """Start it, on the port that it had; return whether it came to answer, else it ended."""
        self.down_until = float("inf")
        self._from = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, "--port", str(self.port)], stdout=log, stderr=log,
                start_new_session=True, preexec_fn=self._limit,  # before any thread is in the way
            )  # fmt: skip
        ready = self.wait()
        self.down_until = time.monotonic() + 1
        return ready

    def wait(self) -> bool:
        """Wait until it answers, or has ended; return whether it answers."""
        begun = time.monotonic()
        while time.monotonic() < begun + _READY_WITHIN * self._pace.factor:
            if self._process.poll() is not None:
                return False
            found = re.search(r"at http://127\.0\.0\.1:(\d+)/", self.said())
            if found or self.port:
                self.port = int(found[1]) if found else self.port
                try:
                    if httpx.get(f"{self.address}/v1/health", timeout=5).status_code == 200:
                        return True
                except httpx.TransportError:
                    pass
            time.sleep(0.05)
        self._tally.violation(f"the server was not ready after {time.monotonic() - begun:.0f} s: {self.said()[-2000:]}")
        return False

    def said(self) -> str:
        """What it printed since its last start."""
        return self._log.read_bytes()[self._from :].decode(errors="replace")

    def all_said(self) -> str:
        """What all of them printed."""
        return self._log.read_text(errors="replace")

    @property
    def ended(self) -> bool:
        """Whether it ended, of itself or killed."""
        return self._process.poll() is not None

    def worker(self) -> int | None:
        """Return the process that answers: the child with the socket."""
        try:
            own = self._process.pid
            children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="utf-8").split()
            found = [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        except OSError:
            return None
        return found[0] if found else None

    def kill_worker(self) -> bool:
        """Kill the process that answers, and wait until the next one does; return whether there was one."""
        pid = self.worker()
        if pid is None:
            return False
        self.down_until = float("inf")
        os.kill(pid, signal.SIGKILL)
        self.wait()
        self.down_until = time.monotonic() + 1
        return True

    def kill(self) -> None:
        """Kill all of it."""
        self.down_until = float("inf")
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(60)

    def stop(self) -> int:
        """End it as a user does; return its exit status."""
        self._stopped.set()
        self.down_until = float("inf")
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                return self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._tally.violation("the server did not end within 60 s")
                self.kill()
        return self._process.returncode

    def _watch(self) -> None:
        while not self._stopped.wait(1.0):
            pid = self.worker()
            if pid is None:
                continue
            if not self.lives or self.lives[-1].pid != pid:
                self.lives.append(Life(pid, time.monotonic()))
            try:
                status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
                memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]
                files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            except (OSError, TypeError):
                continue
            life = self.lives[-1]
            life.taken.append((time.monotonic() - life.begun, memory, files))
