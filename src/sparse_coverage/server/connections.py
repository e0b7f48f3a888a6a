"""Connections that do not keep a server waiting: what is half sent ends, so that nobody shuts the others out."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADERS_WITHIN = 10.0
"""So many seconds a connection has until the headers of a request are there, from its beginning or from their first byte."""

_Protocol: Any = AutoHTTPProtocol


class Connection(_Protocol):  # type: ignore[misc]
    """A connection that is closed when the headers of a request take too long; `Safety` sees to the body."""

    _ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Go on waiting, unless a request is there."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, error: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(error)
        if self._ending is not None:
            self._ending.cancel()

    def _watch(self) -> None:
        at_work = self.cycle is not None and not self.cycle.response_complete
        if at_work and self._ending is not None:
            self._ending.cancel()
            self._ending = None
        elif not at_work and self._ending is None:
            self._ending = self.loop.call_later(HEADERS_WITHIN, self._end)

    def _end(self) -> None:
        self._ending = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()
