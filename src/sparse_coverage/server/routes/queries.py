"""What to search with, out of a file."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.server.answering import answer
from sparse_coverage.server.answers import QueryFileAnswer, answers
from sparse_coverage.server.uploads import kept, read_apart

router = APIRouter(tags=["search"])


@router.post("/v1/query-file", responses=answers(QueryFileAnswer))
async def query_file(
    request: Request,
    file: UploadFile,
    claims: Annotated[str | None, Query(min_length=1, max_length=200, description="Only these, as 1,3-5.")] = None,
) -> Response:
    """Read a file (text, Word, PDF or a patent in any format) as a query: its claims, and what is known of the patent."""

    def work() -> object:
        with kept(file.file, file.filename, request.app.state.settings.limits.upload) as path:
            return read_apart("query", path, claims or "")

    return await answer(request, work)
