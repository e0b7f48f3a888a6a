"""What the page shows of a chart: verdicts with the searcher's own, quotations cut and marked, what each document comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sparse_coverage.charts.chart import Cell, Chart, Column, Opinion, Quote, overrule, strength
from sparse_coverage.charts.combining import Combination, Combinations
from sparse_coverage.dataclass_json import from_json
from sparse_coverage.present.chart_text import (
    combination_ends,
    combination_notes,
    listed,
    part_has,
    quotation,
    quotes_of,
    remarks_of,
    to_be_quoted,
    without_main,
)
from sparse_coverage.present.chart_words import gaps_of, measured, strength_of, summary_of
from sparse_coverage.present.places import TextPiece, cited
from sparse_coverage.projects import KeptChart, Ruling

LENGTH = 150
"""Characters of a quotation in a cell; opened, it is shown whole."""


@dataclass(frozen=True, slots=True)
class ShownQuote:
    """A quotation: where it stands, how strong it is as evidence, its text in pieces, and what of it a user is offered to quote.

    `passage` is the id of its passage.
    """

    passage: str
    place: str
    evidence: str
    pieces: tuple[TextPiece, ...]
    quotable: str


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell: the verdict that counts, the one that was found, and what shows it. `own` tells whether the searcher gave the verdict.

    `measured` says in one line what was found and how strong the evidence is, `gaps` what of the feature the document lacks.
    `reason` is what the searcher wrote. A cell whose verdict is that nothing was found has no excerpt.
    """

    document: str
    verdict: str
    found: str
    evidence: str
    measured: str
    own: bool
    gaps: tuple[str, ...]
    notes: tuple[str, ...]
    reason: str
    excerpt: ShownQuote | None
    quotes: tuple[ShownQuote, ...]


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A document: how many features it has, in words, and the share of the claim that is. `lacks`: some without a key term or figure."""

    id: str
    title: str
    told: str
    lacks: bool
    share: float


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A feature of the claim with its cells."""

    label: str
    text: str
    cells: tuple[ShownCell, ...]


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A document of a combination, and the features that it gives."""

    document: str
    title: str
    gives: str


@dataclass(frozen=True, slots=True)
class ShownCombination:
    """Documents that go together, and what they come to."""

    parts: tuple[ShownPart, ...]
    ends: str


@dataclass(frozen=True, slots=True)
class ShownCombinations:
    """The combinations found, best first, what is to be said of all of them, and the best one `without` the main document of the first."""

    notes: tuple[str, ...]
    found: tuple[ShownCombination, ...]
    without: str = ""
    runner_up: ShownCombination | None = None


@dataclass(frozen=True, slots=True)
class ChartView:
    """A chart as the page shows it. `missing` are the features that no document has."""

    columns: tuple[ShownColumn, ...]
    rows: tuple[ShownRow, ...]
    missing: tuple[str, ...]
    about: tuple[str, ...]
    combinations: ShownCombinations | None = None


def with_rulings(kept: KeptChart, rulings: Iterable[Ruling]) -> Chart:
    """Return a chart that was kept with the searcher's own verdicts for its claim."""
    own = {
        (one.element, one.document): Opinion(one.verdict, one.note, one.quote)
        for one in rulings
        if (one.claim, one.index) == (kept.claim, kept.index)
    }
    return overrule(from_json(Chart, kept.chart), own)


def chart_view(kept: KeptChart, rulings: Iterable[Ruling] = ()) -> ChartView:
    """Return a chart that was kept as the page shows it."""
    chart = with_rulings(kept, rulings)
    rows = zip(chart.elements, chart.cells, strict=True)
    return ChartView(
        tuple(_column(chart, one) for one in chart.documents),
        tuple(
            ShownRow(element.label, element.text, tuple(_cell(cell, number) for cell in row))
            for number, (element, row) in enumerate(rows)
        ),
        tuple(one.label for one in chart.undisclosed),
        chart.about,
        None if kept.combinations is None else _combinations(from_json(Combinations, kept.combinations), chart),
    )


def _column(chart: Chart, column: Column) -> ShownColumn:
    told = summary_of(chart, column.id)
    return ShownColumn(column.id, column.title, told.text, told.lacks, column.share)


def _cell(cell: Cell, row: int) -> ShownCell:
    said = cell.overruled
    found = said.found if said else cell.verdict
    quotes = quotes_of(cell)
    return ShownCell(
        cell.document,
        cell.verdict,
        found,
        strength_of(cell),
        measured(cell),
        cell.is_own,
        tuple(gaps_of(cell)),
        tuple(remarks_of(cell, own=False)),
        said.note if said else "",
        _quote(cell, quotes[0], row, LENGTH) if quotes and cell.verdict.credit else None,
        tuple(_quote(cell, one, row) for one in cell.quotes),
    )


def _quote(cell: Cell, quote: Quote, row: int, length: int | None = None) -> ShownQuote:
    pieces = quotation(cell, quote, length, row)
    return ShownQuote(quote.passage, cited(quote), strength(quote.evidence), tuple(pieces), to_be_quoted(cell, quote))


def _combinations(found: Combinations, chart: Chart) -> ShownCombinations:
    titles = {column.id: column.title for column in chart.documents}

    def shown(one: Combination) -> ShownCombination:
        parts = (ShownPart(part.document, titles.get(part.document, ""), part_has(part)) for part in one.parts)
        return ShownCombination(tuple(parts), combination_ends(one))

    told = tuple(combination_notes(found)), tuple(map(shown, listed(found)))
    return (
        ShownCombinations(*told, without_main(found), shown(found.runner_up))
        if found.runner_up
        else ShownCombinations(*told)
    )
