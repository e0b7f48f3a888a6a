"""Changing an index: off unless the server was started to allow it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.dataclass_json import Bounds
from sparse_coverage.index import delete_documents, open_store
from sparse_coverage.patents import read_patents
from sparse_coverage.progress import waiting
from sparse_coverage.retrievers import refresh_sides
from sparse_coverage.search import Index
from sparse_coverage.server.answering import PooledRoute, answer_long, service_of
from sparse_coverage.server.answers import AddAnswer, DeleteAnswer, answers
from sparse_coverage.server.errors import NotAllowedError
from sparse_coverage.server.indexes import ServedIndex
from sparse_coverage.server.settings import check
from sparse_coverage.server.uploads import read_apart, stored_upload
from sparse_coverage.workspace.requests import Id, Says
from sparse_coverage.workspace.requests import Request as AnyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class AddBody(AnyRequest):
    """Documents to add, or to put in the place of those with the same ids."""

    documents: Annotated[
        tuple[dict[str, Any], ...], Bounds(1), Says("Patents, each as a line of JSON lines has it.", limit="batch")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBody(AnyRequest):
    """Documents to delete: all of them or none."""

    ids: Annotated[tuple[Id, ...], Bounds(1), Says(limit="ids")]


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
            return _add_file(service_of(request).indexes.served(name), path, replace=replace)

    return await answer_long(request, work)


@router.post("/delete", responses=answers(DeleteAnswer, 404, 409, events=True))
async def delete(request: Request, name: str, body: DeleteBody) -> Response:
    """Delete documents by id, all of them or none."""

    def work() -> object:
        check(body, request.app.state.settings.limits)
        served = service_of(request).indexes.served(name)
        delete_documents(served.folder, body.ids)
        return {"deleted": len(body.ids), "documents": _documents_now(served)}

    return await answer_long(request, work)


async def _add(request: Request, name: str, body: AddBody, *, replace: bool) -> Response:
    def work() -> object:
        check(body, request.app.state.settings.limits)
        served = service_of(request).indexes.served(name)
        with TemporaryDirectory(prefix="sparse-coverage-add-") as folder:
            path = Path(folder) / "documents.jsonl"
            path.write_text("".join(json.dumps(one) + "\n" for one in body.documents), encoding="utf-8")
            return _add_file(served, path, replace=replace)

    return await answer_long(request, work)


def _add_file(served: ServedIndex, path: Path, *, replace: bool) -> dict[str, Any]:
    """Add the patents of a file in any format that is read. What cannot be read is left out, and said."""
    lines = path.with_name(f"{path.name}.lines")
    with waiting("Reading"):
        read = read_apart("patents", path, lines.name)
    count = 0
    if read["read"]:
        index = served.opened().index
        # One of its own: the one that is searched with must go on showing what it shows.
        writer = Index(open_store(served.folder), index.model, index.statistics.config)
        patents = (dataclasses.replace(one, source=path.name) for one in read_patents(lines, language="any"))
        count = writer.add(patents, replace=replace, total=read["read"], on_duplicate="keep")
    told = {"added": count, "left_out": read["left_out"], "unused": read["unused"]}
    return {**told, "documents": _documents_now(served, changed=count > 0)}


def _documents_now(served: ServedIndex, *, changed: bool = True) -> int:
    """Return how many documents there are; after a change, bring the sides up to date and show the new state from now on."""
    if changed:
        refresh_sides(served.folder)
        served.refresh()
    return served.opened().store.state.documents
