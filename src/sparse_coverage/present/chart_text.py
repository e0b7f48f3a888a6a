"""Claim charts and combinations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparse_coverage.charts.calibration import Word
from sparse_coverage.charts.cells import Cell, Overruled
from sparse_coverage.charts.chart import Chart
from sparse_coverage.charts.combining import Combinations
from sparse_coverage.charts.elements import Element

STYLES = {"disclosed": "bold green", "partly": "yellow", "not found": "red"}
_SHORT = 60


def place_of(section: str, number: str, passage: str) -> str:
    """Return where a quotation stands, for people: "[0034]", "claim 3", or the passage's id."""
    if number:
        return f"claim {number}" if section == "claims" else f"[{number}]"
    return passage


def notes_of(cell: Cell) -> list[str]:
    """Return what there is to say about a cell beside its quotation."""
    notes = []
    if cell.missing:
        notes.append("not found: " + ", ".join(dict.fromkeys(place.text for place in cell.missing)))
    for number in cell.numbers:
        relation = "agrees with" if number.agrees else "contradicts"
        notes.append(f"{number.found} {relation} {number.claimed}")
    if cell.overruled is not None:
        notes.append(_own_words(cell.word, cell.overruled))
    return notes


def _own_words(word: Word, overruled: Overruled) -> str:
    told = "noted by the user" if word == overruled.found else f"overruled by the user (found: {overruled.found})"
    return f"{told}: {overruled.note}" if overruled.note else told


def chart_text(chart: Chart, quotations: bool = True) -> RenderableType:
    """Return a chart as a table of words, followed by the best quotation of each cell."""
    table = Table(title="Claim chart", expand=False)
    table.add_column("")
    table.add_column("element", max_width=_SHORT)
    for column in chart.documents:
        table.add_column(f"{column.id}\ncovers {column.share:.0%}")
    for element, row in zip(chart.elements, chart.cells, strict=True):
        words = [Text(f"{cell.word} {cell.evidence:.2f}", style=STYLES[cell.word]) for cell in row]
        table.add_row(element.label, Text(element.text), *words)
    parts: list[RenderableType] = [table]
    if chart.undisclosed:
        parts.append(
            Text("In none of these documents: " + ", ".join(one.label for one in chart.undisclosed), style="red")
        )
    if quotations:
        for element, row in zip(chart.elements, chart.cells, strict=True):
            parts += _quotations(element, row)
    return Group(*parts)


def combination_lines(found: Combinations) -> Iterator[str]:
    """Yield a sentence for each combination, or the one that says why there is none."""
    for number, one in enumerate(found.found, 1):
        parts = " with ".join(f"{part.document} ({', '.join(part.discloses) or 'nothing alone'})" for part in one.parts)
        yield f"{number}. {parts}: every element {one.word}, the weakest is {one.weakest_element} ({one.weakest:.2f})."
    if not found.found:
        where = f": {', '.join(found.missing)} in none of the {found.documents} documents" if found.missing else ""
        yield f"No combination found{where}."


def combinations_text(found: Combinations, chart: Chart) -> RenderableType:
    """Return combinations for a terminal."""
    if not found.found:
        if found.missing:
            where = f"in none of the {found.documents} documents"
            many = len(found.missing) > 1
            return Text(
                f"No combination found: element{'s' if many else ''} {', '.join(found.missing)} {'are' if many else 'is'} {where}."
            )
        return Text("No combination of so few documents discloses every element. Allow more with --max.")
    titles = {column.id: column.title for column in chart.documents}
    lines: list[RenderableType] = []
    for number, one in enumerate(found.found, 1):
        lines.append(
            Text(
                f"{number}. every element {one.word}; weakest {one.weakest_element} ({one.weakest:.2f}), field {one.nearness:.2f}",
                style="bold",
            )
        )
        for place, part in enumerate(one.parts):
            what = "closest" if place == 0 else "adds"
            lines.append(
                Text(
                    f"   {what}: {part.document} {titles.get(part.document, '')} ({', '.join(part.discloses) or 'nothing alone'})"
                )
            )
    if found.bound > 1:
        lines.append(Text(f"Found one document after the other: at most {found.bound:.2f} times the fewest documents."))
    return Group(*lines)


def _quotations(element: Element, row: tuple[Cell, ...]) -> list[RenderableType]:
    lines: list[RenderableType] = [Text(f"\n{element.label}  {element.text}", style="bold")]
    for cell in row:
        head = Text(f"  {cell.document}: ") + Text(cell.word, style=STYLES[cell.word])
        for note in notes_of(cell):
            head += Text(f"; {note}", style="dim")
        lines.append(head)
        if cell.quotes and cell.word != "not found":
            quote = cell.quotes[0]
            lines.append(Text(f"    {place_of(quote.section, quote.number, quote.passage)} “{quote.text}”"))
    return lines
