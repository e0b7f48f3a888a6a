"""A folder of projects, each a SQLite file under a name that the program gave it: no path ever comes from a user."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError
from sparse_coverage.files import sync_folder
from sparse_coverage.projects.kept import Content, Head, UnknownError
from sparse_coverage.projects.project import Project, now
from sparse_coverage.projects.schema import create_file, execute
from sparse_coverage.restoring import restored

FORMAT = "sparse-coverage project 1"
"""What the first entry of an exported project says."""
_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class ProjectEntry:
    """A project of a folder: its head, or what is wrong with its file."""

    id: str
    head: Head | None
    problem: str = ""


class ProjectFolder:
    """The projects in a folder, which is made where it is missing.

    folder = ProjectFolder(Path("projects"))
    with folder.create("Valves") as project:
        ...
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def entries(self) -> list[ProjectEntry]:
        """Return all projects, the last changed first; a damaged file is listed with what is wrong."""
        found = []
        for path in sorted(self.path.glob("*.sqlite")):
            if not _ID.fullmatch(path.stem):
                continue
            try:
                with Project(path) as project:
                    found.append(ProjectEntry(path.stem, project.head()))
            except (InputError, sqlite3.DatabaseError) as error:
                found.append(ProjectEntry(path.stem, None, str(error)))
        return sorted(found, key=lambda one: one.head.changed if one.head else "", reverse=True)

    def create(self, name: str, note: str = "") -> Project:
        """Make an empty project and open it."""
        if not name.strip():
            raise InputError("A project needs a name.")
        path = self._path(secrets.token_hex(6))
        partial = path.with_suffix(".partial")
        connection = create_file(partial)
        execute(connection, "INSERT INTO project VALUES (1, ?, ?, ?, ?, 0, 0)", (name.strip(), note, now(), now()))
        connection.close()
        partial.replace(path)
        sync_folder(self.path)
        return Project(path)

    def open(self, id_: str) -> Project:
        """Open a project."""
        path = self._path(id_)
        if not path.exists():
            raise _unknown(id_)
        return Project(path)

    def delete(self, id_: str) -> None:
        """Remove a project with all it holds."""
        path = self._path(id_)
        if not path.exists():
            raise _unknown(id_)
        path.unlink()
        sync_folder(self.path)

    def exported(self, id_: str) -> str:
        """Return all that a project holds as the text of one file, which `imported` takes on any machine."""
        with self.open(id_) as project:
            content = project.content(whole=True)
        return json.dumps({"format": FORMAT, **asdict(content)}, ensure_ascii=True, indent=1)

    def imported(self, text: str | bytes) -> Project:
        """Make a new project of an exported one; whatever is not one is refused, and then nothing was made."""
        try:
            record: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"Not an exported project: it is no JSON ({error}).") from None
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise InputError("Not an exported project of this program. Choose a file that a project was exported to.")
        content = restored(Content, record)
        project = self.create(content.head.name or "Imported")
        try:
            project.fill(content)
        except BaseException as error:
            project.close()
            self.delete(project.id)
            if isinstance(error, sqlite3.IntegrityError):
                raise InputError(f"Not a whole project: something is in it twice ({error}).") from None
            raise
        return project

    def _path(self, id_: str) -> Path:
        if not _ID.fullmatch(id_):
            raise _unknown(id_)
        return self.path / f"{id_}.sqlite"


def _unknown(id_: str) -> UnknownError:
    return UnknownError(f"There is no project '{id_[:40]}'. It may have been deleted.")
