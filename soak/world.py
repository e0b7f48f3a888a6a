"""What all parts of a soak share: where things lie, what is true, what is counted, and which faults are under way."""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from time import monotonic
from typing import Any

from disk import Disk
from pace import Pace
from served import Served
from tally import Tally
from truth import Ledger, References

BOUND = 45.0
"""No answer may take longer, in seconds, on a machine that has nothing else to do (see `Pace`)."""
AFTER = 2.0
"""A fault may be felt so many seconds after it was mended."""


@dataclass(frozen=True)
class Answer:
    """An answer that is to be compared, and when it was asked for and given."""

    kind: str
    body: dict[str, Any]
    status: int
    content: Any
    begun: float
    ended: float


class Faults:
    """Which faults are under way, or were a moment ago."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def begin(self, name: str) -> None:
        """From now on it may be felt."""
        self._until[name] = float("inf")

    def end(self, name: str) -> None:
        """It is mended."""
        self._until[name] = monotonic() + AFTER

    def felt(self, name: str, since: float) -> bool:
        """Tell whether something that began at a moment may have felt it."""
        return self._until.get(name, 0.0) > since


@dataclass
class World:
    """A soak."""

    index: Path
    projects: Path
    scratch: Path
    clock: Path
    disk: Disk
    server: Served
    ledger: Ledger
    references: References
    tally: Tally
    pace: Pace
    seed: int
    faults: Faults = field(default_factory=Faults)
    answers: Queue[Answer] = field(default_factory=lambda: Queue(100))
    stop: threading.Event = field(default_factory=threading.Event)
    quiet: threading.Lock = field(default_factory=threading.Lock)
    """Held by whoever must be alone with the files of the index."""
    middle: float = 0.0
    """The moment (monotonic) after which the server is killed no more, so that what one process takes over a long time is seen."""
    now: float = 0.0
    """How far the clock is off, in seconds."""

    def jump(self, seconds: float) -> None:
        """Set the clock of all processes of the soak but this one."""
        self.now = seconds
        with self.clock.open("r+b") as file:
            file.write(struct.pack("<d", seconds))

    @property
    def bound(self) -> float:
        """How many seconds an answer may take now."""
        return BOUND * self.pace.factor

    def kills_server(self) -> bool:
        """Tell whether the server may be killed."""
        return monotonic() < self.middle

    def down(self, since: float) -> bool:
        """Tell whether something that began at a moment may have found no server."""
        return self.server.down_until + AFTER * self.pace.factor > since
