"""A claim chart: what each document says to each element of a claim, in its own words, and how much that is worth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from sparse_coverage.charts.elements import Element
from sparse_coverage.charts.phrases import Pair
from sparse_coverage.charts.quantities import NumberFound
from sparse_coverage.errors import InputError
from sparse_coverage.index import PassageRecord
from sparse_coverage.patents import Claim
from sparse_coverage.search.results import Place

QUOTES = 3
"""How many quotations a cell has at most."""
_QUOTED = re.compile(r'^["“”„«»‘’\s]+|["“”„«»‘’\s]+$')
_LEAST = 2
"""A quotation has at least so many words: one word alone shows nothing."""


class Verdict(str, Enum):
    """What a document says to an element, best first.

    `credit` is how much of the element it counts for, `fill` the ground of a cell (RGB) and `style` its look in a terminal.
    """

    credit: float
    fill: str
    style: str

    DISCLOSED = "disclosed", 1.0, "CDEBCF", "bold green"
    PARTLY = "partly", 0.5, "FBEBC0", "yellow"
    NOT_FOUND = "not found", 0.0, "F6D5D1", "red"

    def __new__(cls, value: str, credit: float, fill: str, style: str) -> Verdict:
        """Make a verdict that equals its value."""
        made = str.__new__(cls, value)
        made._value_ = value
        made.credit, made.fill, made.style = credit, fill, style
        return made

    def __str__(self) -> str:
        return str(self.value)

    @property
    def rank(self) -> int:
        """0 for the best verdict."""
        return list(Verdict).index(self)


def strength(evidence: float, lacks: bool = False) -> str:
    """Return what evidence is called; where a document `lacks` a phrase of the element, none is strong (`benchmarks/charts.py`).

    >>> strength(0.99), strength(0.99, lacks=True), strength(0.1)
    ('strong', 'fair', 'weak')
    """
    return "strong" if evidence >= 0.8 and not lacks else "fair" if evidence >= 0.5 else "weak"


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
    """What stood in a cell before a user spoke, their note and quotation, and whether the verdict is theirs, as one that confirms it is."""

    found: Verdict
    note: str = ""
    quote: Quote | None = None
    judged: bool = True


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a user or a second reader says to a cell: a verdict, why, and a quotation that shows it.

    Without a verdict, a user's leaves the one that was found, and a second reader's cannot be believed.
    """

    verdict: Verdict | None = None
    note: str = ""
    quote: Quote | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """What a document has for an element: the verdict, the evidence, quotations, what they share, and what is missing.

    `pairs` are phrases of the element and of the quotations that say the same; `missing` are phrases of the element that the
    document does not have; `numbers` sets quantities of the element against those of the document. `doubt` says why a document that
    has the words is not taken to disclose it: they stand "apart", or what the element excludes is not "excluded". `overruled` is
    there where a user spoke, `second` where a second reader was asked.
    """

    element: str
    document: str
    verdict: Verdict
    evidence: float
    quotes: tuple[Quote, ...] = ()
    pairs: tuple[Pair, ...] = ()
    missing: tuple[Place, ...] = ()
    numbers: tuple[NumberFound, ...] = ()
    doubt: str = ""
    overruled: Overruled | None = None
    second: Opinion | None = None

    @property
    def is_own(self) -> bool:
        """Tell whether the verdict is a user's own."""
        return self.overruled is not None and self.overruled.judged

    @property
    def lacks(self) -> str:
        """What of the element is not in the document: a "term", a "figure", or only an "other figure"; nothing where all is there."""
        if self.missing:
            return "term"
        apart = [number for number in self.numbers if not number.agrees]
        return "" if not apart else "other figure" if all(number.found for number in apart) else "figure"


@dataclass(frozen=True, slots=True)
class Column:
    """A document of a chart, and the share of the claim that it covers; rare elements weigh more."""

    id: str
    title: str
    metadata: Mapping[str, Any]
    share: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Elements down, documents across. `weights` say how rare each element is; `undisclosed` are those that no document has.

    `about` is what every export says: what was searched, how often such verdicts are right, and what they are not.
    """

    claims: tuple[Claim, ...]
    elements: tuple[Element, ...]
    documents: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]
    weights: tuple[float, ...]
    encoder: str
    about: tuple[str, ...] = ()

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
        return tuple(element for element, row in rows if all(cell.verdict is Verdict.NOT_FOUND for cell in row))

    def only(self, documents: Sequence[str]) -> Chart:
        """Return the chart of some of its documents, in the order given."""
        ids = [column.id for column in self.documents]
        places = [ids.index(document) for document in documents]
        return replace(
            self,
            documents=tuple(self.documents[place] for place in places),
            cells=tuple(tuple(row[place] for place in places) for row in self.cells),
        )

    def with_cells(self, rows: tuple[tuple[Cell, ...], ...]) -> Chart:
        """Return the chart with other verdicts. Shares are computed again, partly counting half; the order of the documents stays."""
        total, weighed = sum(self.weights) or 1.0, list(zip(rows, self.weights, strict=True))
        documents = tuple(
            replace(column, share=sum(row[place].verdict.credit * weight for row, weight in weighed) / total)
            for place, column in enumerate(self.documents)
        )
        return replace(self, cells=rows, documents=documents)

    def best_first(self) -> Chart:
        """Return the chart with the documents that cover most in front."""
        return self.only([column.id for column in sorted(self.documents, key=lambda column: -column.share)])


def overrule(chart: Chart, rulings: Mapping[tuple[str, str], Opinion]) -> Chart:
    """Return a chart with a user's verdicts, notes and quotations, by the text of the element and the document; shares are those
    of the new verdicts.

    A note without a verdict leaves the one that was found. The order of the documents stays.
    """

    def own(cell: Cell, said: Opinion | None) -> Cell:
        if said is None or said == Opinion():
            return cell
        overruled = Overruled(cell.verdict, said.note, said.quote, said.verdict is not None)
        return replace(cell, verdict=said.verdict or cell.verdict, overruled=overruled)

    rows = tuple(
        tuple(own(cell, rulings.get((element.text, cell.document))) for cell in row)
        for element, row in zip(chart.elements, chart.cells, strict=True)
    )
    return chart.with_cells(rows)


def find_quotation(passages: Iterable[PassageRecord], text: str) -> Quote | None:
    """Return where a text stands in one of the passages; None where it stands in none.

    Quotation marks around it do not count, nor how its words are spaced; what is returned is verbatim from the passage.

    >>> passage = PassageRecord("X/1", "X", "description", "The plunger  is held by a spring.", "0001")
    >>> find_quotation([passage], "“held by a spring”").start, find_quotation([passage], "held by a magnet")
    (16, None)
    """
    words = _QUOTED.sub("", text).split()
    if len(words) < _LEAST:
        return None
    # Whole words only: "a spring" does not stand in "a springboard".
    before, after = (r"(?<!\w)" if words[0][0].isalnum() else ""), (r"(?!\w)" if words[-1][-1].isalnum() else "")
    pattern = re.compile(before + r"\s+".join(map(re.escape, words)) + after)
    for passage in passages:
        if found := pattern.search(passage.text):
            start, end = found.span()
            return Quote(passage.id, passage.section, passage.number, found.group(), start, end, 1.0)
    return None


def require_quotation(passages: Iterable[PassageRecord], text: str, document: str) -> Quote:
    """Return where a quotation stands in a document; one that does not is refused."""
    found = find_quotation(passages, text)
    if found is None:
        raise InputError(
            f"The quotation does not stand in {document} word for word, or is a single word: '{text.strip()[:80]}'. "
            "Copy it from the text of the document."
        )
    return found
