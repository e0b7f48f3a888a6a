"""Indexes and the documents in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sparse_coverage.present.page_view import DocumentView
from sparse_coverage.server.answering import PathId, PooledRoute, answer, answer_made, answer_query, service_of
from sparse_coverage.server.answers import FindAnswer, IndexAbout, ReadAnswer, answers
from sparse_coverage.server.errors import may_answer
from sparse_coverage.workspace import ReadRequest
from sparse_coverage.workspace.related import MEDIA, RelatedResult, drawing_content
from sparse_coverage.workspace.requests import Says

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_IMAGES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": dict.fromkeys(sorted(set(MEDIA.values())), _BINARY)},
    **may_answer(404),
}
router = APIRouter(route_class=PooledRoute, prefix="/v1/indexes", tags=["documents"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewBody(ReadRequest):
    """A document to be shown beside a claim."""

    elements: Annotated[tuple[str, ...], Says("The features of the claim, in its words.", limit="ids")] = ()


@router.get("", responses=answers(list[IndexAbout]))
async def indexes(request: Request) -> Response:
    """List the indexes: how much each holds, and what can rank it."""
    return await answer(request, lambda: service_of(request).indexes.about())


@router.get("/{name}/documents/{id:path}", responses=answers(ReadAnswer, 404))
async def document(
    request: Request,
    name: str,
    id: PathId,  # noqa: A002 - the word of the address
    claim: Annotated[str | None, Query(max_length=4000, pattern=r"\S")] = None,
    matches: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Read a document in full; with a claim, the passages that it finds are marked. POST .../read takes long claims."""
    body = ReadRequest(id=id, claim=claim, matches=matches)
    return await answer(request, lambda: service_of(request).read(name, body))


@router.post("/{name}/read", responses=answers(ReadAnswer, 404))
async def read(request: Request, name: str, body: ReadRequest) -> Response:
    """Read a document in full; with a claim, the passages that it finds are marked."""
    return await answer_query(request, body.claim, lambda: service_of(request).read(name, body))


@router.post("/{name}/view", responses=answers(DocumentView, 404))
async def view(request: Request, name: str, body: ViewBody) -> Response:
    """Return a document as the page shows it: paragraphs in pieces, those that answer a feature of the claim marked with it."""

    read = ReadRequest(id=body.id, claim=body.claim, matches=body.matches)
    return await answer_query(request, body.claim, lambda: service_of(request).view(name, read, body.elements))


@router.get("/{name}/related/{id:path}", responses=answers(RelatedResult, 404))
async def related(request: Request, name: str, id: PathId) -> Response:  # noqa: A002
    """Return what a document cites, what of the index cites it, its family, and the names of drawings beside its file."""

    def work() -> RelatedResult:
        with service_of(request).indexes.opened(name) as opened:
            return opened.relatives.of(id)

    return await answer(request, work)


@router.get("/{name}/drawings/{id:path}", responses=_IMAGES)
async def drawing(request: Request, name: str, id: PathId, file: Annotated[str, Query(max_length=300)]) -> Response:  # noqa: A002
    """Return a drawing of a document by the name of its file; TIFF comes as PNG."""

    def made() -> Response:
        with service_of(request).indexes.opened(name) as opened:
            path = opened.relatives.drawing(id, file)
        return Response(drawing_content(path), media_type=MEDIA[path.suffix.lower()])

    return await answer_made(request, made)


@router.get("/{name}/find/{number:path}", responses=answers(FindAnswer, 404))
async def find(request: Request, name: str, number: PathId) -> Response:
    """Return the ids of the documents that a publication number names, however it is spelled."""
    return await answer(request, lambda: service_of(request).find(name, number))
