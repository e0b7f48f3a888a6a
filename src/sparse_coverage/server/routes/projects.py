"""Projects: what a user searched for, marked, noted and charted, kept and reported."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, File, Path, Query, Request, UploadFile
from starlette.responses import Response

from sparse_coverage.present.project_report import REPORTS
from sparse_coverage.present.project_view import project_view
from sparse_coverage.projects import Content, Draft, Head, KeptChart, Mark, Ruling, SearchMade
from sparse_coverage.server.answering import answer_made
from sparse_coverage.server.answers import answers
from sparse_coverage.server.bodies import Id
from sparse_coverage.server.errors import may_answer
from sparse_coverage.server.kept_projects import (
    ChartMadeBody,
    Deleted,
    DraftBody,
    HeadBody,
    MarkBody,
    NewProject,
    ProjectList,
    RulingBody,
    SearchMadeBody,
    answer_kept,
    folder_of,
    kept_in,
    marked,
)

ProjectId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$", description="The id that the project got when it was made.")]
Number = Annotated[int, Path(ge=1, le=2**31)]
_FILE_NAME = re.compile(r"[^A-Za-z0-9]+")


def projects_router() -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/v1/projects", tags=["projects"])
    _add_projects(router)
    _add_changes(router)
    _add_reports(router)
    return router


def _add_projects(router: APIRouter) -> None:
    @router.get("", responses=answers(ProjectList, 404, 409))
    def projects(request: Request) -> Response:
        """List the projects, the last changed first. `kept` is false where they end with the server."""
        return answer_kept(lambda: {"kept": kept_in(request), "projects": folder_of(request).entries()})

    @router.post("", responses=answers(Content, 404, 409))
    def create(request: Request, body: NewProject) -> Response:
        """Begin a project."""

        def made() -> Any:
            with folder_of(request).create(body.name, body.note) as project:
                return project.content()

        return answer_kept(made)

    @router.post("/import", responses=answers(Content, 404, 409))
    def import_project(
        request: Request, file: Annotated[UploadFile, File(description="An exported project.")]
    ) -> Response:
        """Begin a project with all that an exported one holds."""

        def made() -> Any:
            with folder_of(request).imported(file.file.read()) as project:
                return project.content()

        return answer_kept(made)

    @router.get("/{project}", responses=answers(Content, 404, 409))
    def content(request: Request, project: ProjectId, since: Annotated[int, Query(ge=-1, le=2**31)] = -1) -> Response:
        """Return what a project holds, or what of it changed after a revision; results and charts without their content."""
        return answer_kept(_with(request, project, lambda opened: opened.content(since)))

    @router.put("/{project}", responses=answers(Head, 404, 409))
    def rename(request: Request, project: ProjectId, body: HeadBody) -> Response:
        """Change the name and the note."""
        return answer_kept(_with(request, project, lambda opened: opened.rename(body.name, body.note, body.version)))

    @router.delete("/{project}", responses=answers(Deleted, 404, 409))
    def delete(request: Request, project: ProjectId) -> Response:
        """Remove a project with all it holds. This cannot be undone."""

        def made() -> Any:
            folder_of(request).delete(project)
            return {"deleted": project}

        return answer_kept(made)


def _add_changes(router: APIRouter) -> None:
    @router.put("/{project}/draft", responses=answers(Draft, 404, 409))
    def draft(request: Request, project: ProjectId, body: DraftBody) -> Response:
        """Keep what stands in the form and was not searched for yet."""
        return answer_kept(_with(request, project, lambda opened: opened.keep_draft(body.content, body.version)))

    @router.put("/{project}/marks/{index}/{id:path}", responses=answers(Mark, 404, 409))
    def mark(request: Request, project: ProjectId, index: Id, id: Id, body: MarkBody) -> Response:  # noqa: A002
        """Mark a document or a passage, with a note. A stale version is refused with 409 and what is there now."""

        def made() -> Mark:
            facts, passage, document = marked(request, index, id, body)
            with folder_of(request).open(project) as opened:
                mark = Mark(index, id, document, body.mark, body.note, passage, body.version)
                return opened.set_mark(mark, facts)

        return answer_kept(made)

    @router.put("/{project}/cells", responses=answers(Ruling, 404, 409))
    def cell(request: Request, project: ProjectId, body: RulingBody) -> Response:
        """Set one's own word for a cell of a chart, with a note. A stale version is refused with 409 and what is there now."""
        ruling = Ruling(body.index, body.element, body.document, body.word, body.note, body.version)
        return answer_kept(_with(request, project, lambda opened: opened.overrule(ruling)))

    @router.post("/{project}/searches", responses=answers(SearchMade, 404, 409))
    def add_search(request: Request, project: ProjectId, body: SearchMadeBody) -> Response:
        """Add a search that was made to the history: what was asked, and the answer as it came."""
        return answer_kept(
            _with(request, project, lambda opened: opened.add_search(body.index, body.request, body.result))
        )

    @router.get("/{project}/searches", responses=answers(list[SearchMade], 404, 409))
    def searches(request: Request, project: ProjectId) -> Response:
        """List the searches that were made: when, in which index, what was asked, how many documents were found."""
        return answer_kept(_with(request, project, lambda opened: opened.content().searches))

    @router.get("/{project}/searches/{number}", responses=answers(SearchMade, 404, 409))
    def search(request: Request, project: ProjectId, number: Number) -> Response:
        """Return a search that was made, with what it found."""
        return answer_kept(_with(request, project, lambda opened: opened.search(number)))

    @router.post("/{project}/charts", responses=answers(KeptChart, 404, 409))
    def add_chart(request: Request, project: ProjectId, body: ChartMadeBody) -> Response:
        """Keep a chart that was made, and the combinations where there are some."""
        return answer_kept(
            _with(
                request,
                project,
                lambda opened: opened.add_chart(body.index, body.request, body.chart, body.combinations),
            )
        )

    @router.get("/{project}/charts/{number}", responses=answers(KeptChart, 404, 409))
    def chart(request: Request, project: ProjectId, number: Number) -> Response:
        """Return a chart that was made, as it was made: without any word of a user."""
        return answer_kept(_with(request, project, lambda opened: opened.chart(number)))


