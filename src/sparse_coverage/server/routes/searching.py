"""Finding prior art: search, similar documents, feedback, many queries, explanations."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sparse_coverage.server.answering import answer, answer_long, answer_query, service_of
from sparse_coverage.server.answers import BatchAnswer, ExplainAnswer, SearchAnswer, answers
from sparse_coverage.server.bodies import BatchBody, ExplainBody, FeedbackBody, SearchBody, SimilarBody

router = APIRouter(prefix="/v1/indexes/{name}", tags=["search"])


@router.post("/search", responses=answers(SearchAnswer, 404, 409))
async def search(request: Request, name: str, body: SearchBody) -> Response:
    """Find the prior art of a text, or of a document of the index. A text of over 20,000 characters takes its turn with charts."""
    return await answer_query(request, body.query, lambda: service_of(request).search(name, body))


@router.post("/feedback", responses=answers(SearchAnswer, 404, 409))
async def feedback(request: Request, name: str, body: FeedbackBody) -> Response:
    """Search again with what was marked as relevant or not."""
    return await answer_query(request, body.query, lambda: service_of(request).search(name, body))


@router.post("/similar", responses=answers(SearchAnswer, 404, 409))
async def similar(request: Request, name: str, body: SimilarBody) -> Response:
    """Find documents like one of the index."""
    wanted = SearchBody(like=body.id, **body.model_dump(exclude={"id"}, by_alias=True))
    return await answer(request, lambda: service_of(request).search(name, wanted))


@router.post("/batch", responses=answers(BatchAnswer, 404, 409, events=True))
async def batch(request: Request, name: str, body: BatchBody) -> Response:
    """Rank the documents of many queries; with Accept: text/event-stream, progress comes first."""
    return await answer_long(request, lambda: service_of(request).batch(name, body))


@router.post("/explain", responses=answers(ExplainAnswer, 404, 409))
async def explain(request: Request, name: str, body: ExplainBody) -> Response:
    """Say why a query finds a passage, or a document."""
    return await answer_query(request, body.query, lambda: service_of(request).explain(name, body))
