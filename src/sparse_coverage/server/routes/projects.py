"""Projects: what a user searched for, marked, noted and charted, kept and reported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, File, Path, Query, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import PROJECT_EXPORTS
from sparse_coverage.present.page_chart import chart_view
from sparse_coverage.present.page_view import MOST_SHOWN, history_line, search_view
from sparse_coverage.present.project_view import ReportParts, project_view
from sparse_coverage.projects import Draft, Head, KeptChart, Mark, Project, Ruling, SearchMade
from sparse_coverage.projects.folder import MOST_BYTES
from sparse_coverage.server.answering import (
    PathId,
    answer_long,
    answer_made,
    answer_query,
    public,
    service_of,
)
from sparse_coverage.server.answers import answers
from sparse_coverage.server.errors import may_answer
from sparse_coverage.server.project_bodies import (
    ChartBody,
    Deleted,
    DraftBody,
    HeadBody,
    MarkBody,
    NewProject,
    ProjectList,
    ProjectRoute,
    RulingBody,
    SearchBody,
    ShownChart,
    ShownContent,
    ShownSearchMade,
    answer_kept,
    folder_of,
    marked,
    quoted,
    with_history,
    with_project,
)
from sparse_coverage.server.uploads import read_apart, stored_upload
from sparse_coverage.workspace import SearchRequest
from sparse_coverage.workspace.requests import request_record
from sparse_coverage.workspace.watching import watched

ProjectId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$", description="The id that the project got when it was made.")]
Number = Annotated[int, Path(ge=1, le=2**31)]
_FILE_NAME = re.compile(r"[^A-Za-z0-9]+")


router = APIRouter(route_class=ProjectRoute, prefix="/v1/projects", tags=["projects"])


@router.get("", responses=answers(ProjectList, 404, 409))
def projects(request: Request) -> Response:
    """List the projects, the last changed first. `kept` is false where they end with the server."""
    kept = request.app.state.settings.projects is not None
    return answer_kept({"kept": kept, "projects": folder_of(request).entries()})


@router.post("", responses=answers(ShownContent, 404, 409))
def create(request: Request, body: NewProject) -> Response:
    """Begin a project."""
    with folder_of(request).create(body.name, body.note) as opened:
        return answer_kept(with_history(opened.content()))


@router.post("/import", responses=answers(ShownContent, 404, 409))
async def import_project(
    request: Request, file: Annotated[UploadFile, File(description="An exported project.")]
) -> Response:
    """Begin a project with all that an exported one holds. It is read in a process of its own."""

    def made() -> Response:
        folder = folder_of(request)
        with stored_upload(file.file, file.filename, MOST_BYTES) as path:
            found = read_apart("project", path, str(folder.path.absolute()))
        with folder.open(found["id"]) as opened:
            return answer_kept(with_history(opened.content()))

    return await answer_made(request, made)


@router.get("/{project}", responses=answers(ShownContent, 404, 409))
def content(request: Request, project: ProjectId, since: Annotated[int, Query(ge=-1, le=2**31)] = -1) -> Response:
    """Return what a project holds, or what of it changed after a revision; results and charts without their content."""
    with folder_of(request).open(project) as opened:
        return answer_kept(with_history(opened.content(since)))


@router.put("/{project}", responses=answers(Head, 404, 409))
def rename(request: Request, project: ProjectId, body: HeadBody) -> Response:
    """Change the name and the note."""
    with folder_of(request).open(project) as opened:
        return answer_kept(opened.rename(body.name, body.note, body.version))


@router.delete("/{project}", responses=answers(Deleted, 404, 409))
def delete(request: Request, project: ProjectId) -> Response:
    """Remove a project with all it holds. This cannot be undone."""
    folder_of(request).delete(project)
    return answer_kept({"deleted": project})


@router.put("/{project}/draft", responses=answers(Draft, 404, 409))
def draft(request: Request, project: ProjectId, body: DraftBody) -> Response:
    """Keep what stands in the form and was not searched for yet."""
    with folder_of(request).open(project) as opened:
        return answer_kept(opened.keep_draft(body.content, body.version))


@router.put("/{project}/marks/{index}/{id:path}", responses=answers(Mark, 404, 409))
def mark(request: Request, project: ProjectId, index: PathId, id: PathId, body: MarkBody) -> Response:  # noqa: A002
    """Mark a document or a passage, with a note. A stale version is refused with 409 and what is there now."""
    facts, passage, document = marked(request, index, id, body)
    said = Mark(
        index, id, document, body.mark, body.note, passage, body.version, category=body.category, claim=body.claim
    )
    with folder_of(request).open(project) as opened:
        return answer_kept(opened.set_mark(said, facts))


@router.put("/{project}/cells", responses=answers(Ruling, 404, 409))
def cell(request: Request, project: ProjectId, body: RulingBody) -> Response:
    """Set one's own verdict on a cell of a chart, with a note and a quotation. A stale version is refused with 409 and what
    is there now; a quotation that is not in the document word for word is refused with 400."""
    place = (body.index, body.element, body.document)
    ruling = Ruling(*place, body.verdict, body.note, quoted(request, body), body.version, claim=body.claim)
    with folder_of(request).open(project) as opened:
        return answer_kept(opened.overrule(ruling))


@router.post("/{project}/searches", responses=answers(ShownSearchMade, 404, 409))
async def add_search(request: Request, project: ProjectId, body: SearchBody) -> Response:
    """Search, and add it to the history: what was asked, and the answer as it came. The answer has what the page shows of it."""

    def made() -> dict[str, Any]:
        with folder_of(request).open(project) as opened:
            before = opened.search(body.previous).result.get("hits", ()) if body.previous else None
            asked = {
                "claim": body.claim,
                "automatic": body.automatic,
                "before": None if before is None else [hit["document"] for hit in before],
            }
            return _searched(request, opened, body.index, body.search, asked)

    return await answer_query(request, body.search.query, made, rerank=body.search.rerank)


@router.post("/{project}/searches/{number}/new", responses=answers(ShownSearchMade, 404, 409))
async def new(request: Request, project: ProjectId, number: Number) -> Response:
    """Search again over what came into the index since a search was made, and add it to the history."""

    def made() -> dict[str, Any]:
        with folder_of(request).open(project) as opened:
            earlier = opened.search(number)
            found = watched(earlier.result, earlier.index)
            if found is None:
                raise InputError("This search does not say which state of the index answered it. Search again.")
            asked = {name: value for name, value in earlier.request.items() if name in _BESIDE_A_SEARCH}
            since = {"new_since": earlier.made[:10], "before": None}
            return _searched(request, opened, earlier.index, found.what_came_since, asked | since)

    return await answer_query(request, None, made)


@router.get("/{project}/searches", responses=answers(list[SearchMade], 404, 409))
def searches(request: Request, project: ProjectId) -> Response:
    """List the searches that were made: when, in which index, what was asked, how many documents were found."""
    with folder_of(request).open(project) as opened:
        return answer_kept(opened.content().searches)


@router.get("/{project}/searches/{number}", responses=answers(ShownSearchMade, 404, 409))
def search(request: Request, project: ProjectId, number: Number) -> Response:
    """Return a search that was made, with what it found and what the page shows of it."""
    with folder_of(request).open(project) as opened:
        return answer_kept(_shown(opened.search(number)))


@router.post("/{project}/charts", responses=answers(ShownChart, 404, 409, events=True))
async def add_chart(request: Request, project: ProjectId, body: ChartBody) -> Response:
    """Make a chart, or find combinations, and keep it; with Accept: text/event-stream, progress comes first."""

    def made() -> dict[str, Any]:
        service = service_of(request)
        with folder_of(request).open(project) as opened:
            if body.chart is not None:
                asked, chart, together = request_record(body.chart), public(service.chart(body.index, body.chart)), None
            else:
                assert body.combine is not None
                for_claim = opened.content().of_claim(opened.claim_of(body.combine.claim))
                combine = with_project(body.combine, body.index, for_claim)
                found = public(service.combine(body.index, combine))
                asked, chart, together = request_record(combine), found["chart"], found["combinations"]
            return _shown_chart(opened, opened.add_chart(body.index, asked, chart, together))

    return await answer_long(request, made)


@router.get("/{project}/charts/{number}", responses=answers(ShownChart, 404, 409))
def chart(request: Request, project: ProjectId, number: Number) -> Response:
    """Return a chart as it was made, and as the page shows it: with the searcher's own verdicts."""
    with folder_of(request).open(project) as opened:
        return answer_kept(_shown_chart(opened, opened.chart(number)))


