"""A claim chart: what each document says to each element of a claim, in its own words, and how much that is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparse_coverage.charts.calibration import Calibration, Word
from sparse_coverage.charts.cells import Cell, ChartDocument
from sparse_coverage.charts.elements import Element
from sparse_coverage.charts.evidence import window_scores
from sparse_coverage.charts.reading import Reader
from sparse_coverage.charts.sentences import Sentences, each_sentences, joined, word_tokens
from sparse_coverage.charts.words import ElementWords, SentenceWords
from sparse_coverage.encoding import Encoder
from sparse_coverage.encoding.batching import windows
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Floats
from sparse_coverage.patents import Claim

_TOGETHER = 30_000
"""Characters of documents that are encoded at a time."""
CREDIT: dict[Word, float] = {"disclosed": 1.0, "partly": 0.5, "not found": 0.0}


@dataclass(frozen=True, slots=True)
class Column:
    """A document of a chart, and the share of the claim that it covers; rare elements weigh more."""

    id: str
    title: str
    metadata: Mapping[str, Any]
    share: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Elements down, documents across. `weights` say how rare each element is; `undisclosed` are those that no document has."""

    claims: tuple[Claim, ...]
    elements: tuple[Element, ...]
    documents: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]
    weights: tuple[float, ...]
    encoder: str

    def __post_init__(self) -> None:
        fits = len(self.cells) == len(self.weights) == len(self.elements)
        ids = [column.id for column in self.documents]
        if not fits or any([cell.document for cell in row] != ids for row in self.cells):
            raise InputError(
                f"A chart of {len(self.elements)} elements and {len(self.documents)} documents needs as many rows of cells and weights, "
                "and in each row a cell of each document. The file is damaged or not one of ours."
            )

    @property
    def undisclosed(self) -> tuple[Element, ...]:
        """The elements that no document discloses, not even partly."""
        rows = zip(self.elements, self.cells, strict=True)
        return tuple(element for element, row in rows if all(cell.word == "not found" for cell in row))

    def cell(self, label: str, document: str) -> Cell:
        """Return the cell of an element and a document."""
        row = [element.label for element in self.elements].index(label)
        return next(cell for cell in self.cells[row] if cell.document == document)

    def best_first(self) -> Chart:
        """Return the chart with the documents that cover most in front."""
        order = sorted(range(len(self.documents)), key=lambda place: (-self.documents[place].share, place))
        documents = tuple(self.documents[place] for place in order)
        return replace(
            self, documents=documents, cells=tuple(tuple(row[place] for place in order) for row in self.cells)
        )


@dataclass(frozen=True, slots=True, eq=False)
class EncodedClaims:
    """Claims with their elements placed in the space of a calibration, and the words of the elements."""

    claims: tuple[Claim, ...]
    elements: tuple[Element, ...]
    placed: Floats
    words: ElementWords


def encode_claims(
    claims: Sequence[Claim], elements: Sequence[Element], encoder: Encoder, calibration: Calibration
) -> EncodedClaims:
    """Encode claims once, for any number of documents."""
    placed = np.zeros((len(elements), encoder.dimension), np.float32)
    for claim, vectors in zip(claims, encoder.encode(claim.text for claim in claims), strict=True):
        rows, starts, _ = word_tokens(claim.text, vectors)
        numbers = [number for number, element in enumerate(elements) if element.claim == claim.number]
        if not len(rows) or not numbers:
            continue
        whole = rows.mean(0)
        means = []
        for number in numbers:
            inside = (starts >= elements[number].start) & (starts < elements[number].end)
            means.append(rows[inside].mean(0) if inside.any() else whole)
        placed[numbers] = calibration.space.place_elements(np.stack(means), whole)
    words = ElementWords.of([element.text for element in elements], calibration.rarity)
    return EncodedClaims(tuple(claims), tuple(elements), placed, words)


def scores_of(
    encoded: EncodedClaims, document: ChartDocument, sentences: Sentences, calibration: Calibration
) -> Floats:
    """Return the score of each window of a document for each element."""
    texts = [passage.text for passage in document.passages]
    if not len(sentences):
        return np.zeros((len(encoded.elements), 0), np.float32)
    windows = calibration.space.place_windows(sentences.windows()[0])
    shares = SentenceWords.of(texts, sentences).shares(encoded.words)
    return window_scores(calibration.space, encoded.placed, windows, shares)


def make_chart(
    encoded: EncodedClaims,
    documents: Sequence[ChartDocument],
    encoder: Encoder,
    calibration: Calibration,
    *,
    sentences: Iterable[Sentences] | None = None,
    weights: Sequence[float] | None = None,
) -> Chart:
    """Set claims against documents. `sentences` of the documents, in order, where they are kept; else they are encoded here."""
    given = iter(sentences if sentences is not None else encoded_sentences(documents, encoder))
    reader = Reader(encoded.elements, encoder, calibration)
    columns: list[tuple[Cell, ...]] = []
    for document in documents:
        found = next(given)
        evidence = calibration.evidence(scores_of(encoded, document, found, calibration))
        columns.append(tuple(reader.cells(document, found, evidence)))
    rare = tuple(weights) if weights is not None else (1.0,) * len(encoded.elements)
    shown = tuple(
        Column(document.id, document.title, document.metadata, covered(column, rare))
        for document, column in zip(documents, columns, strict=True)
    )
    rows = tuple(tuple(column[number] for column in columns) for number in range(len(encoded.elements)))
    return Chart(encoded.claims, encoded.elements, shown, rows, rare, encoder.name)


def encoded_sentences(documents: Sequence[ChartDocument], encoder: Encoder) -> Iterable[Sentences]:
    """Yield the sentences of documents, encoded now: a few documents together, so that progress is told and work can be stopped."""
    for group in windows(documents, lambda one: sum(len(passage.text) for passage in one.passages), _TOGETHER):
        parts = each_sentences((passage.text for document in group for passage in document.passages), encoder)
        for document in group:
            yield joined([next(parts) for _ in document.passages], encoder.dimension)


def covered(cells: Sequence[Cell], weights: Sequence[float]) -> float:
    """Return the share of the elements that a document covers; what is partly disclosed counts half."""
    total = sum(weights) or 1.0
    return sum(CREDIT[cell.word] * weight for cell, weight in zip(cells, weights, strict=True)) / total
