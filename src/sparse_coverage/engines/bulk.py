"""OpenSearch and Elasticsearch: an index as files ready to load, and queries as request bodies.

Elasticsearch (8.15 or later) keeps a vector in a `sparse_vector` field, OpenSearch (2.11 or later) in a `rank_features` field,
searched with `neural_sparse`. Below both is the same field of Lucene: it keeps 9 significant bits of a weight, so scores come
out up to 0.4 % lower than ours, and it takes query weights up to 64, so they are scaled down by a power of two and the whole
query is boosted by it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sparse_coverage.engines.conditions import AllOf, AnyOf, Between, Condition, Not, OneOf
from sparse_coverage.engines.engine import SHOWN, Centers, Point, Weights, sparse
from sparse_coverage.engines.points import read_documents
from sparse_coverage.engines.statistics import Statistics
from sparse_coverage.errors import InputError
from sparse_coverage.files import new_folder, read_json, write_json
from sparse_coverage.index import IndexStore
from sparse_coverage.index.facts import FAMILY_FIELD
from sparse_coverage.progress import tracked
from sparse_coverage.search.statistics import ScoringConfig

Flavor = Literal["elasticsearch", "opensearch"]
FLAVORS: tuple[Flavor, ...] = ("elasticsearch", "opensearch")
FIELD = "centers"
MOST_CLAUSES = 1024
"""How many centers a query may have before a server with default settings may refuse it."""

_LARGEST_WEIGHT = 64.0
_FILE_BYTES = 20_000_000
_INDEX, _EXPORT, _SCRIPT = "index.json", "export.json", "load.sh"

_LOAD = """#!/bin/sh
# Makes an index and loads it: ./load.sh http://localhost:9200 patents [more options for curl, such as -u user:password]
set -eu
url=$1; index=$2; shift 2
cd "$(dirname "$0")"
curl --fail-with-body -sS "$@" -X PUT "$url/$index" -H 'Content-Type: application/json' --data-binary @index.json
for file in bulk-*.ndjson; do
  answer=$(curl --fail-with-body -sS "$@" -X POST "$url/$index/_bulk?filter_path=errors,items.*.error" \\
    -H 'Content-Type: application/x-ndjson' --data-binary "@$file")
  case "$answer" in *'"errors":false'*) echo "$file loaded" ;; *) echo "$file: $answer" >&2; exit 1 ;; esac
done
curl --fail-with-body -sS "$@" -X POST "$url/$index/_refresh"
"""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written: documents, passages, and the number and size of the bulk files."""

    documents: int
    passages: int
    files: int
    bytes: int


def index_body(flavor: Flavor) -> dict[str, Any]:
    """Return the body that makes an index: which field is of which type."""
    vector = {"elasticsearch": "sparse_vector", "opensearch": "rank_features"}[flavor]
    keywords = {name: {"type": "keyword"} for name in ("unit", "document", "section", "facts", "digest")}
    return {
        "mappings": {
            "dynamic": "strict",
            "properties": {
                FIELD: {"type": vector},
                **keywords,
                "published": {"type": "integer"},
                "priority": {"type": "integer"},
                "title": {"type": "text"},
                "text": {"type": "text"},
                "metadata": {"type": "object", "enabled": False},
            },
        }
    }


def export_bulk(
    store: IndexStore,
    flavor: Flavor,
    folder: Path,
    *,
    scoring: ScoringConfig = ScoringConfig(),  # noqa: B008 - immutable
) -> ExportReport:
    """Write an index into a new folder: how to make the index, the bulk files, the statistics, and a script that loads them."""
    statistics = Statistics.of(store, scoring)
    with new_folder(folder) as partial:
        write_json(partial / _INDEX, index_body(flavor))
        write_json(partial / _EXPORT, {"for": flavor, "statistics": statistics.to_text()})
        (partial / _SCRIPT).write_text(_LOAD, encoding="utf-8")
        (partial / _SCRIPT).chmod(0o755)
        documents = tracked(read_documents(store, scoring), "Writing documents", store.state.documents)
        sizes = _write_files(partial, (point for document in documents for point in document.points()))
    return ExportReport(store.state.documents, store.state.passages, len(sizes), sum(sizes))


