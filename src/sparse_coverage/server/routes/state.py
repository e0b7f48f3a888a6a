"""Whether the server is there, whether it can answer, and what it counts."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.responses import Response

from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.package import __version__
from sparse_coverage.server.errors import may_answer, refusal_of, refuse

router = APIRouter(tags=["state"])


class Health(BaseModel):
    """The server is there."""

    status: str
    version: str


class Readiness(BaseModel):
    """The server can answer."""

    ready: bool
    indexes: list[str]


@router.get("/v1/health", responses=may_answer())
async def health() -> Health:
    """Say that the server is there. Needs no key."""
    return Health(status="ok", version=__version__)


@router.get("/v1/ready", response_model=Readiness, responses=may_answer())
def ready(request: Request) -> Readiness | Response:
    """Say whether every index can be searched. Needs no key."""
    indexes = request.app.state.indexes
    try:
        return Readiness(ready=True, indexes=[one["name"] for one in indexes.about()])
    except SparseCoverageError as error:
        return refuse(replace(refusal_of(error, request.app.state.settings), status=503))


@router.get("/metrics", response_class=PlainTextResponse, responses=may_answer())
def metrics(request: Request) -> Response:
    """Return what the server counts, as Prometheus reads it."""
    return Response(request.app.state.metrics.text(), media_type=CONTENT_TYPE_LATEST)
