"""Waiting for what another process or thread does, as long as it takes and no longer than a bound."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 120.0


def wait_until(holds: Callable[[], object], what: str, seconds: float = SECONDS) -> None:
    """Return as soon as it holds; fail with what was waited for if it never does."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"{what}: not after {seconds:.0f} s"
        time.sleep(0.002)