def read_export(folder: Path) -> tuple[Flavor, Statistics]:
    """Return what a search in an exported index needs: which engine it is for, and the statistics."""
    if not (folder / _EXPORT).is_file():
        raise InputError(f"{folder}: there is no {_EXPORT}. Make the folder with: sparse-coverage engine export")
    content = read_json(folder / _EXPORT)
    return content["for"], Statistics.from_text(content["statistics"])


def search_body(
    flavor: Flavor, centers: Centers, factors: Weights, k: int, *, passages: int = 3, condition: Condition | None = None
) -> dict[str, Any]:
    """Return the body of a search for the `k` best documents, each by its best passage and shown with its best `passages`."""
    if not len(centers):
        raise InputError("The query activates no center that counts, so nothing can be found.")
    scale = max(0, int(np.ceil(np.log2(factors.max() / _LARGEST_WEIGHT))))
    tokens = _tokens(sparse(centers, factors / 2.0**scale))
    if flavor == "elasticsearch":
        # Without `prune` it may leave out frequent centers.
        match: dict[str, Any] = {"sparse_vector": {"field": FIELD, "query_vector": tokens, "prune": False}}
    else:
        match = {"neural_sparse": {FIELD: {"query_tokens": tokens}}}
    query: dict[str, Any] = {"must": [match], "boost": 2.0**scale}
    if condition is not None:
        query["filter"] = [clause(condition)]
    inner = {"name": "passages", "size": passages, "_source": ["unit", "section", "text"]}
    return {
        "size": k,
        "_source": SHOWN,
        "query": {"bool": query},
        "collapse": {"field": "document", "inner_hits": inner},
    }


def clause(condition: Condition) -> dict[str, Any]:
    """Return a condition as a clause of a query."""
    if isinstance(condition, AnyOf):
        return {"terms": {condition.field: list(condition.values)}}
    if isinstance(condition, Between):
        return {"range": {condition.field: {"gte": condition.first, "lte": condition.last}}}
    if isinstance(condition, AllOf):
        return {"bool": {"filter": [clause(part) for part in condition.parts]}}
    if isinstance(condition, OneOf):
        return {"bool": {"should": [clause(part) for part in condition.parts], "minimum_should_match": 1}}
    if isinstance(condition, Not):
        return {"bool": {"must_not": [clause(condition.part)]}}
    raise TypeError(f"{condition!r} is no condition.")


def facts_in(store: IndexStore) -> Callable[[str], list[str]]:
    """Return the function that looks up a document's family in an index, as `condition_of` needs it."""

    def facts_of(id_: str) -> list[str]:
        number = store.find_document(id_)
        if number is None:
            return []
        segment = store.segment_of_document(number)
        names = segment.facts.terms_of(number - segment.first_document, FAMILY_FIELD)
        return [f"{FAMILY_FIELD}={name}" for name in names]

    return facts_of


def _write_files(folder: Path, points: Iterator[Point]) -> list[int]:
    """Write points into files that a server takes in one request each; return their sizes."""
    sizes: list[int] = []
    content: list[bytes] = []
    size = 0

    def close() -> None:
        nonlocal size
        if content:
            (folder / f"bulk-{len(sizes) + 1:05d}.ndjson").write_bytes(b"".join(content))
            sizes.append(size)
            content.clear()
            size = 0

    for point in points:
        lines = _lines(point)
        if size + len(lines) > _FILE_BYTES:
            close()
        content.append(lines)
        size += len(lines)
    close()
    return sizes


def _tokens(vector: dict[int, float]) -> dict[str, float]:
    return {str(center): weight for center, weight in vector.items()}


def _lines(point: Point) -> bytes:
    source = {FIELD: _tokens(point.vector()), **point.payload()}
    action = json.dumps({"index": {"_id": point.id}})
    return f"{action}\n{json.dumps(source, ensure_ascii=False)}\n".encode("utf-8", "replace")
