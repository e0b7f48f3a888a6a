"""Trying again when a node is away, slow or busy: after growing pauses, for as long as the user has patience."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from sparse_coverage.engines.engine import EngineError

C = TypeVar("C")
R = TypeVar("R")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


class Failover(Generic[C]):
    """Calls one of several equal nodes and goes on to the next when one fails.

    `passes` tells whether an error may pass by itself. `patience` is how many seconds all attempts of one call may take; the
    call under way is never cut short.
    """

    def __init__(
        self,
        nodes: Sequence[tuple[str, C]],
        passes: Callable[[Exception], bool],
        patience: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._nodes = list(nodes)
        self._passes = passes
        self._patience = patience
        self._clock = clock
        self._sleep = sleep
        self._current = 0

    def call(self, what: str, ask: Callable[[C], R]) -> R:
        """Return what a node answers. `what` says in errors what was asked for."""
        begun, pause = self._clock(), _FIRST_PAUSE
        failures: dict[str, str] = {}
        attempt = 0
        while True:
            place = self._current % len(self._nodes)
            name, node = self._nodes[place]
            try:
                return ask(node)
            except Exception as error:
                if not self._passes(error):
                    raise
                failures[name] = first_line(error)
            attempt += 1
            # Threads share the place; whoever fails on a node moves everyone on, once.
            if self._current % len(self._nodes) == place:
                self._current = place + 1
            if self._clock() - begun + pause > self._patience:
                told = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
                raise EngineError(
                    f"{what} failed {attempt} times in {self._clock() - begun:.0f} s ({told}). "
                    "Check that the engine runs and can be reached, then try again; an upload goes on where it stopped."
                )
            if attempt % len(self._nodes) == 0:
                self._sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)


class Asking:
    """A collection whose requests go to equal nodes; what they refuse becomes an error that says what was asked for."""

    engine: str
    name: str
    _nodes: Failover[Any]

    def _ask(self, what: str, ask: Callable[[Any], R]) -> R:
        try:
            return self._nodes.call(what, ask)
        except EngineError:
            raise
        except Exception as error:
            raise EngineError(f"{what} in '{self.name}' failed: {self.engine} says {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Return what an error says, shortened to one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:300] + " …"
