"""Whether the server is there, whether it can answer, and what it counts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.responses import Response

from sparse_coverage.package import __version__
from sparse_coverage.server.errors import Refusal, may_answer, refuse

router = APIRouter(tags=["state"])


class Health(BaseModel):
    """The server is there."""

    status: str
    version: str


class Readiness(BaseModel):
    """The server can answer: which indexes can be searched, and why others cannot."""

    ready: bool
    indexes: list[str]
    missing: dict[str, str] = {}


@router.get("/v1/health", responses=may_answer())
async def health() -> Health:
    """Say that the server is there. Needs no key."""
    return Health(status="ok", version=__version__)


@router.get("/v1/ready", response_model=Readiness, responses=may_answer())
def ready(request: Request) -> Readiness | Response:
    """Say which indexes can be searched; none is 503. Needs no key."""
    every = request.app.state.indexes.about()
    missing = {one["name"]: one["missing"] for one in every if "missing" in one}
    if len(missing) == len(every):
        return refuse(Refusal(503, " ".join(missing.values())))
    return Readiness(ready=True, indexes=[one["name"] for one in every if one["name"] not in missing], missing=missing)


@router.get("/metrics", response_class=PlainTextResponse, responses=may_answer())
def metrics(request: Request) -> Response:
    """Return what the server counts, as Prometheus reads it."""
    return Response(request.app.state.metrics.text(), media_type=CONTENT_TYPE_LATEST)
