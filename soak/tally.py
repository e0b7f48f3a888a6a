"""What a soak counts, and what it finds wrong."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from time import monotonic


class Tally:
    """Counts by name, times of answers, and violations. Any thread may add to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = monotonic()
        self.counts: dict[str, Counter[str]] = {}
        self.seconds: list[float] = []
        self.violations: list[str] = []

    def count(self, group: str, name: str, by: int = 1) -> None:
        """Count something."""
        with self._lock:
            self.counts.setdefault(group, Counter())[name] += by

    def took(self, seconds: float) -> None:
        """Keep how long an answer took."""
        with self._lock:
            self.seconds.append(seconds)

    def violation(self, what: str) -> None:
        """Keep, and say at once, that something was not as it must be."""
        with self._lock:
            self.violations.append(what)
        print(f"VIOLATION after {monotonic() - self._begun:.0f} s: {what}", file=sys.stderr, flush=True)

    def total(self, group: str) -> int:
        """Return how many of a group were counted."""
        with self._lock:
            return sum(self.counts.get(group, Counter()).values())

    def table(self) -> str:
        """Return all counts as a table."""
        with self._lock:
            rows = [(group, *one) for group, counter in self.counts.items() for one in sorted(counter.items())]
            times = sorted(self.seconds)
        if times:
            for name, place in (("median", 0.5), ("99 of 100", 0.99), ("longest", 1.0)):
                rows.append(
                    ("seconds of an answer", name, f"{times[min(int(place * len(times)), len(times) - 1)]:.2f}")
                )
        shown = [(group, name, value if isinstance(value, str) else f"{value:,}") for group, name, value in rows]
        wide = [max(len(row[column]) for row in shown) for column in range(3)]
        return "\n".join(f"{group:<{wide[0]}}  {name:<{wide[1]}}  {value:>{wide[2]}}" for group, name, value in shown)
