"""What holds a database closes it in the end, also where an error kept everybody else from it."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparse_coverage.errors import InputError
from sparse_coverage.patents.passages import Duplicates
from sparse_coverage.projects.project_file import open_file
from sparse_coverage.search.vector_cache import sparse_cache


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda folder: Duplicates(), "_seen"),
        (lambda folder: sparse_cache(folder / "known.sqlite"), "_store"),
    ],
    ids=["ids", "vectors"],
)
def test_a_database_that_nobody_holds_any_more_is_closed(
    make: Callable[[Path], Any], name: str, tmp_path: Path
) -> None:
    holder = make(tmp_path)
    connection = getattr(holder, name)
    assert connection.execute("SELECT 1").fetchone() == (1,)
    del holder
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_a_damaged_project_is_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def remembered(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", remembered)
    (tmp_path / "damaged.sqlite").write_bytes(b"no database, " * 500)
    with pytest.raises(InputError, match="not a project that can be read"):
        open_file(tmp_path / "damaged.sqlite")
    [connection] = opened
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
