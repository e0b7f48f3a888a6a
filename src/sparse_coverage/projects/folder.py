"""A folder of projects, each a SQLite file under a name that the program gave it: no path ever comes from a user."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from sparse_coverage.dataclass_json import check_dataclass, from_json, parse_json
from sparse_coverage.errors import InputError
from sparse_coverage.files import sync_folder
from sparse_coverage.projects.project import Project, check_content, now
from sparse_coverage.projects.project_file import VERSION, create_file, execute
from sparse_coverage.projects.records import MOST_NAME, Content, Head, UnknownError

KIND, FORMAT = "sparse-coverage project", VERSION
"""What an exported project says of itself, and the number of its format."""
MOST_BYTES, MOST_VALUES = 64 << 20, 4_000_000
"""How large an exported project may be: a few hundred searches and charts."""
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
        return self._made(Head("", name.strip(), note, now(), now(), 0, 0))

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

    def exported(self, id_: str) -> bytes:
        """Return all that a project holds as the content of one file, which `imported` takes on any machine."""
        with self.open(id_) as project:
            content = project.content(whole=True)
        return json.dumps({"kind": KIND, "format": FORMAT, **asdict(content)}, ensure_ascii=True, indent=1).encode()

    def imported(self, exported: bytes) -> Project:
        """Make a new project from an exported one. Anything else is refused, and then no project is made.

        A name that another project has is counted on, so that both can be told apart.
        """
        content = read_export(exported)
        taken = {one.head.name for one in self.entries() if one.head}
        name = content.head.name
        for number in count(2):
            if name not in taken:
                break
            name = f"{content.head.name[: MOST_NAME - 8]} ({number})"
        head = replace(content.head, name=name)
        return self._made(head, replace(content, head=head))

    def _made(self, head: Head, content: Content | None = None) -> Project:
        """Write a project under another name, and give it its own only when all of it is there."""
        check_dataclass(head)
        path = self._path(secrets.token_hex(6))
        partial = path.with_suffix(".partial")
        try:
            connection = create_file(partial)
            try:
                row = (head.name, head.note, now(), now())
                execute(connection, "INSERT INTO project VALUES (1, ?, ?, ?, ?, 0, 0)", row)
            finally:
                connection.close()
            if content is not None:
                with Project(partial) as project:
                    project.fill(content)
            partial.replace(path)
        except sqlite3.IntegrityError as error:
            raise InputError(f"Not a whole project: something is in it twice ({error}).") from None
        finally:
            partial.unlink(missing_ok=True)
        sync_folder(self.path)
        return Project(path)

    def _path(self, id_: str) -> Path:
        if not _ID.fullmatch(id_):
            raise _unknown(id_)
        return self.path / f"{id_}.sqlite"


def read_export(exported: bytes) -> Content:
    """Return what an exported project holds. It is measured before it is parsed, and each field checked: an error names the place."""
    if len(exported) > MOST_BYTES:
        raise InputError(f"An exported project has at most {MOST_BYTES:,} bytes; this has {len(exported):,}.")
    try:
        record: Any = parse_json(exported, MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Not an exported project: it is no JSON ({error}).") from None
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise InputError("Not an exported project of this program. Choose a file that a project was exported to.")
    if record.get("format") != FORMAT:
        raise InputError(
            f"The project was exported in format {str(record.get('format'))[:20]}; this program reads format {FORMAT}. "
            "Export it again with the version of the program that made it last, and import that."
        )
    content = from_json(Content, record, "project")
    check_content(content)
    return content


def _unknown(id_: str) -> UnknownError:
    return UnknownError(f"There is no project '{id_[:40]}'. It may have been deleted.")
