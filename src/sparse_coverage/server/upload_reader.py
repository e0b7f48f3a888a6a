"""Reads a file that came from outside, in a process of its own, with bounded memory and time: whatever the file does to it ends there.

python -m sparse_coverage.server.upload_reader query FILE [CLAIMS]       a query, as JSON on standard output
python -m sparse_coverage.server.upload_reader patents FILE LINES        patents, as JSON lines in the file LINES
python -m sparse_coverage.server.upload_reader project FILE FOLDER       an exported project, as a new one in FOLDER
"""

from __future__ import annotations

import json
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparse_coverage.errors import SparseCoverageError

MEMORY, SECONDS, WRITTEN = 4 << 30, 60, 1 << 30


def main(what: str, name: str, more: str = "") -> dict[str, Any]:
    """Do what is asked, and return what to print."""
    _bound()
    try:
        if what == "project":
            return _project(Path(name), Path(more))
        return _query(Path(name), more or None) if what == "query" else _patents(Path(name), Path(more))
    except SparseCoverageError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"{name} needs more memory than is given to a file. Save its text in a plain file."}
    except (OSError, sqlite3.Error) as error:
        return {"disk": str(error)}
    except RecursionError:
        return {"error": f"{name} is nested too deeply to be read."}


def _bound() -> None:
    if sys.platform != "win32":
        import resource

        for kind, most in (
            (resource.RLIMIT_AS, MEMORY),
            (resource.RLIMIT_CPU, SECONDS),
            (resource.RLIMIT_FSIZE, WRITTEN),
        ):
            resource.setrlimit(kind, (most, most))


def _query(path: Path, claims: str | None) -> dict[str, Any]:
    from sparse_coverage.dataclass_json import record
    from sparse_coverage.patents.queries import file_query_and_patent
    from sparse_coverage.workspace.preparing import PreparedQuery, PrepareRequest, prepare_patent, prepare_text

    query, patent = file_query_and_patent(path, claims)
    if not query.text.strip():
        return {"error": f"{path} holds no text to search with."}
    made: PreparedQuery = (
        prepare_text(PrepareRequest(text=query.text)) if patent is None else prepare_patent(patent, str(path))
    )
    if claims:
        made = replace(prepare_text(PrepareRequest(text=query.text)), publication=made.publication, title=made.title)
    plain: dict[str, Any] = record(replace(made, source=query.source or str(path)))
    return plain


def _patents(path: Path, lines: Path) -> dict[str, Any]:
    from sparse_coverage.patents import Problem, read_patents
    from sparse_coverage.patents.readers.records import to_record
    from sparse_coverage.patents.reading.context import UNUSED

    problems: list[str] = []
    unused: list[str] = []

    def note(problem: Problem) -> None:
        unused.extend([problem.cause.removeprefix(UNUSED)] if problem.cause.startswith(UNUSED) else [])

    count = 0
    with lines.open("w", encoding="utf-8", newline="\n") as out:
        for patent in read_patents(path, on_problem=lambda problem: problems.append(str(problem)), on_note=note):
            out.write(json.dumps(to_record(patent), ensure_ascii=False) + "\n")
            count += 1
    return {"read": count, "left_out": problems, "unused": ", ".join(unused)}


def _project(path: Path, folder: Path) -> dict[str, Any]:
    from sparse_coverage.projects import ProjectFolder

    with ProjectFolder(folder).imported(path.read_bytes()) as project:
        return {"id": project.id}


if __name__ == "__main__":
    sys.stdout.buffer.write(json.dumps(main(*sys.argv[1:])).encode())
