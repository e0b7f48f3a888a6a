"""Queries from a file or folder: lines of id, tab, text; TREC topics; lines of JSON with `id` and `text`; patents of any kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Query
from sparse_coverage.evaluation.trec import read_lines, read_topics
from sparse_coverage.patents import raise_problem, read_patents
from sparse_coverage.patents.queries import file_query, patent_query
from sparse_coverage.patents.readers import recognised


def read_queries(
    path: Path, claims: str | None = None, on_problem: Callable[[str], None] | None = None
) -> tuple[Query, ...]:
    """Read queries. No id comes twice.

    In a folder each file is a query, and its name without the suffix is the id. Patents are searched with by their claims,
    or those that `claims` names. What cannot be read in a folder is told to `on_problem`, or is an error without it.
    """
    if path.is_dir():
        queries = tuple(_folder_queries(path, claims, on_problem))
    elif path.suffix == ".jsonl" and _is_of_queries(path):
        queries = tuple(_json_queries(path))
    elif recognised(_head(path)):
        patents = read_patents(path, language="any", on_problem=raise_problem)
        queries = tuple(Query(patent.id, patent_query(patent, claims).text) for patent in patents)
    else:
        queries = read_topics(path)
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise InputError(f"{path}: the query '{query.id}' comes twice.")
        seen.add(query.id)
    if not queries:
        raise InputError(f"{path}: there are no queries in it.")
    return queries


def _folder_queries(folder: Path, claims: str | None, on_problem: Callable[[str], None] | None) -> Iterator[Query]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            text = file_query(path, claims).text
            if not text.strip():
                raise InputError(f"{path}: the file is empty.")
        except InputError as error:
            if on_problem is None:
                raise
            on_problem(str(error))
        else:
            yield Query("-".join(path.stem.split()), text)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None


def _is_of_queries(path: Path) -> bool:
    """Tell a file of queries from one of patents, which has claims or an abstract in the place of a text."""
    for _, line in read_lines(path):
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            return True  # which then says what is wrong
        return not (isinstance(record, dict) and "text" not in record and {"claims", "abstract"} & record.keys())
    return True


def _json_queries(path: Path) -> Iterator[Query]:
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not JSON ({error}).") from None
        name = next((key for key in ("id", "_id", "qid") if isinstance(record, dict) and key in record), None)
        if name is None or not str(record.get("text") or "").strip():
            raise InputError(f'{path}:{number}: expected an object such as {{"id": "Q1", "text": "A valve …"}}.')
        yield Query(str(record[name]), str(record["text"]).strip())
