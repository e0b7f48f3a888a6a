"""A server in a process of its own, which can be killed and started again on the same projects."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
from waiting import SECONDS


class Running:
    """`sparse-coverage serve` on a free port. `stop` ends it as Ctrl-C does, `kill` as kill -9."""

    def __init__(
        self, made: Path, projects: Path | None, environment: dict[str, str], log: Path, *options: str
    ) -> None:
        self._command = [
            *(sys.executable, "-m", "sparse_coverage", "serve", str(made / "devices")),
            *("--calibration", str(made / "calibration.json"), "--no-browser"),
            *(("--projects", str(projects)) if projects else ()),
            *options,
        ]
        self._environment = environment
        self._log = log
        self.port = 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, on the port that it had before, and wait until it answers."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*self._command, "--port", str(self.port)],
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # so that it can be killed with the process that does its work
            )
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            told = self._log.read_text(errors="replace")
            found = re.search(r"at http://127\.0\.0\.1:(\d+)/", told)
            assert self._process.poll() is None, told
            if found:
                self.port = int(found[1])
                try:
                    if httpx.get(f"{self.address}/v1/ready", timeout=SECONDS).status_code == 200:
                        return
                except httpx.TransportError:
                    pass
            time.sleep(0.05)
        raise AssertionError(self._log.read_text(errors="replace"))

    def stop(self) -> None:
        """End it as a user does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(SECONDS)

    def kill(self) -> None:
        """End it at once."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(SECONDS)
