"""From a route to its answer: the work done in the pool, as one answer or as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import PurePath, PureWindowsPath
from typing import Annotated, Any

from fastapi import Path, Request
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from sparse_coverage.dataclass_json import plain_json, record
from sparse_coverage.server.errors import refusal_of
from sparse_coverage.server.indexes import Service
from sparse_coverage.server.settings import ServerSettings
from sparse_coverage.server.work import BusyError, Work
from sparse_coverage.workspace.requests import MOST_ID

PathId = Annotated[str, Path(min_length=1, max_length=MOST_ID)]
"""An id as a part of an address."""
_HOLD_DOCUMENTS = ("hits", "documents", "rankings", "chart")
_SMALL = 1 << 16
"""Bytes of a body that is parsed at once; a larger one is parsed in the pool, so that nobody waits for it."""


class PooledRoute(APIRoute):
    """A route whose body of JSON is parsed in the pool. `Safety` has bounded its size, depth and number of values before."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which sees a request that parses itself so."""
        handle = super().get_route_handler()

        async def pooled(request: Request) -> Response:
            return await handle(_PooledRequest(request.scope, request.receive))

        return pooled


class _PooledRequest(Request):
    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            body = await self.body()
            settings, work = _of(self)
            try:
                self._json = (
                    json.loads(body)
                    if len(body) <= _SMALL
                    else await work.run(partial(json.loads, body), settings.limits.seconds)
                )
            except BusyError as busy:  # any other kind of error is taken for a damaged body
                raise HTTPException(429, str(busy), {"retry-after": str(busy.seconds)}) from None
        return self._json


def service_of(request: Request) -> Service:
    """Return what answers."""
    service: Service = request.app.state.service
    return service


async def answer(request: Request, function: Callable[[], Any], status: int = 200) -> Response:
    """Do short work and answer with its record as JSON."""
    settings, work = _of(request)
    content = await work.run(
        lambda: plain_json(public(function())).encode(), settings.limits.seconds, partial(_gone, request)
    )
    return Response(content, status, media_type="application/json")


async def answer_query(
    request: Request, text: str | None, function: Callable[[], Any], *, rerank: str | None = None
) -> Response:
    """Answer a query: short work, unless the text is long or documents are ranked again, for which other searches would wait."""
    is_long = rerank is not None or _of(request)[0].limits.is_long(text)
    return await (answer_long if is_long else answer)(request, function)


async def answer_made(request: Request, make: Callable[[], Response]) -> Response:
    """Do short work whose answer is made there, such as a file."""
    settings, work = _of(request)
    return await work.run(make, settings.limits.seconds, partial(_gone, request))


async def answer_long(request: Request, function: Callable[[], Any], *, settle: bool = False) -> Response:
    """Do long work: with events of its progress where they are asked for, else answer when it is done. `settle`: as in `Work.run`."""
    settings, work = _of(request)
    seconds = settings.limits.long_seconds
    if "text/event-stream" in request.headers.get("accept", ""):
        events = work.stream(
            lambda: plain_json(public(function())),
            seconds,
            lambda error: refusal_of(error, settings).record(),
            settle=settle,
        )
        return StreamingResponse(events, media_type="text/event-stream")
    content = await work.run(
        lambda: plain_json(public(function())).encode(), seconds, partial(_gone, request), long=True, settle=settle
    )
    return Response(content, media_type="application/json")


def _of(request: Request) -> tuple[ServerSettings, Work]:
    return request.app.state.settings, request.app.state.work


async def _gone(request: Request) -> None:
    """Return when the client is gone: nothing else can come after a body that was read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def public(answer: Any) -> Any:
    """Return the record of an answer, which says nothing about the files of the server: of a document's only the name."""
    found = record(answer)
    _strip(found)
    return found


def _strip(value: Any) -> None:
    if isinstance(value, list):
        for one in value:
            _strip(one)
    elif isinstance(value, Mapping):
        known = value.get("metadata")
        if isinstance(known, dict) and isinstance(known.get("source"), str):
            known["source"] = _name(known["source"])
        for name in _HOLD_DOCUMENTS:
            inner = value.get(name)
            _strip(list(inner.values()) if name == "rankings" and isinstance(inner, Mapping) else inner)


def _name(path: str) -> str:
    """Return the last part of a path of any system.

    >>> _name("/data/patents/EP-1.xml"), _name("C:\\\\data\\\\EP-1.xml")
    ('EP-1.xml', 'EP-1.xml')
    """
    return (PureWindowsPath(path) if "\\" in path else PurePath(path)).name
