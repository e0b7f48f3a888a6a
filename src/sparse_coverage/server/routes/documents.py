"""Indexes and the documents in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sparse_coverage.server.answering import answer, answer_query, service_of
from sparse_coverage.server.answers import FindAnswer, IndexAbout, ReadAnswer, answers
from sparse_coverage.server.bodies import Id, ReadBody

router = APIRouter(prefix="/v1/indexes", tags=["documents"])


@router.get("", responses=answers(list[IndexAbout]))
async def indexes(request: Request) -> Response:
    """List the indexes: how much each holds, and what can rank it."""
    return await answer(request, lambda: service_of(request).holdings.about())


@router.get("/{name}/documents/{id:path}", responses=answers(ReadAnswer, 404))
async def document(
    request: Request,
    name: str,
    id: Id,  # noqa: A002 - the word of the address
    claim: Annotated[str | None, Query(max_length=4000, pattern=r"\S")] = None,
    matches: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Read a document in full; with a claim, the passages that it finds are marked. POST .../read takes long claims."""
    body = ReadBody(id=id, claim=claim, matches=matches)
    return await answer(request, lambda: service_of(request).read(name, body))


@router.post("/{name}/read", responses=answers(ReadAnswer, 404))
async def read(request: Request, name: str, body: ReadBody) -> Response:
    """Read a document in full; with a claim, the passages that it finds are marked."""
    return await answer_query(request, body.claim, lambda: service_of(request).read(name, body))


@router.get("/{name}/find/{number:path}", responses=answers(FindAnswer, 404))
async def find(request: Request, name: str, number: Id) -> Response:
    """Return the ids of the documents that a publication number names, however it is spelled."""
    return await answer(request, lambda: service_of(request).find(name, number))
