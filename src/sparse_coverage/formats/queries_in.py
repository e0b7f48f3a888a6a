"""Queries from a file: lines of id, tab, text; TREC topics; or lines of JSON with `id` and `text`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Query
from sparse_coverage.evaluation.trec import read_lines, read_topics


def read_queries(path: Path) -> tuple[Query, ...]:
    """Read queries. No id comes twice."""
    queries = tuple(_json_queries(path)) if path.suffix == ".jsonl" else read_topics(path)
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise InputError(f"{path}: the query '{query.id}' comes twice.")
        seen.add(query.id)
    if not queries:
        raise InputError(f"{path}: there are no queries in it.")
    return queries


def _json_queries(path: Path) -> Iterator[Query]:
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{number}: not JSON ({error.msg}).") from None
        name = next((key for key in ("id", "_id", "qid") if isinstance(record, dict) and key in record), None)
        if name is None or not str(record.get("text") or "").strip():
            raise InputError(f'{path}:{number}: expected an object such as {{"id": "Q1", "text": "A valve …"}}.')
        yield Query(str(record[name]), str(record["text"]).strip())
