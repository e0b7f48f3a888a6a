"""The tables of a project's file, and how it is opened so that what was acknowledged is on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError

VERSION = 1
_APPLICATION = 0x5343504A  # "SCPJ": what SQLite writes into the file to tell whose it is
_TABLES = f"""
CREATE TABLE project (
    one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, note TEXT NOT NULL, created TEXT NOT NULL,
    changed TEXT NOT NULL, version INTEGER NOT NULL, revision INTEGER NOT NULL
);
CREATE TABLE draft (one INTEGER PRIMARY KEY CHECK (one = 1), content TEXT NOT NULL, version INTEGER NOT NULL);
CREATE TABLE searches (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, index_name TEXT NOT NULL, request TEXT NOT NULL, documents INTEGER NOT NULL,
    result TEXT NOT NULL, version INTEGER NOT NULL
);
CREATE TABLE marks (
    index_name TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, mark TEXT, note TEXT NOT NULL, passage TEXT,
    version INTEGER NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (index_name, id)
);
CREATE TABLE rulings (
    index_name TEXT NOT NULL, element TEXT NOT NULL, document TEXT NOT NULL, word TEXT, note TEXT NOT NULL,
    version INTEGER NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (index_name, element, document)
);
CREATE TABLE charts (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, index_name TEXT NOT NULL, request TEXT NOT NULL, chart TEXT NOT NULL,
    combinations TEXT, version INTEGER NOT NULL
);
CREATE TABLE documents (
    index_name TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, metadata TEXT NOT NULL, PRIMARY KEY (index_name, id)
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
"""
_WAIT = 10.0
"""Seconds that a change waits for another one to end."""


def create_file(path: Path) -> sqlite3.Connection:
    """Make the tables in a new file."""
    connection = _connected(path, "rwc")
    with _closed_on_error(connection):
        connection.executescript(f"BEGIN; {_TABLES} COMMIT;")
    return connection


def open_file(path: Path) -> sqlite3.Connection:
    """Open a project's file; one that is damaged or not a project is an error that names it."""
    try:
        connection = _connected(path, "rw")
        with _closed_on_error(connection):
            marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path.name}: not a project that can be read ({error}). Import an export of it.") from None
    if marks != [_APPLICATION, VERSION]:
        connection.close()
        told = (
            f"made by another version (format {marks[1]}, not {VERSION})"
            if marks[0] == _APPLICATION
            else "not a project"
        )
        raise InputError(f"{path.name}: {told}.")
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
