"""Reading vectors that any encoder wrote: lines of JSON with an id and a `vector` of terms and weights."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparse_coverage.errors import InputError

_IDS = ("id", "_id", "docid", "qid")
_TEXTS = ("text", "contents", "content")


@dataclass(frozen=True, slots=True)
class NamedVector:
    """A vector over terms, without zeros: a passage to index, or a query. `document` is what the passage belongs to."""

    id: str
    document: str
    weights: Mapping[str, float]
    title: str = ""
    text: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def read_vectors(path: Path) -> Iterator[NamedVector]:
    """Yield the vectors of a file (`.jsonl`, or the same compressed as `.jsonl.gz`), one after the other.

    The id is `id`, `_id`, `docid` or `qid`, the text (optional) `text`, `contents` or `content`. `document` says which passages
    belong together; without it each is a document of its own. `title` and `metadata`, which filters read, are the document's.
    What Anserini and Seismic index can be read as it is.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _vector(line, f"{path}:{number}")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None


def _vector(line: bytes, place: str) -> NamedVector:
    try:
        record: Any = json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{place}: not JSON ({error}).") from None
    name = next((key for key in _IDS if isinstance(record, dict) and key in record), None)
    if name is None or not isinstance(record.get("vector"), dict):
        raise InputError(f'{place}: expected an object such as {{"id": "D1", "vector": {{"term": 0.5}}}}.')
    id_ = str(record[name])
    text = next((str(record[key]) for key in _TEXTS if record.get(key)), "")
    weights = {term: _weight(weight, term, place) for term, weight in record["vector"].items()}
    kept = {term: weight for term, weight in weights.items() if weight > 0}
    metadata = record.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise InputError(f"{place}: metadata must be an object, not {metadata!r}.")
    return NamedVector(id_, str(record.get("document", id_)), kept, str(record.get("title") or ""), text, metadata)


def _weight(value: Any, term: str, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise InputError(f"{place}: the weight of '{term}' must be a number that is not negative, not {value!r}.")
    return float(value)
