"""Claims against documents: elements, charts, combinations."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sparse_coverage.server.answering import answer_long, answer_query, service_of
from sparse_coverage.server.answers import ChartAnswer, CombineAnswer, ElementsAnswer, answers
from sparse_coverage.server.bodies import ChartBody, CombineBody, ElementsBody

router = APIRouter(tags=["charts"])


@router.post("/v1/elements", responses=answers(ElementsAnswer))
async def elements(request: Request, body: ElementsBody) -> Response:
    """Split a claim, or several that are numbered, into elements."""
    return await answer_query(request, body.claim, lambda: service_of(request).elements(body))


@router.post("/v1/indexes/{name}/chart", responses=answers(ChartAnswer, 404, 409, events=True))
async def chart(request: Request, name: str, body: ChartBody) -> Response:
    """Set each element of a claim against documents; with Accept: text/event-stream, progress comes first."""
    return await answer_long(request, lambda: service_of(request).chart(name, body))


@router.post("/v1/indexes/{name}/combine", responses=answers(CombineAnswer, 404, 409, events=True))
async def combine(request: Request, name: str, body: CombineBody) -> Response:
    """Find the fewest documents that together disclose a claim; with Accept: text/event-stream, progress comes first."""
    return await answer_long(request, lambda: service_of(request).combine(name, body))
