"""What the routes of projects share: where projects are kept, the bodies of changes, and the answers to them."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import JSONResponse, Response

from sparse_coverage.errors import NoDocumentError
from sparse_coverage.index import PassageRecord
from sparse_coverage.present.records import record, to_json
from sparse_coverage.projects import DocumentFacts, ProjectEntry, ProjectFolder, StaleError, UnknownError
from sparse_coverage.search.stored import stored_passages, whole_id
from sparse_coverage.server.bodies import Body, Id
from sparse_coverage.server.errors import Refusal, refuse
from sparse_coverage.server.holdings import Holdings, UnknownIndexError
from sparse_coverage.server.public import public

Note = Annotated[str, StringConstraints(max_length=100_000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"\S")]
Version = Annotated[int, Field(ge=0, description="That of what the change was made on; 0 where there was nothing.")]
_opening = threading.Lock()


class NewProject(Body):
    """A project to begin."""

    name: Name
    note: Note = ""


class HeadBody(Body):
    """A new name and note."""

    name: Name
    note: Note = ""
    version: Version


class DraftBody(Body):
    """What stands in the form."""

    content: dict[str, Any]
    version: Version


class MarkBody(Body):
    """What a user says about a document or passage."""

    mark: Literal["relevant", "not"] | None
    note: Note = ""
    version: Version


class RulingBody(Body):
    """A user's own word for what a document says to an element; null for the word that was found."""

    index: Id
    element: Annotated[str, StringConstraints(min_length=1, max_length=200_000)]
    document: Id
    word: Literal["disclosed", "partly", "not found"] | None
    note: Note = ""
    version: Version


class SearchMadeBody(Body):
    """A search that was made."""

    index: Id
    request: dict[str, Any] = Field(description="The body that the search was asked with.")
    result: dict[str, Any] = Field(description="The answer to it.")


class ChartMadeBody(Body):
    """A chart that was made."""

    index: Id
    request: dict[str, Any]
    chart: dict[str, Any]
    combinations: dict[str, Any] | None = None


class ProjectList(BaseModel):
    """The projects, the last changed first. `kept` is false where they end with the server."""

    kept: bool
    projects: list[ProjectEntry]


class Deleted(BaseModel):
    """The id of the project that is gone."""

    deleted: str


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


def kept_in(request: Request) -> bool:
    """Tell whether projects are still there when the server was stopped."""
    return request.app.state.settings.projects is not None


def marked(
    request: Request, index: str, id_: str, body: MarkBody
) -> tuple[DocumentFacts | None, PassageRecord | None, str]:
    """Return what the index has of a document or passage that is marked, and the id of the document.

    What was marked before may be changed although the index is not here, as in a project from another machine.
    """
    holdings: Holdings = request.app.state.holdings
    try:
        store = holdings.snapshot(index).store
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


def answer_kept(make: Callable[[], Any]) -> Response:
    """Answer with what a function gives; a stale change with what is there now."""
    try:
        made = make()
    except StaleError as stale:
        content = Refusal(409, str(stale)).record() | {"current": record(stale.current)}
        return JSONResponse(content, 409)
    except UnknownError as error:
        return refuse(Refusal(404, str(error)))
    except (sqlite3.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error  # without the file's name, which is the server's
        return refuse(Refusal(503, f"The project cannot be read or written: {why}", "Look at the disk of the server."))
    return made if isinstance(made, Response) else Response(to_json(made).encode(), media_type="application/json")
