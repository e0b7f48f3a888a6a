"""Reads a file that came from outside, in a process of its own, with bounded memory and time: whatever the file does to it ends there.

python -m sparse_coverage.server.upload_reader query FILE [CLAIMS]       a query, as JSON on standard output
python -m sparse_coverage.server.upload_reader patents FILE LINES        patents, as JSON lines in the file LINES
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sparse_coverage.errors import SparseCoverageError

MEMORY, SECONDS, WRITTEN = 4 << 30, 60, 1 << 30


def main(what: str, name: str, more: str = "") -> dict[str, Any]:
    """Do what is asked, and return what to print."""
    _bound()
    try:
        return _query(Path(name), more or None) if what == "query" else _patents(Path(name), Path(more))
    except SparseCoverageError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"{name} needs more memory than is given to a file. Save its text in a plain file."}
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
    from sparse_coverage.patents.numbers import parse_number
    from sparse_coverage.patents.queries import file_query_and_patent

    query, patent = file_query_and_patent(path, claims)
    if not query.text.strip():
        return {"error": f"{path} holds no text to search with."}
    known = patent is not None and parse_number(patent.id) is not None
    return {
        "text": query.text,
        "source": query.source,
        "publication": patent.id if patent is not None and known else None,
        "title": patent.title if patent is not None else "",
        "claims": [claim.number for claim in patent.claims] if patent is not None else [],
        "priority_date": (patent.priority_date or None) if patent is not None else None,
        "publication_date": (patent.publication_date or None) if patent is not None else None,
    }


def _patents(path: Path, lines: Path) -> dict[str, Any]:
    from sparse_coverage.patents import read_patents
    from sparse_coverage.patents.export import to_record

    problems: list[str] = []
    count = 0
    with lines.open("w", encoding="utf-8", newline="\n") as out:
        for patent in read_patents(path, on_problem=lambda problem: problems.append(str(problem))):
            out.write(json.dumps(to_record(patent), ensure_ascii=False) + "\n")
            count += 1
    return {"read": count, "left_out": problems}


if __name__ == "__main__":
    sys.stdout.buffer.write(json.dumps(main(*sys.argv[1:])).encode())