_BESIDE_A_SEARCH = ("claim", "automatic")


def _searched(
    request: Request, project: Project, index: str, search: SearchRequest, beside: Mapping[str, Any]
) -> dict[str, Any]:
    """Search, add it to the history of a project with what belongs to it, and return it with what the page shows of it."""
    result = public(service_of(request).search(index, search))
    used = {
        "query": (search.query or result["query"])[:MOST_SHOWN],
        "searched": result["searched"],
        "ranking": result["about"]["ranking"],
    }
    return _shown(project.add_search(index, {**request_record(search), **beside, "used": used}, result))


def _files(*media: str) -> dict[int | str, dict[str, Any]]:
    """Describe an answer that is a file."""
    binary = {"type": "string", "format": "binary"}
    kinds = [one.partition(";")[0] for one in media]
    content = {one: {"schema": {"type": "object"} if one.endswith("/json") else binary} for one in kinds}
    return {200: {"description": "The file.", "content": content}, **may_answer(404)}


@router.get("/{project}/export", responses=_files("application/json"))
def export(request: Request, project: ProjectId) -> Response:
    """Return all that a project holds as one file, which can be imported elsewhere."""
    with folder_of(request).open(project) as opened:
        name = opened.head().name
    return _download(folder_of(request).exported(project), f"{name} project", "json", "application/json")


