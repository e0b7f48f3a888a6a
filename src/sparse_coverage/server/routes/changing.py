"""Changing an index: off unless the server was started to allow it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.dataclass_json import Bounds
from sparse_coverage.errors import SparseCoverageError
from sparse_coverage.index import delete_documents
from sparse_coverage.patents import read_patents
from sparse_coverage.progress import waiting
from sparse_coverage.retrievers import refresh_sides
from sparse_coverage.search.building import add_to_index
from sparse_coverage.server.answering import PooledRoute, answer_long, service_of
from sparse_coverage.server.answers import AddAnswer, DeleteAnswer, answers
from sparse_coverage.server.errors import NotAllowedError, refusal_of
from sparse_coverage.server.indexes import ServedIndex
from sparse_coverage.server.settings import check
from sparse_coverage.server.uploads import patents_as_lines, read_apart, stored_upload
from sparse_coverage.server.work import StoppedError
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
            return _add_read(request, name, path, partial(read_apart, "patents"), replace=replace)

    return await answer_long(request, work, settle=True)


@router.post("/delete", responses=answers(DeleteAnswer, 404, 409, events=True))
async def delete(request: Request, name: str, body: DeleteBody) -> Response:
    """Delete documents by id, all of them or none."""

    def work() -> object:
        check(body, request.app.state.settings.limits)
        served = service_of(request).indexes.served(name)
        state = delete_documents(served.folder, body.ids)
        return {"deleted": len(body.ids), "documents": state.documents, **_show(request, served)}

    return await answer_long(request, work, settle=True)


async def _add(request: Request, name: str, body: AddBody, *, replace: bool) -> Response:
    def work() -> object:
        check(body, request.app.state.settings.limits)
        with TemporaryDirectory(prefix="sparse-coverage-add-") as folder:
            path = Path(folder) / "documents.jsonl"
            path.write_text("".join(json.dumps(one) + "\n" for one in body.documents), encoding="utf-8")
            return _add_read(request, name, path, _read_here, replace=replace)

    return await answer_long(request, work, settle=True)


def _read_here(path: Path, lines: str) -> dict[str, Any]:
    """Read lines of JSON in this process: they were parsed and bounded before, and another takes half a second to begin."""
    return patents_as_lines(path, path.with_name(lines))


def _add_read(
    request: Request, name: str, path: Path, read_into: Callable[[Path, str], dict[str, Any]], *, replace: bool
) -> dict[str, Any]:
    """Add the patents of a file in any format that is read. What cannot be read is left out, and said."""
    served = service_of(request).indexes.served(name)
    lines = path.with_name(f"{path.name}.lines")
    with waiting("Reading"):
        read = read_into(path, lines.name)
    told = {"added": 0, "left_out": read["left_out"], "unused": read["unused"]}
    with served.opened() as opened:
        model, state = opened.index.model, opened.store.state
    if not read["read"]:
        return {**told, "documents": state.documents}
    patents = (dataclasses.replace(one, source=path.name) for one in read_patents(lines, language="any"))
    how = {"replace": replace, "total": read["read"], "on_repeat": lambda patent: None}
    told["added"], state = add_to_index(served.folder, model, patents, **how)
    return {**told, "documents": state.documents, **_show(request, served)}


def _show(request: Request, served: ServedIndex) -> dict[str, Any]:
    """Bring the sides of a changed index up to date, and show its new state; what fails there is told: the change is committed."""
    try:
        refresh_sides(served.folder)
        served.refresh()
    except (SparseCoverageError, StoppedError, OSError) as error:
        why = refusal_of(error, request.app.state.settings).message
        return {"notes": [f"The change is made, but it cannot be shown in every ranking yet: {why}"]}
    return {}