def _add_reports(router: APIRouter) -> None:
    @router.get("/{project}/export", responses=_files("application/json"))
    def export(request: Request, project: ProjectId) -> Response:
        """Return all that a project holds as one file, which can be imported elsewhere."""

        def made() -> Response:
            with folder_of(request).open(project) as opened:
                name = opened.head().name
            return _download(folder_of(request).exported(project), f"{name} project", "json", "application/json")

        return answer_kept(made)

    @router.get("/{project}/report.{kind}", responses=_files(*(one.media for one in REPORTS.values())))
    async def report(request: Request, project: ProjectId, kind: Annotated[str, Path(pattern=_kinds())]) -> Response:
        """Return a report: docx, xlsx, csv, html, json, or references of the relevant documents as ris or bib."""

        def made() -> Response:
            with folder_of(request).open(project) as opened:
                view = project_view(opened.content(whole=True))
            made_of = REPORTS[kind]
            return _download(made_of.make(view), view.content.head.name, kind, made_of.media)

        return await answer_made(request, lambda: answer_kept(made))


def _files(*media: str) -> dict[int | str, dict[str, Any]]:
    """Describe an answer that is a file."""
    binary = {"type": "string", "format": "binary"}
    kinds = [one.partition(";")[0] for one in media]
    content = {one: {"schema": {"type": "object"} if one.endswith("/json") else binary} for one in kinds}
    return {200: {"description": "The file.", "content": content}, **may_answer(404)}


def _kinds() -> str:
    return f"^({'|'.join(REPORTS)})$"


def _with(request: Request, project: str, use: Callable[[Any], Any]) -> Callable[[], Any]:
    def made() -> Any:
        with folder_of(request).open(project) as opened:
            return use(opened)

    return made


def _download(content: str | bytes, name: str, kind: str, media: str) -> Response:
    plain = _FILE_NAME.sub("-", name).strip("-")[:60] or "project"
    body = content.encode("utf-8", "replace") if isinstance(content, str) else content
    return Response(body, media_type=media, headers={"content-disposition": f'attachment; filename="{plain}.{kind}"'})