@router.get("/{project}/report.{kind}", responses=_files(*(one.media for one in PROJECT_EXPORTS.values())))
async def report(
    request: Request,
    project: ProjectId,
    kind: Annotated[str, Path(pattern=f"^({'|'.join(PROJECT_EXPORTS)})$")],
    searches: bool = True,
    marks: bool = True,
    notes: bool = True,
    charts: Annotated[str | None, Query(pattern=r"^\d{0,9}(,\d{1,9})*$", description="Only these, as 1,3.")] = None,
) -> Response:
    """Return a report: docx, pdf, xlsx, csv, html, json, or references of the relevant documents as ris or bib."""
    chosen = None if charts is None else tuple(int(one) for one in charts.split(",") if one)
    parts = ReportParts(searches, marks, notes, chosen)

    def made() -> Response:
        with folder_of(request).open(project) as opened:
            view = project_view(opened.content(whole=True), parts)
        made_of = PROJECT_EXPORTS[kind]
        return _download(made_of.make(view), view.content.head.name, kind, made_of.media)

    return await answer_made(request, made)


def _shown(made: SearchMade) -> dict[str, Any]:
    return {**record(made), "view": search_view(made), "history": history_line(made)}


def _shown_chart(project: Project, made: KeptChart) -> dict[str, Any]:
    return {**record(made), "view": chart_view(made, project.content().rulings)}


def _download(content: bytes, name: str, kind: str, media: str) -> Response:
    plain = _FILE_NAME.sub("-", name).strip("-")[:60] or "project"
    return Response(
        content, media_type=media, headers={"content-disposition": f'attachment; filename="{plain}.{kind}"'}
    )
