"""What a chart is made of: documents, quotations, and the cells that hold what a document says to an element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparse_coverage.charts.calibration import Word
from sparse_coverage.charts.phrases import Pair
from sparse_coverage.charts.quantities import NumberFound
from sparse_coverage.index import PassageRecord
from sparse_coverage.search.results import Place

QUOTES = 3
"""How many quotations a cell has at most."""


@dataclass(frozen=True, slots=True)
class ChartDocument:
    """A document to be charted: its passages in text order."""

    id: str
    title: str
    passages: tuple[PassageRecord, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_texts(cls, id_: str, texts: Sequence[str]) -> ChartDocument:
        """Return texts as a document without a title, each a passage of its description."""
        records = (PassageRecord(f"{id_}/{n}", id_, "description", text, "") for n, text in enumerate(texts))
        return cls(id_, "", tuple(records))


@dataclass(frozen=True, slots=True)
class Quote:
    """One or two sentences of a passage, verbatim: `text` is exactly the passage's text from `start` to `end`."""

    passage: str
    section: str
    number: str
    text: str
    start: int
    end: int
    evidence: float


@dataclass(frozen=True, slots=True)
class Overruled:
    """That the word of a cell is a user's own: what was found without it, and why the user says otherwise."""

    found: Word
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a document has for an element: the word for it, the evidence, quotations, what they share, and what is missing.

    `pairs` are phrases of the element and of the quotations that say the same; `missing` are phrases of the element that the
    document does not have; `numbers` sets quantities of the element against those of the quotations. `overruled` is there where
    `word` is a user's own.
    """

    element: str
    document: str
    word: Word
    evidence: float
    quotes: tuple[Quote, ...] = ()
    pairs: tuple[Pair, ...] = ()
    missing: tuple[Place, ...] = ()
    numbers: tuple[NumberFound, ...] = ()
    overruled: Overruled | None = None

    @property
    def contradicted(self) -> bool:
        """Whether a number of the document lies outside what is claimed."""
        return any(not number.agrees for number in self.numbers)
