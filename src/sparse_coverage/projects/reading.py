"""Rows of a project's file as what they stand for."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from sparse_coverage.index import PassageRecord
from sparse_coverage.projects.kept import (
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


def read_head(connection: sqlite3.Connection, id_: str) -> Head:
    """Return the one row of the project itself."""
    row = connection.execute("SELECT * FROM project").fetchone()
    return Head(id_, row["name"], row["note"], row["created"], row["changed"], row["version"], row["revision"])


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
    draft = connection.execute("SELECT content, version FROM draft").fetchone()
    return Content(
        read_head(connection, id_),
        Draft(json.loads(draft["content"]), draft["version"]) if draft else Draft(),
        tuple(_search(row) for row in rows(searches)),
        tuple(_mark(row) for row in rows("SELECT * FROM marks")),
        tuple(_ruling(row) for row in rows("SELECT * FROM rulings")),
        tuple(_chart(row) for row in rows(charts)),
        tuple(_facts(row) for row in connection.execute(documents, () if whole else (since,))),
    )


def read_mark(connection: sqlite3.Connection, index: str, id_: str) -> Mark | None:
    """Return the mark of a document or passage."""
    row = execute(connection, "SELECT * FROM marks WHERE index_name = ? AND id = ?", (index, id_)).fetchone()
    return _mark(row) if row else None


def read_ruling(connection: sqlite3.Connection, index: str, element: str, document: str) -> Ruling | None:
    """Return the user's word for a cell."""
    where = "index_name = ? AND element = ? AND document = ?"
    row = execute(connection, f"SELECT * FROM rulings WHERE {where}", (index, element, document)).fetchone()
    return _ruling(row) if row else None


def read_search(connection: sqlite3.Connection, number: int) -> SearchMade:
    """Return a search with what it found."""
    return _search(_numbered(connection, "searches", number))


def read_chart(connection: sqlite3.Connection, number: int) -> KeptChart:
    """Return a chart."""
    return _chart(_numbered(connection, "charts", number))


def _numbered(connection: sqlite3.Connection, table: str, number: int) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute(f"SELECT * FROM {table} WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise UnknownError(f"The project has no such entry: {table}, number {number}.")
    return row


def _mark(row: sqlite3.Row) -> Mark:
    passage = PassageRecord(**json.loads(row["passage"])) if row["passage"] else None
    return Mark(
        row["index_name"], row["id"], row["document"], row["mark"], row["note"], passage, row["version"], row["changed"]
    )


def _ruling(row: sqlite3.Row) -> Ruling:
    return Ruling(
        row["index_name"], row["element"], row["document"], row["word"], row["note"], row["version"], row["changed"]
    )


def _search(row: sqlite3.Row) -> SearchMade:
    return SearchMade(
        row["number"],
        row["made"],
        row["index_name"],
        json.loads(row["request"]),
        row["documents"],
        json.loads(row["result"]),
        row["version"],
    )


def _chart(row: sqlite3.Row) -> KeptChart:
    together: Any = json.loads(row["combinations"]) if row["combinations"] else None
    return KeptChart(
        row["number"],
        row["made"],
        row["index_name"],
        json.loads(row["request"]),
        json.loads(row["chart"]),
        together,
        row["version"],
    )


def _facts(row: sqlite3.Row) -> DocumentFacts:
    return DocumentFacts(row["index_name"], row["id"], row["title"], json.loads(row["metadata"]))
