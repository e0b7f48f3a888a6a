"""Starts the process that answers again when it dies, whatever killed it."""

from __future__ import annotations

import logging
from socket import socket
from time import monotonic

from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

logger = logging.getLogger("sparse_coverage.server")
_SOON, _MOST = 3.0, 5
"""So many deaths, each within so many seconds after the last start, and there is no use in another."""


class Restarting(Multiprocess):
    """Looks only whether its processes live. One that is slow to answer is left alone: it may have much to do."""

    def __init__(self, config: Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self._begun = monotonic()
        self._deaths = 0
        self.failed = False

    def keep_subprocess_alive(self) -> None:
        """Start processes again that have died."""
        for place, process in enumerate(self.processes):
            if self.should_exit.is_set() or process.process.is_alive():
                continue
            if process.exitcode == STARTUP_FAILURE:  # it would fail in the same way each time
                self._give_up()
                return
            self._deaths = self._deaths + 1 if monotonic() - self._begun < _SOON else 1
            self._begun = monotonic()
            if self._deaths > _MOST:
                logger.error("The process that answers died %d times soon after its start. The server ends.", _MOST)
                self._give_up()
                return
            logger.error("The process that answers died (exit status %s) and is started again.", process.exitcode)
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def _give_up(self) -> None:
        self.failed = True
        self.should_exit.set()
