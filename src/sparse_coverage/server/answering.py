"""From a route to its answer: the work done in the pool, as one answer or as server-sent events."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.responses import Response

from sparse_coverage.present.records import plain_json
from sparse_coverage.server.errors import refusal_of
from sparse_coverage.server.public import public
from sparse_coverage.server.service import Service
from sparse_coverage.server.settings import ServerSettings
from sparse_coverage.server.work import Work


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


async def answer_query(request: Request, text: str | None, function: Callable[[], Any]) -> Response:
    """Answer a query: short work, unless the text is so long that other searches would wait for it."""
    is_long = _of(request)[0].limits.is_long(text)
    return await (answer_long if is_long else answer)(request, function)


async def answer_made(request: Request, make: Callable[[], Response]) -> Response:
    """Do short work whose answer is made there, such as a file."""
    settings, work = _of(request)
    return await work.run(make, settings.limits.seconds, partial(_gone, request))


async def answer_long(request: Request, function: Callable[[], Any]) -> Response:
    """Do long work: with events of its progress where they are asked for, else answer when it is done."""
    settings, work = _of(request)
    seconds = settings.limits.long_seconds
    if "text/event-stream" in request.headers.get("accept", ""):
        events = work.stream(
            lambda: plain_json(public(function())), seconds, lambda error: refusal_of(error, settings).record()
        )
        return StreamingResponse(events, media_type="text/event-stream")
    content = await work.run(
        lambda: plain_json(public(function())).encode(), seconds, partial(_gone, request), long=True
    )
    return Response(content, media_type="application/json")


def _of(request: Request) -> tuple[ServerSettings, Work]:
    return request.app.state.settings, request.app.state.work


async def _gone(request: Request) -> None:
    """Return when the client is gone: nothing else can come after a body that was read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
