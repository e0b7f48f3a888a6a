"""A chart with a user's own words in place of those that were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sparse_coverage.charts.calibration import Word
from sparse_coverage.charts.cells import Cell, Overruled
from sparse_coverage.charts.chart import Chart, covered


def overrule(chart: Chart, words: Mapping[tuple[str, str], tuple[Word | None, str]]) -> Chart:
    """Return a chart with a user's words and notes, by the text of the element and the document; shares are those of the new words.

    A note without a word (None) leaves the word that was found. The order of the documents stays.
    """
    rows = tuple(
        tuple(_overruled(cell, words.get((element.text, cell.document))) for cell in row)
        for element, row in zip(chart.elements, chart.cells, strict=True)
    )
    documents = tuple(
        replace(column, share=covered([row[place] for row in rows], chart.weights))
        for place, column in enumerate(chart.documents)
    )
    return replace(chart, cells=rows, documents=documents)


def _overruled(cell: Cell, said: tuple[Word | None, str] | None) -> Cell:
    if said is None or said == (None, ""):
        return cell
    word, note = said
    return replace(cell, word=word or cell.word, overruled=Overruled(cell.word, note))
