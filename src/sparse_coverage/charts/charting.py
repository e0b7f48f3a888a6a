"""Claim charts over an index: documents by id or by search, read with the best reader that can be had, and how rare each element is."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sparse_coverage.charts.calibration import Calibration, calibration_for, is_shipped
from sparse_coverage.charts.chart import Cell, Chart, ChartDocument, Opinion, Verdict, overrule
from sparse_coverage.charts.claims import EncodedClaims, Sentences, encode_claims
from sparse_coverage.charts.combining import Combinations, combine, family_of
from sparse_coverage.charts.elements import Element, chart_elements, parents_note, read_claims
from sparse_coverage.charts.reading import KeptTokenVectors, make_chart, read_documents
from sparse_coverage.encoding import Encoder, load_encoder
from sparse_coverage.encoding.catalogue import languages_of
from sparse_coverage.errors import InputError, NoDocumentError, SparseCoverageError
from sparse_coverage.index import Filter
from sparse_coverage.kernels import Floats
from sparse_coverage.patents import Claim
from sparse_coverage.progress import tracked
from sparse_coverage.search import Index
from sparse_coverage.search.stored import stored_passages
from sparse_coverage.text import NAMES, guess_language

BEST_READER = "gte-small"
"""The encoder that reads best (`benchmarks/charts.py`): charts read with it wherever it can be had."""
_BY_WORDS, _CLOSELY = (25, 5), (12, 3)
"""So many documents are looked at by their best windows, and so many of these read closely to be combined: the best for all elements,
and the best for each (`benchmarks/charts_on_patents.py`)."""
_SHOWN = 5
"""So many documents are charted where none can be combined."""


_ONE_AT_A_TIME = threading.Lock()
_LOADED: dict[str, Encoder] = {}
_READ: deque[KeptTokenVectors] = deque(maxlen=2)


def loaded_once(name: str) -> Encoder:
    """Return the encoder that reads documents, one in a process: no index and no state of an index needs its own."""
    with _ONE_AT_A_TIME:
        if name not in _LOADED:
            _LOADED.clear()
            _LOADED[name] = load_encoder(name)
        return _LOADED[name]


def vectors_read_by(encoder: Encoder) -> KeptTokenVectors:
    """Return what keeps the vectors that an encoder read last, the same for all that read with it."""
    with _ONE_AT_A_TIME:
        for kept in _READ:
            if kept.encoder is encoder:
                return kept
        _READ.append(KeptTokenVectors(encoder))
        return _READ[-1]


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
            self.encoder: Encoder = loaded_once(reader) if isinstance(reader, str) else reader
        elif calibration is not None or own.name == BEST_READER or not is_shipped(own):
            self.encoder = own
        else:
            try:
                self.encoder = loaded_once(BEST_READER)
            except (SparseCoverageError, OSError) as error:
                self.encoder = own
                self.notes = (
                    f"Documents are read with {own.name}, since {BEST_READER}, which reads better, could not be had: {error}",
                )
        self.calibration: Calibration = calibration_for(self.encoder, calibration)
        self._vectors = vectors_read_by(self.encoder)

    def notes_on(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Return what to beware of in a chart of some claims: who reads, a missing parent, and a language that the reader does not know."""
        known, name = languages_of(self.encoder.name), self.encoder.name
        language = guess_language("\n".join(claim.text for claim in claims))
        notes = (*filter(None, [parents_note(claims)]), *self.notes)
        if not language or not known or language in known:
            return notes
        told = f"Warning: the claim seems to be in {NAMES[language]}, which {name}, the encoder that reads the documents, does not know"
        return (*notes, f"{told}: its verdicts say little. Translate the claim.")

    def chart(
        self,
        claims: str | Sequence[Claim],
        documents: Sequence[str] = (),
        *,
        k: int = 5,
        elements: Sequence[Element] | None = None,
        filter: Filter | str | None = None,  # noqa: A002 - the word a user looks for
    ) -> Chart:
        """Chart claims, or the text of some, against documents by id, or the `k` that a search for them finds, most covering first."""
        encoded = self._encoded(claims, elements)
        chosen = [self.document(id_) for id_ in documents] or self.found(encoded.claims, k, filter)
        return self.over(encoded, chosen).best_first()

    def _encoded(self, claims: str | Sequence[Claim], given: Sequence[Element] | None) -> EncodedClaims:
        """Return claims with the elements that were given, else with their own."""
        claims = read_claims(claims) if isinstance(claims, str) else claims
        elements = chart_elements(claims) if given is None else given
        if not elements:
            raise InputError(
                parents_note(claims)
                or "The claim has no words, so there is nothing to look for. Give the text of a claim."
            )
        return encode_claims(claims, elements, self.encoder, self.calibration)

    def found(self, claims: Sequence[Claim], k: int, filter: Filter | str | None = None) -> list[ChartDocument]:  # noqa: A002
        """Return the documents that a search for the claims finds."""
        query = "\n".join(claim.text for claim in claims)
        return [self.document(hit.document) for hit in self.index.search(query, k, passages=1, filter=filter)]

    def over(self, encoded: EncodedClaims, documents: Sequence[ChartDocument]) -> Chart:
        """Chart encoded claims against documents, in their order."""
        return make_chart(encoded, documents, self.encoder, self.calibration, vectors=self._vectors)

    def document(self, id_: str) -> ChartDocument:
        """Return a document of the index with its paragraphs, each whole: scores were fitted on such, and pieces of one score higher."""
        store = self.index.store
        number = store.find_document(id_)
        if number is None:
            raise NoDocumentError(f"The index has no document {id_}. Ids look like EP-1234567-A1; `search` shows them.")
        record = store.document(number)
        return ChartDocument(record.id, record.title, tuple(stored_passages(store, number)), record.metadata)

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
        documents are always read. Documents `without` are left out. Those that look best for all elements or for one are read closely.
        """
        encoded = self._encoded(claims, elements)
        own = verdicts or {}
        documents = [document for document in self.found(encoded.claims, top, filter) if document.id not in without]
        judged = {document for _, document in own}
        chosen = {one.id for one in worth_reading(encoded, documents, self._vectors, self.calibration)} | judged
        chart = self.over(encoded, [document for document in documents if document.id in chosen])
        found = self.combined(overrule(chart, {place: Opinion(said) for place, said in own.items()}), most)
        return replace(found, documents=len(documents), left_out=len(without), read=len(chart.documents)), chart

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
            own=sum(cell.is_own for row in chart.cells for cell in row),
        )

    def _evidence(self, chart: Chart) -> Floats:
        """Return the evidence of a chart, an element a row. A user's own verdict is as sure as evidence can be; otherwise a document
        without a key term of an element does not cover it."""
        sure, between = {1.0: 1.0, 0.0: 0.0}, (self.calibration.partly + self.calibration.disclosed) / 2

        def worth(cell: Cell) -> float:
            if cell.is_own:
                return sure.get(cell.verdict.credit, between)
            return self.calibration.at_most(cell.evidence, Verdict.NOT_FOUND) if cell.missing else cell.evidence

        rows = [[worth(cell) for cell in row] for row in chart.cells]
        return np.asarray(rows, np.float32).reshape(len(chart.elements), -1)


def chart_of_combinations(combinations: Combinations, chart: Chart) -> Chart:
    """Return a chart of the documents that are combined alone, or of the first five where none are. Most covering first."""
    used = {part.document for one in (*combinations.found, combinations.runner_up) if one for part in one.parts}
    used = used or {one.id for one in chart.best_first().documents[:_SHOWN]}
    return chart.only([column.id for column in chart.documents if column.id in used]).best_first()


def worth_reading(
    encoded: EncodedClaims, documents: Sequence[ChartDocument], vectors: KeptTokenVectors, calibration: Calibration
) -> list[ChartDocument]:
    """Return the documents to be combined, in their order: the best by words, then the best of these by their best windows alone."""
    cut = (Sentences.of(document, encoded.columns) for document in documents)
    shares = [encoded.shares(sentences)[1].max(1, initial=0.0) for sentences in cut]
    some = _best(documents, shares, *_BY_WORDS)
    read = tracked(read_documents(encoded, some, vectors, calibration, 1), "Looking at documents", len(some))
    return _best(some, [calibration.score.evidence(closely.figures) for _, closely in read], *_CLOSELY)


def _best(documents: Sequence[ChartDocument], scores: Sequence[Floats], count: int, each: int) -> list[ChartDocument]:
    """Return the documents with the best scores over all elements, and the best few for each."""
    if not documents:
        return []
    table = np.stack(scores, axis=1)
    chosen = np.argsort(-table.mean(0), kind="stable")[:count].tolist()
    chosen += np.argsort(-table, axis=1, kind="stable")[:, :each].ravel().tolist()
    return [documents[place] for place in sorted(set(chosen))]
