"""Files that come from outside: kept under a harmless name for as long as they are read, and read in a process of their own.

That process has bounded memory and time, so whatever a file does to it ends there:

python -m sparse_coverage.server.uploads query FILE [CLAIMS]       a query, as JSON on standard output
python -m sparse_coverage.server.uploads patents FILE LINES        patents, as JSON lines in the file LINES
python -m sparse_coverage.server.uploads project FILE FOLDER       an exported project, as a new one in FOLDER
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from sparse_coverage.errors import InputError, SparseCoverageError

_HARMLESS = re.compile(r"[^\w .()-]+")
_SECONDS = 90.0
_PIECE = 1 << 20


def harmless_name(given: str | None) -> str:
    """Return a name for a file that was uploaded, like its own; no part of a path is left of it.

    >>> harmless_name("../../etc/my claim.pdf"), harmless_name(None)
    ('my claim.pdf', 'upload')
    """
    name = _HARMLESS.sub("_", re.split(r"[/\\\\]", given or "")[-1]).strip(" .-")
    stem, dot, suffix = name.rpartition(".")
    return f"{(stem or suffix)[:80]}{dot if stem else ''}{suffix[:10] if stem else ''}" or "upload"


@contextmanager
def stored_upload(file: IO[bytes], name: str | None, most: int) -> Iterator[Path]:
    """Keep an upload in a folder of its own for the time of a block."""
    with TemporaryDirectory(prefix="sparse-coverage-upload-") as folder:
        path = Path(folder) / harmless_name(name)
        size = 0
        with path.open("wb") as out:
            while piece := file.read(_PIECE):
                size += len(piece)
                if size > most:
                    raise InputError(f"The file is larger than {most:,} bytes.")
                out.write(piece)
        yield path


def read_apart(what: str, path: Path, more: str = "", seconds: float = _SECONDS) -> dict[str, Any]:
    """Let another process read a file; whatever happens to it, here it is an error that says so."""
    command = [sys.executable, "-m", "sparse_coverage.server.uploads", what, path.name, *([more] if more else [])]
    try:
        done = subprocess.run(command, cwd=path.parent, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise InputError(f"{path.name} took too long to read. Save its text in a plain file.") from None
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise InputError(
            f"{path.name} cannot be read: reading it took more memory or time than is given to a file."
        ) from None
    if "disk" in found:
        raise SparseCoverageError(
            f"{path.name} cannot be read, or its content written: {found['disk']}. Look at the disk of the server."
        )
    if "error" in found:
        raise InputError(found["error"])
    return found


MEMORY, SECONDS, WRITTEN = 4 << 30, 60, 1 << 30


def main(what: str, name: str, more: str = "") -> dict[str, Any]:
    """Do what is asked, and return what to print."""
    _bound()
    try:
        if what == "project":
            return _project(Path(name), Path(more))
        return _query(Path(name), more or None) if what == "query" else patents_as_lines(Path(name), Path(more))
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
        made = replace(
            prepare_text(PrepareRequest(text=query.numbered)), publication=made.publication, title=made.title
        )
    plain: dict[str, Any] = record(replace(made, source=query.source or str(path)))
    return plain


def patents_as_lines(path: Path, lines: Path) -> dict[str, Any]:
    """Write the patents of a file as lines of JSON, and return how many there are and what was left out."""
    from sparse_coverage.patents import Problem, read_patents
    from sparse_coverage.patents.patent import Note
    from sparse_coverage.patents.readers.records import to_record

    problems: list[str] = []
    unused: list[str] = []

    def problem(found: Problem) -> None:  # told without the folder, which is the server's
        problems.append(str(replace(found, file=found.file.replace(str(path), path.name))))

    def note(told: Note) -> None:
        unused.extend(told.names)

    count = 0
    with lines.open("w", encoding="utf-8", newline="\n") as out:
        for patent in read_patents(path, on_problem=problem, on_note=note):
            out.write(json.dumps(to_record(patent), ensure_ascii=False) + "\n")
            count += 1
    return {"read": count, "left_out": problems, "unused": ", ".join(unused)}


def _project(path: Path, folder: Path) -> dict[str, Any]:
    from sparse_coverage.projects import ProjectFolder

    with ProjectFolder(folder).imported(path.read_bytes()) as project:
        return {"id": project.id}


if __name__ == "__main__":
    sys.stdout.buffer.write(json.dumps(main(*sys.argv[1:])).encode())
