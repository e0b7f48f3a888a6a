"""What the routes of projects share: where projects are kept, the bodies of changes, and the answers to them."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from sparse_coverage.charts.chart import Quote, Verdict
from sparse_coverage.dataclass_json import Bounds, record, to_json
from sparse_coverage.errors import InputError, NoDocumentError
from sparse_coverage.index import PassageRecord
from sparse_coverage.present.page_chart import ChartView
from sparse_coverage.present.page_view import HistoryLine, SearchView, history_line
from sparse_coverage.projects import (
    Content,
    DocumentFacts,
    KeptChart,
    ProjectEntry,
    ProjectFolder,
    SearchMade,
)
from sparse_coverage.projects.records import Category, ElementOfClaim, Name, Note, Relevance
from sparse_coverage.search.stored import stored_passages, whole_id
from sparse_coverage.server.answering import PooledRoute, public
from sparse_coverage.server.answers import described
from sparse_coverage.server.errors import refuse, refused_by_disk
from sparse_coverage.server.indexes import ServedIndexes, UnknownIndexError
from sparse_coverage.workspace import ChartRequest, CombineRequest, SearchRequest
from sparse_coverage.workspace.requests import CellVerdict, Id, QuotationRequest, Says
from sparse_coverage.workspace.requests import Request as AnyRequest

Version = Annotated[int, Bounds(), Says("That of what the change was made on; 0 where there was nothing.")]
OfClaim = Annotated[int, Bounds(), Says("The number of the claim of the project that it is said for; 0 for none.")]
_opening = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProject(AnyRequest):
    """A project to begin."""

    name: Name
    note: Note = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadBody(NewProject):
    """A new name and note."""

    version: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftBody(AnyRequest):
    """What stands in the form."""

    content: dict[str, Any]
    version: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkBody(AnyRequest):
    """What a user says about a document or passage."""

    mark: Relevance | None
    note: Note = ""
    category: Annotated[Category | None, Says("Of a search report, of a whole document.")] = None
    claim: OfClaim = 0
    version: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingBody(AnyRequest):
    """A user's own verdict on what a document says to an element; null for the one that was found."""

    index: Id
    element: ElementOfClaim
    document: Id
    verdict: Verdict | None
    note: Note = ""
    quotation: Annotated[
        Note, Says("What shows it, word for word as it stands in the document; none for an empty text.")
    ] = ""
    claim: OfClaim = 0
    version: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBody(AnyRequest):
    """A search to be made and kept."""

    index: Id
    search: SearchRequest
    claim: Annotated[str | None, Says("The claim to chart, where it is not the whole query.", limit="characters")] = (
        None
    )
    automatic: Annotated[str, Bounds(0, 400), Says("Which filters came with the patent, in words.")] = ""
    previous: Annotated[int | None, Bounds(1), Says("The search whose ranking this one is set beside.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartBody(AnyRequest):
    """A chart, or the combinations of documents for a claim: one of them is made and kept."""

    index: Id
    chart: ChartRequest | None = None
    combine: CombineRequest | None = None

    def __post_init__(self) -> None:
        AnyRequest.__post_init__(self)
        if (self.chart is None) == (self.combine is None):
            raise InputError("Ask for a `chart` or for `combine`: one of them.")


class ProjectList(BaseModel):
    """The projects, the last changed first. `kept` is false where they end with the server."""

    kept: bool
    projects: list[ProjectEntry]


ShownContent = described(
    "ShownContent",
    "All that a project holds, or what of it changed since a revision; and its history in words, by the numbers of the searches.",
    Content,
    history=dict[int, HistoryLine],
)
ShownSearchMade = described(
    "ShownSearchMade",
    "A search that was made, with what it found, and what the page shows of it.",
    SearchMade,
    view=SearchView,
    history=HistoryLine,
)
ShownChart = described(
    "ShownChart",
    "A chart that was made, and what the page shows of it with the searcher's own verdicts.",
    KeptChart,
    view=ChartView,
)


class Deleted(BaseModel):
    """The id of the project that is gone."""

    deleted: str


def with_history(content: Content) -> dict[str, Any]:
    """Return what a project holds with its history in words."""
    return {**record(content), "history": {one.number: history_line(one) for one in content.searches}}


def folder_of(request: Request) -> ProjectFolder:
    """Return where projects are: the folder of the settings, else one that ends with the server."""
    state = request.app.state
    with _opening:
        if not hasattr(state, "project_folder"):
            given: Path | None = state.settings.projects
            if given is None:
                given = Path(tempfile.mkdtemp(prefix="sparse-coverage-projects-"))
                weakref.finalize(request.app, shutil.rmtree, given, ignore_errors=True)
            state.project_folder = ProjectFolder(given)
    folder: ProjectFolder = state.project_folder
    return folder


def marked(
    request: Request, index: str, id_: str, body: MarkBody
) -> tuple[DocumentFacts | None, PassageRecord | None, str]:
    """Return what the index has of a document or passage that is marked, and the id of the document.

    What was marked before may be changed although the index is not here, as in a project from another machine.
    """
    indexes: ServedIndexes = request.app.state.indexes
    try:
        with indexes.opened(index) as opened:
            store = opened.store
            for place in [len(id_), *(place for place in range(len(id_) - 1, 0, -1) if id_[place] == "/")]:
                number = store.find_document(id_[:place])
                if number is None:
                    continue
                document = store.document(number)
                known = public(document)
                facts = DocumentFacts(index, document.id, document.title, known["metadata"])
                if place == len(id_):
                    return facts, None, document.id
                for passage in stored_passages(store, number):
                    if whole_id(passage.id) == whole_id(id_):
                        return facts, passage, document.id
        raise NoDocumentError(f"The index {index} has no document or passage {id_}.")
    except (UnknownIndexError, NoDocumentError):
        if not body.version:
            raise
        return None, None, id_


def with_project(asked: CombineRequest, index: str, content: Content) -> CombineRequest:
    """Return what is asked with what a project says for the claim: verdicts of the user's own, and documents marked not relevant."""
    rulings = [one for one in content.rulings if one.index == index and one.verdict is not None]
    without = [one.id for one in content.marks if one.index == index and one.mark == "not" and one.passage is None]
    verdicts = tuple(CellVerdict(one.element, one.document, one.verdict) for one in rulings if one.verdict)
    return replace(asked, verdicts=verdicts, without=tuple(without))


def quoted(request: Request, body: RulingBody) -> Quote | None:
    """Return where the quotation of a verdict stands in its document; one that does not stand there is refused."""
    if not body.quotation.strip():
        return None
    indexes: ServedIndexes = request.app.state.indexes
    with indexes.opened(body.index) as opened:
        return opened.quotation(QuotationRequest(id=body.document, text=body.quotation))


class ProjectRoute(PooledRoute):
    """A route that says so where the file of a project cannot be read or written."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        handle = super().get_route_handler()

        async def kept(request: Request) -> Response:
            try:
                return await handle(request)
            except OSError as error:  # told without the file's name, which is the server's
                return refuse(refused_by_disk(error.strerror))

        return kept


def answer_kept(made: Any) -> Response:
    """Answer with what a project gave."""
    return Response(to_json(made).encode(), media_type="application/json")
