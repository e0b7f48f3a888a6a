"""Changing an index: off unless the server was started to allow it."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.server import changes
from sparse_coverage.server.answering import PooledRoute, answer_long, service_of
from sparse_coverage.server.answers import AddAnswer, DeleteAnswer, answers
from sparse_coverage.server.bodies import AddBody, DeleteBody
from sparse_coverage.server.errors import NotAllowedError
from sparse_coverage.server.limits import check
from sparse_coverage.server.uploads import stored_upload


def _allowed(request: Request) -> None:
    if not request.app.state.settings.allow_changes:
        raise NotAllowedError("This server changes no index. Start it with --allow-changes for that.")


router = APIRouter(
    route_class=PooledRoute, prefix="/v1/indexes/{name}", tags=["changes"], dependencies=[Depends(_allowed)]
)


@router.post("/add", responses=answers(AddAnswer, 404, 409, events=True))
async def add(request: Request, name: str, body: AddBody) -> Response:
    """Add documents; one that is there already is an error, and then none is added."""
    return await _add(request, name, body, replace=False)


@router.post("/replace", responses=answers(AddAnswer, 404, 409, events=True))
async def replace(request: Request, name: str, body: AddBody) -> Response:
    """Add documents, those that are there already in the place of their old version."""
    return await _add(request, name, body, replace=True)


@router.post("/upload", responses=answers(AddAnswer, 404, 409, events=True))
async def upload(request: Request, name: str, file: UploadFile, replace: bool = False) -> Response:
    """Add the patents of a file in any format that is read: XML of EPO, USPTO or WIPO, JSON lines, CSV, Word, PDF, archives."""

    def work() -> object:
        with stored_upload(file.file, file.filename, request.app.state.settings.limits.upload) as path:
            return changes.add_file(service_of(request).indexes.served(name), path, replace=replace)

    return await answer_long(request, work)


@router.post("/delete", responses=answers(DeleteAnswer, 404, 409, events=True))
async def delete(request: Request, name: str, body: DeleteBody) -> Response:
    """Delete documents by id, all of them or none."""

    def work() -> object:
        check(body, request.app.state.settings.limits)
        return changes.delete(service_of(request).indexes.served(name), body.ids)

    return await answer_long(request, work)


async def _add(request: Request, name: str, body: AddBody, *, replace: bool) -> Response:
    def work() -> object:
        check(body, request.app.state.settings.limits)
        return changes.add_records(service_of(request).indexes.served(name), body.documents, replace=replace)

    return await answer_long(request, work)
