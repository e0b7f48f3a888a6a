"""The file of a project: its tables, how it is opened so that what was acknowledged is on the disk, and what its rows stand for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from sparse_coverage.dataclass_json import from_json, require_depth
from sparse_coverage.errors import InputError
from sparse_coverage.projects.records import (
    Asked,
    Content,
    DocumentFacts,
    Draft,
    Head,
    KeptChart,
    Mark,
    ProjectClaim,
    Ruling,
    SearchMade,
    UnknownError,
)

VERSION = 3
_APPLICATION = 0x5343504A  # "SCPJ": what SQLite writes into the file to tell whose it is
_TABLES = f"""
CREATE TABLE project (
    one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, note TEXT NOT NULL, created TEXT NOT NULL,
    changed TEXT NOT NULL, version INTEGER NOT NULL, revision INTEGER NOT NULL
);
CREATE TABLE draft (one INTEGER PRIMARY KEY CHECK (one = 1), content TEXT NOT NULL, version INTEGER NOT NULL);
CREATE TABLE claims (number INTEGER PRIMARY KEY, text TEXT NOT NULL, version INTEGER NOT NULL);
CREATE TABLE searches (
    number INTEGER PRIMARY KEY, claim INTEGER NOT NULL, made TEXT NOT NULL, index_name TEXT NOT NULL, request TEXT NOT NULL,
    documents INTEGER NOT NULL, result TEXT NOT NULL, version INTEGER NOT NULL
);
CREATE TABLE marks (
    claim INTEGER NOT NULL, index_name TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, mark TEXT, note TEXT NOT NULL,
    category TEXT, passage TEXT, version INTEGER NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (claim, index_name, id)
);
CREATE TABLE rulings (
    claim INTEGER NOT NULL, index_name TEXT NOT NULL, element TEXT NOT NULL, document TEXT NOT NULL, verdict TEXT, note TEXT NOT NULL,
    quote TEXT, version INTEGER NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (claim, index_name, element, document)
);
CREATE TABLE charts (
    number INTEGER PRIMARY KEY, claim INTEGER NOT NULL, made TEXT NOT NULL, index_name TEXT NOT NULL, request TEXT NOT NULL,
    chart TEXT NOT NULL, combinations TEXT, version INTEGER NOT NULL
);
CREATE TABLE documents (
    index_name TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, metadata TEXT NOT NULL, PRIMARY KEY (index_name, id)
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""
_WAIT = 10.0
"""Seconds that a change waits for another one to end."""

_JSON = frozenset(("content", "passage", "quote", "request", "result", "chart", "combinations", "metadata"))
_TABLE_OF: Mapping[type[Any], str] = {
    Draft: "draft",
    ProjectClaim: "claims",
    SearchMade: "searches",
    Mark: "marks",
    Ruling: "rulings",
    KeptChart: "charts",
    DocumentFacts: "documents",
}

T = TypeVar("T")


def create_file(path: Path) -> sqlite3.Connection:
    """Make the tables in a new file."""
    connection = _connected(path, "rwc")
    with _closed_on_error(connection):
        connection.executescript(f"BEGIN; {_TABLES} COMMIT;")
    return connection


def _expected() -> dict[str, str]:
    """Return the statements that made each table, as SQLite keeps them."""
    statements = (one.strip() for one in _TABLES.split(";"))
    return {one.split()[2]: one for one in statements if one.startswith("CREATE TABLE")}


def open_file(path: Path) -> sqlite3.Connection:
    """Open a project's file; one that is damaged or not a project is an error that names it."""
    try:
        connection = _connected(path, "rw")
        with _closed_on_error(connection):
            marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
            # Looked at before any query runs: a view or trigger of someone else's could keep every reader busy for ever.
            schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 100"))
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter where a message of SQLite quotes damage
        raise InputError(f"{path.name}: not a project that can be read ({error}). Import an export of it.") from None
    with _closed_on_error(connection):
        if marks[0] != _APPLICATION:
            raise InputError(f"{path.name}: not a project. Take it out of the folder of projects.")
        if marks[1] != VERSION:
            raise InputError(
                f"{path.name}: a project of format {marks[1]}; this program reads format {VERSION}. "
                "Export it with the version of the program that made it, and import that."
            )
        if schema != _expected():
            raise InputError(
                f"{path.name}: its tables are not those of a project; the file is damaged. Import an export of it."
            )
    return connection


def execute(connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
    """Run a statement. Half of a surrogate pair, which SQLite refuses, becomes a question mark."""
    return connection.execute(
        statement, [one.encode("utf-8", "replace").decode() if isinstance(one, str) else one for one in values]
    )


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    # A rollback journal: between changes the project is exactly one file. EXTRA also syncs the folder when the journal goes, so
    # that a change that was told to be there survives a power failure, too.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=_WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    with _closed_on_error(connection):
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = EXTRA")
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def read_head(connection: sqlite3.Connection, id_: str) -> Head:
    """Return the one row of the project itself."""
    row = connection.execute("SELECT * FROM project").fetchone()
    if row is None:
        raise InputError(f"The project {id_} has no name; its file is damaged. Import an export of it.")
    return from_json(Head, {**dict(row), "id": id_}, f"project {id_}")


def read_content(connection: sqlite3.Connection, id_: str, since: int, whole: bool) -> Content:
    """Return what changed after a revision, with results and charts if `whole`; else of documents only what was marked."""

    def rows(what: str) -> list[sqlite3.Row]:
        return connection.execute(f"{what} WHERE version > ? ORDER BY version, rowid", (since,)).fetchall()

    searches, charts = "SELECT *, rowid FROM searches", "SELECT *, rowid FROM charts"
    if not whole:
        searches = "SELECT number, claim, made, index_name, request, documents, '{}' AS result, version FROM searches"
        charts = (
            "SELECT number, claim, made, index_name, request, '{}' AS chart, NULL AS combinations, version FROM charts"
        )
    marked = "WHERE (index_name, id) IN (SELECT index_name, document FROM marks WHERE version > ?)"
    documents = f"SELECT * FROM documents {'' if whole else marked} ORDER BY rowid"
    return Content(
        read_head(connection, id_),
        read_draft(connection),
        tuple(_from_row(ProjectClaim, row) for row in rows("SELECT * FROM claims")),
        tuple(_from_row(SearchMade, row) for row in rows(searches)),
        tuple(_from_row(Mark, row) for row in rows("SELECT * FROM marks")),
        tuple(_from_row(Ruling, row) for row in rows("SELECT * FROM rulings")),
        tuple(_from_row(KeptChart, row) for row in rows(charts)),
        tuple(_from_row(DocumentFacts, row) for row in connection.execute(documents, () if whole else (since,))),
    )


def read_draft(connection: sqlite3.Connection) -> Draft:
    """Return what stood in the form."""
    return read_record(connection, Draft, one=1) or Draft()


def read_record(connection: sqlite3.Connection, kind: type[T], **key: str | int) -> T | None:
    """Return the record that has these values."""
    where = " AND ".join(f"{_column(name)} = ?" for name in key)
    row = execute(connection, f"SELECT * FROM {_TABLE_OF[kind]} WHERE {where}", [*key.values()]).fetchone()
    return _from_row(kind, row) if row else None


def read_numbered(connection: sqlite3.Connection, kind: type[T], number: int) -> T:
    """Return a search or a chart by its number."""
    if (found := read_record(connection, kind, number=number)) is None:
        raise UnknownError(f"The project has no such entry: {_TABLE_OF[kind]}, number {number}.")
    return found


def next_number(connection: sqlite3.Connection, kind: type[Any]) -> int:
    """Return the number that the next claim, search or chart gets."""
    return int(connection.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {_TABLE_OF[kind]}").fetchone()[0])


def write_record(connection: sqlite3.Connection, record: Any, *, new: bool = False) -> None:
    """Write a record in the place of the one with the same key; of a `new` one, such a key is an error."""
    values = {_column(one.name): _plain(one.name, getattr(record, one.name)) for one in fields(record)}
    into = f"{'INSERT' if new else 'REPLACE'} INTO {_TABLE_OF[type(record)]} ({', '.join(values)})"
    execute(connection, f"{into} VALUES ({', '.join('?' * len(values))})", [*values.values()])


def _column(field: str) -> str:
    return "index_name" if field == "index" else field  # INDEX is a word of SQL


def _plain(name: str, value: Any) -> Any:
    """Return a value as a column holds it."""
    if name not in _JSON or value is None:
        return value
    return json_text(asdict(value) if is_dataclass(value) and not isinstance(value, type) else value, name)


def json_text(value: Any, where: str) -> str:
    """Return plain values as JSON that can be read again."""
    require_depth(value, where)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise InputError(f"{where} holds a number that is infinite or none at all.") from None


def _from_row(kind: type[T], row: sqlite3.Row) -> T:
    """Return what a row stands for; one that was damaged is an error that names the field."""
    values: dict[str, Any] = {"index" if name == "index_name" else name: value for name, value in dict(row).items()}
    for name in _JSON & values.keys():
        if values[name] is not None:
            values[name] = _parsed(values[name], f"{kind.__name__}.{name}")
    if "request" in values:
        from_json(Asked, values["request"], f"{kind.__name__}.request")
    return from_json(kind, values)


def _parsed(text: Any, where: str) -> Any:
    try:
        value = json.loads(text)
        require_depth(value, where)
        return value
    except (TypeError, ValueError, RecursionError, InputError):
        raise InputError(f"{where} is damaged in the file of the project. Import an export of it.") from None
