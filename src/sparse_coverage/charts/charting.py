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
    scores_of,
)
from sparse_coverage.charts.combining import Combinations, combine, combine_exactly, family_of
from sparse_coverage.charts.elements import Element, chart_elements
from sparse_coverage.charts.kept import KeptSentences, keep_sentences
from sparse_coverage.charts.phrases import stems
from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.errors import InputError, NoDocumentError
from sparse_coverage.index import Filter
from sparse_coverage.kernels import Floats
from sparse_coverage.patents import Claim
from sparse_coverage.progress import tracked
from sparse_coverage.search import Index

_SAMPLE = 500
_SHOWN = 5
"""So many documents are charted where none can be combined."""


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
        rows = _elements(claims, elements)
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
        return self._over(encoded, documents, self.sentences(documents))

    def _over(
        self, encoded: EncodedClaims, documents: Sequence[ChartDocument], sentences: Iterable[Sentences]
    ) -> Chart:
        return make_chart(
            encoded,
            documents,
            self.encoder,
            self.calibration,
            sentences=sentences,
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
            raise NoDocumentError(f"The index has no document {id_}. Ids look like EP-1234567-A1; `search` shows them.")
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
        """Combine the `top` documents that a search finds. Return the combinations, and the chart of the documents read for them.

        Reading a document closely can only lower its evidence, so documents are read until no other can be in a better combination.
        """
        rows = _elements(claims, elements)
        encoded = encode_claims(claims, rows, self.encoder, self.calibration)
        documents = self.found(claims, top, filter)
        sentences = list(self.sentences(documents))
        bounds = [
            best_evidence(encoded, document, found, self.calibration)
            for document, found in zip(documents, sentences, strict=True)
        ]
        read: list[int] = []
        columns: list[Chart] = []

        def closely(places: Sequence[int]) -> Floats:
            made = self._over(encoded, [documents[place] for place in places], [sentences[place] for place in places])
            read.extend(places)
            columns.append(made)
            return _evidence(made)

        found = combine_exactly(
            np.stack(bounds, axis=1) if bounds else np.zeros((len(rows), 0), np.float32),
            closely,
            [element.label for element in rows],
            [document.id for document in documents],
            self.calibration,
            most=most,
            fields=[document.metadata.get("ipc", ()) for document in documents],
            families=[family_of(document.id, document.metadata) for document in documents],
        )
        if not columns:
            closely(range(min(_SHOWN, len(documents))))
        return found, _side_by_side(columns)

    def combined(self, chart: Chart, most: int = 2) -> Combinations:
        """Combine the documents of a chart."""
        return combine(
            _evidence(chart),
            [element.label for element in chart.elements],
            [column.id for column in chart.documents],
            self.calibration,
            most=most,
            fields=[column.metadata.get("ipc", ()) for column in chart.documents],
            families=[family_of(column.id, column.metadata) for column in chart.documents],
        )


def _elements(claims: Sequence[Claim], given: Sequence[Element] | None) -> tuple[Element, ...]:
    """Return the elements that were given, else those of the claims."""
    rows = tuple(given) if given is not None else chart_elements(claims)
    if not rows:
        raise InputError("The claim has no words, so there is no element to look for. Give the text of a claim.")
    return rows


def chart_of_combinations(combinations: Combinations, chart: Chart) -> Chart:
    """Return a chart of the documents that are combined alone, or of the first five where none are. Most covering first."""
    used = {part.document for one in combinations.found for part in one.parts}
    used = used or {one.id for one in chart.best_first().documents[:_SHOWN]}
    places = [place for place, column in enumerate(chart.documents) if column.id in used]
    return replace(
        chart,
        documents=tuple(chart.documents[place] for place in places),
        cells=tuple(tuple(row[place] for place in places) for row in chart.cells),
    ).best_first()


def best_evidence(
    encoded: EncodedClaims, document: ChartDocument, sentences: Sentences, calibration: Calibration
) -> Floats:
    """Return the most evidence that a document has for each element, before it is read closely."""
    evidence = calibration.evidence(scores_of(encoded, document, sentences, calibration))
    best: Floats = evidence.max(1, initial=0.0)
    return best


def _evidence(chart: Chart) -> Floats:
    rows = [[cell.evidence for cell in row] for row in chart.cells]
    return np.asarray(rows, np.float32).reshape(len(chart.elements), -1)


def _side_by_side(charts: Sequence[Chart]) -> Chart:
    rows = zip(*(chart.cells for chart in charts), strict=True)
    return replace(
        charts[0],
        documents=tuple(column for chart in charts for column in chart.documents),
        cells=tuple(tuple(cell for row in pieces for cell in row) for pieces in rows),
    )
