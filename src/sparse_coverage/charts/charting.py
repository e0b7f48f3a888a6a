"""Claim charts over an index: documents by id or by search, with what is kept of them, and how rare each element is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sparse_coverage.charts.calibration import Calibration, calibration_for
from sparse_coverage.charts.cells import ChartDocument
from sparse_coverage.charts.chart import (
    Chart,
    EncodedClaims,
    encode_claims,
    encoded_sentences,
    make_chart,
    window_scores,
)
from sparse_coverage.charts.combining import Combinations, combine, family_of
from sparse_coverage.charts.elements import Element, chart_elements
from sparse_coverage.charts.kept import KeptSentences, keep_sentences
from sparse_coverage.charts.phrases import stems
from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.errors import InputError
from sparse_coverage.index import Filter
from sparse_coverage.patents import Claim
from sparse_coverage.progress import tracked
from sparse_coverage.search import Index

_SAMPLE = 500
_OVERALL, _FOR_EACH = 12, 5
"""So many of the best documents for the whole claim, and for each element, are read closely before they are combined."""


class Charts:
    """Makes claim charts of the documents of an index.

    charts = Charts(Index.open("my-index"))
    chart = charts.chart(read_claims("A valve comprising a plunger biased by a spring."), k=5)
    """

    def __init__(self, index: Index, calibration: Path | None = None) -> None:
        self.index = index
        self.encoder = index.model.encoder
        self.calibration: Calibration = calibration_for(self.encoder, calibration)
        self.kept = KeptSentences.open(index.store, self.encoder)
        self._sample: tuple[int, Counter[str]] | None = None

    def keep(self) -> int:
        """Keep the sentences of the whole index from now on. Return how many parts of it were encoded."""
        made = keep_sentences(self.index.store, self.encoder)
        self.kept = KeptSentences.open(self.index.store, self.encoder)
        return made

    def chart(
        self,
        claims: Sequence[Claim],
        documents: Sequence[str] = (),
        *,
        k: int = 5,
        elements: Sequence[Element] | None = None,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> Chart:
        """Chart claims against documents by id, or against the `k` that a search for the claims finds. Most covering first."""
        rows = tuple(elements) if elements is not None else chart_elements(claims)
        ids = list(documents) or [document.id for document in self.found(claims, k, filter)]
        encoded = encode_claims(claims, rows, self.encoder, self.calibration)
        return self.over(encoded, ids).best_first()

    def found(self, claims: Sequence[Claim], k: int, filter: Filter | str | None = None) -> list[ChartDocument]:  # noqa: A002
        """Return the documents that a search for the claims finds."""
        query = "\n".join(claim.text for claim in claims)
        return [self.document(hit.document) for hit in self.index.search(query, k, passages=1, filter=filter)]

    def over(self, encoded: EncodedClaims, ids: Sequence[str]) -> Chart:
        """Chart encoded claims against documents by id, in their order."""
        documents = [self.document(id_) for id_ in ids]
        return make_chart(
            encoded,
            documents,
            self.encoder,
            self.calibration,
            sentences=self.sentences(documents),
            weights=[self.rarity(element.text) for element in encoded.elements],
        )

    def sentences(self, documents: Sequence[ChartDocument]) -> Iterator[Sentences]:
        """Yield the sentences of documents: the kept ones, else encoded now."""
        if self.kept is not None:
            for document in documents:
                number = self.index.store.find_document(document.id)
                assert number is not None  # it was just read
                yield self.kept.of(number)
        else:
            yield from tracked(encoded_sentences(documents, self.encoder), "Encoding documents", len(documents))

    def document(self, id_: str) -> ChartDocument:
        """Return a document of the index with its passages."""
        store = self.index.store
        number = store.find_document(id_)
        if number is None:
            raise InputError(f"The index has no document {id_}. Ids look like EP-1234567-A1; `search` shows them.")
        record = store.document(number)
        numbers = store.passages_of(number)
        segment = store.segment_of_document(number)
        first = numbers.start - segment.first_passage
        passages = segment.texts.passages_between(first, first + len(numbers))
        return ChartDocument(record.id, record.title, tuple(passages), record.metadata)

    def rarity(self, text: str) -> float:
        """Return how rare the words of an element are in the index, by a sample of its passages: their mean idf."""
        size, counts = self._words()
        words = stems(text)
        if not words:
            return 1.0
        return sum(math.log(1 + (size - counts[word] + 0.5) / (counts[word] + 0.5)) for word in words) / len(words)

    def _words(self) -> tuple[int, Counter[str]]:
        if self._sample is None:
            store = self.index.store
            live = np.flatnonzero(store.live_passages)
            numbers = live[:: max(1, len(live) // _SAMPLE)][:_SAMPLE].tolist()
            counts: Counter[str] = Counter()
            for number in numbers:
                counts.update(stems(store.passage(number).text))
            self._sample = len(numbers), counts
        return self._sample

    def combine(
        self,
        claims: Sequence[Claim],
        *,
        most: int = 2,
        top: int = 200,
        elements: Sequence[Element] | None = None,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> tuple[Combinations, Chart]:
        """Combine the `top` documents that a search finds. Return the combinations, and the chart of those that were read."""
        rows = tuple(elements) if elements is not None else chart_elements(claims)
        encoded = encode_claims(claims, rows, self.encoder, self.calibration)
        documents = self.found(claims, top, filter)
        chart = self.over(encoded, [documents[place].id for place in self._promising(encoded, documents)])
        return replace(self.combined(chart, most), documents=len(documents)), chart

    def _promising(self, encoded: EncodedClaims, documents: Sequence[ChartDocument]) -> list[int]:
        """Return which documents may be of use: those with most evidence for the whole claim, and for each element."""
        if not documents:
            return []
        return promising(encoded, self.sentences(documents), self.calibration)

    def combined(self, chart: Chart, most: int = 2) -> Combinations:
        """Combine the documents of a chart."""
        return combine(
            np.asarray([[cell.evidence for cell in row] for row in chart.cells], np.float32).reshape(
                len(chart.elements), -1
            ),
            [element.label for element in chart.elements],
            [column.id for column in chart.documents],
            self.calibration,
            most=most,
            fields=[column.metadata.get("ipc", ()) for column in chart.documents],
            families=[family_of(column.id, column.metadata) for column in chart.documents],
        )


def promising(encoded: EncodedClaims, sentences: Iterable[Sentences], calibration: Calibration) -> list[int]:
    """Return the places of the documents with most evidence for the whole claim, and of those with most for each element."""
    columns = []
    for found in sentences:
        scores = window_scores(encoded, found, calibration)
        columns.append(scores.max(1) if scores.shape[1] else np.full(len(scores), -np.inf, np.float32))
    evidence = calibration.evidence(np.stack(columns, axis=1))
    chosen = set(np.argsort(-evidence.sum(0), kind="stable")[:_OVERALL].tolist())
    for row in evidence:
        chosen |= set(np.argsort(-row, kind="stable")[:_FOR_EACH].tolist())
    return sorted(chosen)
