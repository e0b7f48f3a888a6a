"""The tables of a project's file, and how it is opened so that what was acknowledged is on the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError

VERSION = 2
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
    index_name TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, mark TEXT, note TEXT NOT NULL, category TEXT, passage TEXT,
    version INTEGER NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (index_name, id)
);
CREATE TABLE rulings (
    index_name TEXT NOT NULL, element TEXT NOT NULL, document TEXT NOT NULL, verdict TEXT, note TEXT NOT NULL, quote TEXT,
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
