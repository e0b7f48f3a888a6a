"""How much longer everything takes than on a free machine: bounds of time are stretched by that, and nothing else is."""

from __future__ import annotations

import threading
from collections import deque
from time import monotonic, sleep, thread_time

_WORK = 0.01
_EVERY = 2.0
_KEPT = 90


class Pace:
    """Computes for a moment, again and again, and compares the clock with the time that it got from the processor."""

    def __init__(self) -> None:
        self._seen: deque[float] = deque([1.0], _KEPT)
        self.slowest = 1.0
        threading.Thread(target=self._measure, daemon=True).start()

    @property
    def factor(self) -> float:
        """How many times slower than alone, at the worst of the last minutes."""
        return max(self._seen)

    def _measure(self) -> None:
        while True:
            begun, worked = monotonic(), thread_time()
            while thread_time() - worked < _WORK:
                sum(range(1000))
            self._seen.append(max(1.0, (monotonic() - begun) / _WORK))
            self.slowest = max(self.slowest, self.factor)
            sleep(_EVERY)
