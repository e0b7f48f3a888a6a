"""The index a user holds: built from patents, searched with a claim, asked why."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.files import new_folder
from sparse_coverage.index import (
    WEIGHT_SCALE,
    DocumentRecord,
    IndexedUnit,
    IndexStore,
    IndexWriter,
    UnitRecord,
    accumulate,
    open_store,
)
from sparse_coverage.model import SparseCoverage
from sparse_coverage.patents import Passage, Patent, passages
from sparse_coverage.patents.passages import By
from sparse_coverage.progress import progress_bar
from sparse_coverage.search.explaining import explain_unit
from sparse_coverage.search.ranking import rank_units
from sparse_coverage.search.scoring import CenterStatistics, ScoringConfig
from sparse_coverage.search.types import Explanation, Hit, PassageHit, Queries
from sparse_coverage.vectors import SparseVector

MODEL_FOLDER = "model"
_TEXT_FIELDS = frozenset({"id", "title", "abstract", "claims", "description"})


class Index:
    """Patents on disk, ready to be searched.

        index = Index.build("my-index", model, read_patents("patents/"))
        for hit in index.search("A valve comprising a plunger biased by a spring"):
            print(hit.document, hit.score, hit.passages[0].text)

    Open it again with `Index.open("my-index")`.
    """

    def __init__(self, store: IndexStore, model: SparseCoverage, scoring: ScoringConfig) -> None:
        self.store = store
        self.model = model
        self.statistics = CenterStatistics.compute(store.segment.frequencies, store.segment.span_counts, scoring)

    @classmethod
    def build(
        cls,
        folder: str | Path,
        model: SparseCoverage,
        documents: Iterable[Patent],
        *,
        by: By = "passage",
        scoring: ScoringConfig | None = None,
    ) -> Index:
        """Index patents into a new folder, by passage (the default), section or whole document."""
        folder = Path(folder)
        with new_folder(folder) as partial:
            (partial / MODEL_FOLDER).mkdir()
            model.write_into(partial / MODEL_FOLDER)
            writer = IndexWriter(partial, len(model.vocabulary))
            try:
                covered = _write_documents(writer, model, documents, by)
                if not covered["spans"]:
                    raise InputError("There is nothing to index: the input holds no text.")
                writer.finish({"by": by, **covered})
            except BaseException:
                writer.abandon()
                raise
        return cls.open(folder, scoring=scoring, encoder=model.encoder)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        scoring: ScoringConfig | None = None,
        encoder: Encoder | None = None,
        threads: int | None = None,
    ) -> Index:
        """Open an index. `scoring` changes how it ranks; nothing on disk depends on it."""
        store = open_store(Path(folder))
        model = SparseCoverage.load(Path(folder) / MODEL_FOLDER, encoder=encoder, threads=threads)
        centers = len(store.segment.offsets) - 1
        if centers != len(model.vocabulary):
            raise IndexStoreError(
                f"{folder}: the postings are over {centers} centers, the vocabulary beside them has {len(model.vocabulary)}."
            )
        return cls(store, model, scoring or ScoringConfig())

    def __len__(self) -> int:
        """Return the number of indexed units."""
        return len(self.store.segment.span_counts)

    @overload
    def search(self, queries: str, k: int = ..., *, passages: int = ...) -> list[Hit]: ...

    @overload
    def search(self, queries: Queries, k: int = ..., *, passages: int = ...) -> list[list[Hit]]: ...

    def search(self, queries: str | Queries, k: int = 10, *, passages: int = 3) -> list[Hit] | list[list[Hit]]:
        """Return the `k` best documents of a query, each with its best `passages`; for several queries, a list each."""
        if k < 1 or passages < 1:
            raise InputError(f"k and passages must be at least 1, not {k} and {passages}.")
        if isinstance(queries, str):
            return self._search(self.model.encode_query(queries), k, passages)
        return [self._search(vector, k, passages) for vector in self.model.encode_documents(queries)]

    def explain(self, query: str, id_: str) -> Explanation:
        """Explain a passage's score, or that of a document's best passage, by id."""
        vector = self.model.encode_query(query)
        unit = self.store.texts.unit_number(id_)
        if unit is None:
            document = self.store.texts.document_number(id_)
            if document is None:
                raise InputError(f"The index holds neither a passage nor a document with the id '{id_}'.")
            units = self.store.texts.units_of(document)
            scores = self.scores(vector)[units]
            unit = units[int(np.argmax(scores))]
        return explain_unit(self.store, self.model, self.statistics, query, vector, unit)

    def scores(self, vector: SparseVector) -> npt.NDArray[np.float32]:
        """Return the score of every unit for a query vector."""
        segment = self.store.segment
        centers, factors = self.statistics.factors(vector.centers, vector.weights)
        scores = np.zeros(len(segment.span_counts), dtype=np.float32)
        accumulate(segment.offsets, segment.units, segment.weights, centers, factors / WEIGHT_SCALE, scores)
        scores /= self.statistics.norms
        return scores

    def _search(self, vector: SparseVector, k: int, passages: int) -> list[Hit]:
        ranked = rank_units(self.scores(vector))
        documents = self.store.segment.documents
        hits = []
        for place in ranked.best_documents(documents, k):
            number = int(documents[ranked.units[place]])
            record = self.store.texts.document(number)
            mine = np.flatnonzero(documents[ranked.units] == number)[:passages]
            best = tuple(self._passage(int(ranked.units[spot]), float(ranked.scores[spot])) for spot in mine)
            hits.append(Hit(record.id, record.title, best[0].score, record.metadata, best))
        return hits

    def _passage(self, unit: int, score: float) -> PassageHit:
        record = self.store.texts.unit(unit)
        return PassageHit(record.id, record.document, record.section, record.text, score)


def _write_documents(writer: IndexWriter, model: SparseCoverage, documents: Iterable[Patent], by: By) -> dict[str, int]:
    """Stream documents through the model into the writer; return how many spans there were, and how many uncovered."""
    counts = {"spans": 0, "uncovered_spans": 0}
    with progress_bar("Indexing documents") as advance:
        for patent, units in groupby(_encoded(model, documents, by), key=lambda encoded: encoded[0]):
            indexed = []
            for _, passage, vector in units:
                counts["spans"] += vector.span_count
                counts["uncovered_spans"] += vector.uncovered
                record = UnitRecord(passage.id, passage.document, passage.section, passage.text)
                indexed.append(IndexedUnit(record, vector))
            writer.add(_record(patent), indexed)
            advance()
    return counts


def _encoded(
    model: SparseCoverage, documents: Iterable[Patent], by: By
) -> Iterator[tuple[Patent, Passage, SparseVector]]:
    waiting: deque[tuple[Patent, Passage]] = deque()

    def texts() -> Iterator[str]:
        for patent in documents:
            for passage in passages(patent, by=by):
                waiting.append((patent, passage))
                yield passage.text

    for vector in model.encode_documents(texts()):
        patent, passage = waiting.popleft()
        yield patent, passage, vector


def _record(patent: Patent) -> DocumentRecord:
    metadata: dict[str, Any] = {
        name: value for name, value in asdict(patent).items() if value and name not in _TEXT_FIELDS
    }
    return DocumentRecord(patent.id, patent.title, metadata)
