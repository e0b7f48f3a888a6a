"""Rows of a project's file as what they stand for."""

from __future__ import annotations

import json
import sqlite3
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
    Ruling,
    SearchMade,
    UnknownError,
)
from sparse_coverage.projects.schema import execute

T = TypeVar("T")
_FIELDS = {"index_name": "index"}
_JSON = frozenset(("content", "passage", "quote", "request", "result", "chart", "combinations", "metadata"))


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
        searches = "SELECT number, made, index_name, request, documents, '{}' AS result, version FROM searches"
        charts = "SELECT number, made, index_name, request, '{}' AS chart, NULL AS combinations, version FROM charts"
    marked = "WHERE (index_name, id) IN (SELECT index_name, document FROM marks WHERE version > ?)"
    documents = f"SELECT * FROM documents {'' if whole else marked} ORDER BY rowid"
    return Content(
        read_head(connection, id_),
        read_draft(connection),
        tuple(_from_row(SearchMade, row) for row in rows(searches)),
        tuple(_from_row(Mark, row) for row in rows("SELECT * FROM marks")),
        tuple(_from_row(Ruling, row) for row in rows("SELECT * FROM rulings")),
        tuple(_from_row(KeptChart, row) for row in rows(charts)),
        tuple(_from_row(DocumentFacts, row) for row in connection.execute(documents, () if whole else (since,))),
    )


def read_draft(connection: sqlite3.Connection) -> Draft:
    """Return what stood in the form."""
    row = connection.execute("SELECT content, version FROM draft").fetchone()
    return _from_row(Draft, row) if row else Draft()


def read_mark(connection: sqlite3.Connection, index: str, id_: str) -> Mark | None:
    """Return the mark of a document or passage."""
    row = execute(connection, "SELECT * FROM marks WHERE index_name = ? AND id = ?", (index, id_)).fetchone()
    return _from_row(Mark, row) if row else None


def read_ruling(connection: sqlite3.Connection, index: str, element: str, document: str) -> Ruling | None:
    """Return the user's word for a cell."""
    where = "index_name = ? AND element = ? AND document = ?"
    row = execute(connection, f"SELECT * FROM rulings WHERE {where}", (index, element, document)).fetchone()
    return _from_row(Ruling, row) if row else None


def read_search(connection: sqlite3.Connection, number: int) -> SearchMade:
    """Return a search with what it found."""
    return _from_row(SearchMade, _numbered(connection, "searches", number))


def read_chart(connection: sqlite3.Connection, number: int) -> KeptChart:
    """Return a chart."""
    return _from_row(KeptChart, _numbered(connection, "charts", number))


def _numbered(connection: sqlite3.Connection, table: str, number: int) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute(f"SELECT * FROM {table} WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise UnknownError(f"The project has no such entry: {table}, number {number}.")
    return row


def _from_row(kind: type[T], row: sqlite3.Row) -> T:
    """Return what a row stands for; one that was damaged is an error that names the field."""
    values: dict[str, Any] = {_FIELDS.get(name, name): value for name, value in dict(row).items()}
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
