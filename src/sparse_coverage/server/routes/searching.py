"""Finding prior art (search, similar documents, feedback, many queries, explanations, a file as a query), and claims against documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.server.answering import PooledRoute, answer, answer_long, answer_query, service_of
from sparse_coverage.server.answers import (
    BatchAnswer,
    ChartAnswer,
    CombineAnswer,
    ElementsAnswer,
    ExplainAnswer,
    QuotationAnswer,
    SearchAnswer,
    answers,
)
from sparse_coverage.server.uploads import read_apart, stored_upload
from sparse_coverage.workspace import BatchRequest, ChartRequest, CombineRequest, ExplainRequest, SearchRequest
from sparse_coverage.workspace.preparing import PreparedQuery, PrepareRequest
from sparse_coverage.workspace.requests import ElementsRequest, Id, Marked, QuotationRequest, RankedRequest

router = APIRouter(route_class=PooledRoute)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackBody(SearchRequest):
    """A search that is to rank again by what was marked."""

    marks: Marked


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarBody(RankedRequest):
    """A search with a document of the index."""

    id: Id


@router.post("/v1/indexes/{name}/search", tags=["search"], responses=answers(SearchAnswer, 404, 409))
async def search(request: Request, name: str, body: SearchRequest) -> Response:
    """Find the prior art of a text, or of a document of the index. A text of over 20,000 characters takes its turn with charts, and
    so does `rerank`."""
    return await answer_query(request, body.query, lambda: service_of(request).search(name, body), rerank=body.rerank)


@router.post("/v1/indexes/{name}/feedback", tags=["search"], responses=answers(SearchAnswer, 404, 409))
async def feedback(request: Request, name: str, body: FeedbackBody) -> Response:
    """Search again with what was marked as relevant or not."""
    return await answer_query(request, body.query, lambda: service_of(request).search(name, body))


@router.post("/v1/indexes/{name}/similar", tags=["search"], responses=answers(SearchAnswer, 404, 409))
async def similar(request: Request, name: str, body: SimilarBody) -> Response:
    """Find documents like one of the index."""
    return await answer_query(
        request, None, lambda: service_of(request).search(name, body.asking(like=body.id)), rerank=body.rerank
    )


@router.post("/v1/indexes/{name}/batch", tags=["search"], responses=answers(BatchAnswer, 404, 409, events=True))
async def batch(request: Request, name: str, body: BatchRequest) -> Response:
    """Rank the documents of many queries; with Accept: text/event-stream, progress comes first."""
    return await answer_long(request, lambda: service_of(request).batch(name, body))


@router.post("/v1/indexes/{name}/explain", tags=["search"], responses=answers(ExplainAnswer, 404, 409))
async def explain(request: Request, name: str, body: ExplainRequest) -> Response:
    """Say why a query finds a passage, or a document."""
    return await answer_query(request, body.query, lambda: service_of(request).explain(name, body))


@router.post("/v1/indexes/{name}/prepare", tags=["search"], responses=answers(PreparedQuery, 404))
async def prepare(request: Request, name: str, body: PrepareRequest) -> Response:
    """Make what was typed ready: claims and elements of a text; of a publication number its claims, and the date that art must precede."""
    return await answer_query(request, body.text, lambda: service_of(request).prepare(name, body))


@router.post("/v1/query-file", tags=["search"], responses=answers(PreparedQuery))
async def query_file(
    request: Request,
    file: UploadFile,
    claims: Annotated[str | None, Query(min_length=1, max_length=200, description="Only these, as 1,3-5.")] = None,
) -> Response:
    """Read a file (text, Word, PDF or a patent in any format) as a query: its claims, and what is known of the patent."""

    def work() -> object:
        with stored_upload(file.file, file.filename, request.app.state.settings.limits.upload) as path:
            return read_apart("query", path, claims or "")

    return await answer(request, work)


@router.post("/v1/elements", tags=["charts"], responses=answers(ElementsAnswer))
async def elements(request: Request, body: ElementsRequest) -> Response:
    """Split a claim, or several that are numbered, into elements."""
    return await answer_query(request, body.claim, lambda: service_of(request).elements(body))


@router.post("/v1/indexes/{name}/chart", tags=["charts"], responses=answers(ChartAnswer, 404, 409, events=True))
async def chart(request: Request, name: str, body: ChartRequest) -> Response:
    """Set each element of a claim against documents; with Accept: text/event-stream, progress comes first."""
    return await answer_long(request, lambda: service_of(request).chart(name, body))


@router.post("/v1/indexes/{name}/combine", tags=["charts"], responses=answers(CombineAnswer, 404, 409, events=True))
async def combine(request: Request, name: str, body: CombineRequest) -> Response:
    """Find the fewest documents that together disclose a claim; with Accept: text/event-stream, progress comes first."""
    return await answer_long(request, lambda: service_of(request).combine(name, body))


@router.post("/v1/indexes/{name}/quotation", tags=["charts"], responses=answers(QuotationAnswer, 404))
async def quotation(request: Request, name: str, body: QuotationRequest) -> Response:
    """Check that a text stands in a document word for word, and say where."""
    return await answer(request, lambda: service_of(request).quotation(name, body))
