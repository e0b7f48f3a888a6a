"""An index of vectors that another encoder made, such as SPLADE: the same files, filters and exact search, no model beside it.

Its terms are whatever the vectors name, and its score is the plain dot product.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, overload

import numpy as np

from sparse_coverage.aggregation import Best
from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.files import new_folder, read_json, write_json
from sparse_coverage.formats.source import Source
from sparse_coverage.index import (
    DocumentRecord,
    Filter,
    IndexedPassage,
    IndexStore,
    IndexWriter,
    PassageRecord,
    WeightBits,
    allowed_passages,
    open_store,
)
from sparse_coverage.progress import progress_bar, tracked
from sparse_coverage.search.ranking import Ranker, ScoringConfig
from sparse_coverage.search.results import Hit
from sparse_coverage.search.searcher import as_filter, require_counts
from sparse_coverage.vectors import SparseVector

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
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
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


TERMS = "terms.json"
DOT_PRODUCT = ScoringConfig(alpha=0.0, gamma=0.0, rho=0.0)
Weights = Mapping[str, float]


class VectorIndex:
    """Imported vectors, ready to be searched with vectors over the same terms.

    index = import_vectors("splade.jsonl", "my-index")
    hits = index.search({"valve": 1.7, "spring": 0.9}, k=10)
    """

    def __init__(self, store: IndexStore, terms: Sequence[str], largest: float, threads: int | None = None) -> None:
        self.store = store
        self.terms = terms
        self._largest = largest
        self._numbers = {term: number for number, term in enumerate(terms)}
        self._ranker = Ranker(store, DOT_PRODUCT, threads)

    @classmethod
    def open(cls, folder: str | Path, *, threads: int | None = None) -> VectorIndex:
        """Open an index that `import_vectors` made."""
        folder = Path(folder)
        if not is_vector_index(folder):
            raise InputError(f"{folder}: this is no index of imported vectors (there is no {TERMS}).")
        store = open_store(folder)
        if store.state.about.get("terms") != _digest(folder):
            raise IndexStoreError(f"{folder / TERMS}: damaged (wrong sha256). Restore it, or import the vectors again.")
        return cls(store, tuple(read_json(folder / TERMS)), float(store.state.about["largest"]), threads)

    def __len__(self) -> int:
        """Return the number of passages."""
        return self.store.state.passages

    @overload
    def search(self, queries: Weights, k: int = ..., *, filter: Filter | str | None = ...) -> list[Hit]: ...

    @overload
    def search(
        self, queries: Sequence[Weights], k: int = ..., *, filter: Filter | str | None = ...
    ) -> list[list[Hit]]: ...

    def search(
        self,
        queries: Weights | Sequence[Weights],
        k: int = 10,
        *,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> list[Hit] | list[list[Hit]]:
        """Return the `k` best documents of a query vector, by their best passage; for several queries, a list each.

        Terms that no passage has are passed over.
        """
        require_counts(k=k)
        condition = as_filter(filter)
        allowed = None if condition is None else allowed_passages(self.store, condition)

        def one(weights: Weights) -> list[Hit]:
            raw = self.query(weights)
            scaled = replace(raw, weights=raw.weights * np.float32(self._largest))  # stored weights were divided by it
            found = self._ranker.rank_documents(scaled, k, allowed, 1, aggregation=Best())
            return self._ranker.hits(found)

        return one(queries) if isinstance(queries, Mapping) else self._ranker.in_parallel(one, list(queries))

    def query(self, weights: Weights) -> SparseVector:
        """Return a query over the numbers of the terms."""
        known = sorted((self._numbers[term], weight) for term, weight in weights.items() if term in self._numbers)
        return _sparse([number for number, _ in known], [weight for _, weight in known])

    def source(self) -> Source:
        """Return the index as it is exported."""
        return Source(
            self.store, self._ranker.statistics, self.terms, scale=self._largest, about={"encoder": "imported"}
        )


def is_vector_index(folder: str | Path) -> bool:
    """Tell whether a folder holds an index of imported vectors."""
    return (Path(folder) / TERMS).is_file()


def import_vectors(path: str | Path, folder: str | Path, *, weight_bits: WeightBits = 16) -> VectorIndex:
    """Index the vectors of a file into a new folder. Streams, but reads the file twice.

    Weights are divided by the largest and stored with `weight_bits` bits; scores are those of the weights as they were,
    apart from that rounding.
    """
    source = Path(path)
    terms, largest, count = _survey(source)
    with new_folder(Path(folder)) as partial:
        write_json(partial / TERMS, terms)
        about = {"by": "vector", "terms": _digest(partial), "largest": largest}
        numbers = {term: number for number, term in enumerate(terms)}
        with (
            IndexWriter.create(partial, len(terms), about, weight_bits=weight_bits) as writer,
            progress_bar("Indexing vectors", count) as advance,
        ):
            for document, vectors in groupby(read_vectors(source), key=lambda vector: vector.document):
                passages = list(vectors)
                title = next((passage.title for passage in passages if passage.title), "")
                metadata = next((passage.metadata for passage in passages if passage.metadata), {})
                writer.add(
                    DocumentRecord(document, title, metadata),
                    [_indexed(passage, numbers, largest) for passage in passages],
                )
                advance(len(passages))
            writer.merge()
    return VectorIndex.open(folder)


def _survey(path: Path) -> tuple[list[str], float, int]:
    """Return the terms in their order as text, the largest weight, and how many vectors there are."""
    terms: set[str] = set()
    largest, count = 0.0, 0
    for vector in tracked(read_vectors(path), "Reading terms"):
        terms.update(vector.weights)
        largest = max(largest, max(vector.weights.values(), default=0.0))
        count += 1
    if not terms:
        raise InputError(f"{path}: there is nothing to index: no vector has a weight above 0.")
    return sorted(terms), largest, count


def _indexed(passage: NamedVector, numbers: Mapping[str, int], largest: float) -> IndexedPassage:
    known = sorted((numbers[term], weight / largest) for term, weight in passage.weights.items())
    record = PassageRecord(passage.id, passage.document, "document", passage.text)
    return IndexedPassage(record, _sparse([number for number, _ in known], [weight for _, weight in known]))


def _sparse(numbers: list[int], weights: list[float]) -> SparseVector:
    ordinals = np.arange(len(numbers), dtype=np.int32)
    return SparseVector(
        np.asarray(numbers, np.int32), np.asarray(weights, np.float32), ordinals, ordinals, ordinals, len(numbers), 0
    )


def _digest(folder: Path) -> str:
    return sha256((folder / TERMS).read_bytes()).hexdigest()
