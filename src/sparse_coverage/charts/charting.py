"""Claim charts over an index: documents by id or by search, read with the best reader that can be had, and how rare each element is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sparse_coverage.charts.calibration import Calibration, calibration_for, is_shipped
from sparse_coverage.charts.chart import Chart, ChartDocument, Opinion, Verdict, overrule
from sparse_coverage.charts.claims import EncodedClaims, Sentences, encode_claims
from sparse_coverage.charts.combining import Combinations, combine, family_of
from sparse_coverage.charts.elements import Element, chart_elements, read_claims
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart
from sparse_coverage.encoding import Encoder, load_encoder
from sparse_coverage.errors import InputError, NoDocumentError, SparseCoverageError
from sparse_coverage.index import Filter
from sparse_coverage.kernels import Floats
from sparse_coverage.patents import Claim
from sparse_coverage.search import Index
from sparse_coverage.search.stored import stored_passages

BEST_READER = "gte-small"
"""The encoder that reads best (`benchmarks/charts.py`): charts read with it wherever it can be had."""
_READ, _READ_FOR_EACH = 40, 5
"""So many documents are read closely to be combined: those that look best, and for each element those that look best for it."""
_SHOWN = 5
"""So many documents are charted where none can be combined."""


class Charts:
    """Makes claim charts of the documents of an index.

    charts = Charts(Index.open("my-index"))
    chart = charts.chart("A valve comprising a plunger biased by a spring.", k=5)
    """

    def __init__(self, index: Index, calibration: Path | None = None, reader: Encoder | str | None = None) -> None:
        """`reader`: the encoder to read documents with, by its name or running already.

        Without one, gte-small reads where it can be had, else the encoder of the index, and `notes` say so. An encoder of the
        index that is not one of those with a shipped calibration reads itself, as it does where a calibration is given.
        """
        self.index = index
        self.notes: tuple[str, ...] = ()
        own = index.model.encoder
        if reader:
            self.encoder: Encoder = load_encoder(reader) if isinstance(reader, str) else reader
        elif calibration is not None or own.name == BEST_READER or not is_shipped(own):
            self.encoder = own
        else:
            try:
                self.encoder = load_encoder(BEST_READER)
            except (SparseCoverageError, OSError) as error:
                self.encoder = own
                self.notes = (
                    f"Documents are read with {own.name}, since {BEST_READER}, which reads better, could not be had: {error}",
                )
        self.calibration: Calibration = calibration_for(self.encoder, calibration)
        self._vectors = KeptTokenVectors(self.encoder)

    def chart(
        self,
        claims: str | Sequence[Claim],
        documents: Sequence[str] = (),
        *,
        k: int = 5,
        elements: Sequence[Element] | None = None,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> Chart:
        """Chart claims, or the text of some, against documents by id, or against the `k` that a search for the claims finds.

        The document that covers most comes first.
        """
        claims = read_claims(claims) if isinstance(claims, str) else claims
        rows = _elements(claims, elements)
        ids = list(documents) or [document.id for document in self.found(claims, k, filter)]
        encoded = encode_claims(claims, rows, self.encoder, self.calibration)
        return self.over(encoded, [self.document(id_) for id_ in ids]).best_first()

    def found(self, claims: Sequence[Claim], k: int, filter: Filter | str | None = None) -> list[ChartDocument]:  # noqa: A002
        """Return the documents that a search for the claims finds."""
        query = "\n".join(claim.text for claim in claims)
        return [self.document(hit.document) for hit in self.index.search(query, k, passages=1, filter=filter)]

    def over(self, encoded: EncodedClaims, documents: Sequence[ChartDocument]) -> Chart:
        """Chart encoded claims against documents, in their order."""
        weights = [self.calibration.rarity.of_text(element.text) for element in encoded.elements]
        return make_chart(encoded, documents, self.encoder, self.calibration, weights=weights, vectors=self._vectors)

    def document(self, id_: str) -> ChartDocument:
        """Return a document of the index with its paragraphs, each whole: scores were fitted on such, and pieces of one score higher."""
        store = self.index.store
        number = store.find_document(id_)
        if number is None:
            raise NoDocumentError(f"The index has no document {id_}. Ids look like EP-1234567-A1; `search` shows them.")
        record = store.document(number)
        passages = stored_passages(store, number)
        return ChartDocument(record.id, record.title, tuple(passages), record.metadata)

    def combine(
        self,
        claims: str | Sequence[Claim],
        *,
        most: int = 2,
        top: int = 200,
        elements: Sequence[Element] | None = None,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
        verdicts: Mapping[tuple[str, str], Verdict] | None = None,
        without: Sequence[str] = (),
    ) -> tuple[Combinations, Chart]:
        """Combine documents of the `top` that a search finds. Return the combinations, and the chart of the documents read for them.

        `verdicts` are a user's own, by the text of the element and the document, and count instead of those that are found; their
        documents are always read. Documents `without` are left out.

        Those with most of the words of the elements, and those with most of one element, are read closely.
        """
        claims = read_claims(claims) if isinstance(claims, str) else claims
        rows = _elements(claims, elements)
        encoded = encode_claims(claims, rows, self.encoder, self.calibration)
        own = verdicts or {}
        documents = [document for document in self.found(claims, top, filter) if document.id not in without]
        judged = {document for _, document in own}
        places = {*worth_reading(encoded, documents), *(n for n, one in enumerate(documents) if one.id in judged)}
        chart = self.over(encoded, [documents[place] for place in sorted(places)])
        found = self.combined(overrule(chart, {place: Opinion(said) for place, said in own.items()}), most)
        return replace(found, documents=len(documents), left_out=len(without)), chart

    def combined(self, chart: Chart, most: int = 2) -> Combinations:
        """Combine the documents of a chart."""
        return combine(
            self._evidence(chart),
            [element.label for element in chart.elements],
            [column.id for column in chart.documents],
            self.calibration,
            most=most,
            fields=[column.metadata.get("ipc", ()) for column in chart.documents],
            families=[family_of(column.id, column.metadata) for column in chart.documents],
            own=sum(cell.overruled is not None for row in chart.cells for cell in row),
        )

    def _evidence(self, chart: Chart) -> Floats:
        """Return the evidence of a chart, an element a row; a user's own verdict is as sure as evidence can be."""
        sure, between = {1.0: 1.0, 0.0: 0.0}, (self.calibration.partly + self.calibration.disclosed) / 2
        rows = [
            [cell.evidence if cell.overruled is None else sure.get(cell.verdict.credit, between) for cell in row]
            for row in chart.cells
        ]
        return np.asarray(rows, np.float32).reshape(len(chart.elements), -1)


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
    return chart.only([column.id for column in chart.documents if column.id in used]).best_first()


def worth_reading(encoded: EncodedClaims, documents: Sequence[ChartDocument]) -> list[int]:
    """Return the documents with most of the words of all elements in single windows, and the best few for each, in their order."""
    shares = [encoded.shares(Sentences.of(document))[1].max(1, initial=0.0) for document in documents]
    scores = np.stack(shares, axis=1) if shares else np.zeros((len(encoded.elements), 0), np.float32)
    best = np.argsort(-scores.mean(0), kind="stable")[:_READ]
    of_each = np.argsort(-scores, axis=1, kind="stable")[:, :_READ_FOR_EACH]
    return sorted({*best.tolist(), *of_each.ravel().tolist()})
