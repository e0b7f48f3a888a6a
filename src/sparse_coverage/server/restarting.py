"""Starts the process that answers again when it dies, whatever killed it."""

from __future__ import annotations

import logging

from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

logger = logging.getLogger("sparse_coverage.server")


class Restarting(Multiprocess):
    """Looks only whether its processes live. One that is slow to answer is left alone: it may have much to do."""

    def keep_subprocess_alive(self) -> None:
        """Start processes again that have died."""
        for place, process in enumerate(self.processes):
            if self.should_exit.is_set() or process.process.is_alive():
                continue
            if process.exitcode == STARTUP_FAILURE:  # it would fail in the same way each time
                self.should_exit.set()
                return
            logger.error("The process that answers died (exit status %s) and is started again.", process.exitcode)
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()
