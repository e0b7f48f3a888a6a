"""Claim charts and combinations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparse_coverage.charts.chart import Cell, Chart, Overruled, Quote, Verdict, strength
from sparse_coverage.charts.combining import Combination, Combinations, Part
from sparse_coverage.charts.elements import Element
from sparse_coverage.present.places import cited
from sparse_coverage.present.terms import CITED_BY_US


def notes_of(cell: Cell, *, own: bool = True) -> list[str]:
    """Return what there is to say about a cell beside its quotation; with `own`, also what the searcher said."""
    notes = []
    if cell.missing:
        credit = cell.verdict.credit
        other_words = credit == 1 or (credit and not cell.pairs)
        told = "not in these words: " if other_words else "not found: "
        notes.append(told + ", ".join(dict.fromkeys(place.text for place in cell.missing)))
    for number in cell.numbers:
        relation = "agrees with" if number.agrees else "contradicts"
        notes.append(f"{number.found} {relation} {number.claimed}")
    if own and cell.overruled is not None:
        notes.append(own_words(cell.verdict, cell.overruled))
    if cell.second is not None:
        said = [cell.second.verdict.label] if cell.second.verdict else []
        said += [f"“{cell.second.quote.text}”"] if cell.second.quote else []
        notes.append("second reader: " + ", ".join([*said, *([cell.second.note] if cell.second.note else [])]))
    return notes


def finding_of(cell: Cell) -> str:
    """Return the verdict of a cell for people, with how strong its evidence is unless it is the user's own: "partly (fair)"."""
    if cell.overruled is not None or not cell.verdict.credit:
        return cell.verdict.label
    return f"{cell.verdict.label} ({strength(cell.evidence)})"


def quotes_of(cell: Cell) -> tuple[Quote, ...]:
    """Return the quotations of a cell, the one that the user chose in front; none where nothing was found."""
    own = cell.overruled.quote if cell.overruled else None
    found = cell.quotes if cell.verdict.credit else ()
    return (own, *(quote for quote in found if quote.text != own.text)) if own else found


def own_words(verdict: Verdict, overruled: Overruled) -> str:
    """Return that the searcher gave a verdict or a note, what was found before, and why."""
    told = "noted by the searcher" if verdict == overruled.found else f"{CITED_BY_US} (found: {overruled.found})"
    return f"{told}: {overruled.note}" if overruled.note else told


def chart_text(chart: Chart, quotations: bool = True) -> RenderableType:
    """Return the features and the documents of a chart, a table of verdicts, and the best quotation of each cell."""
    names = Table.grid(padding=(0, 2))  # beside a table of verdicts a terminal has no room for these
    for element in chart.elements:
        names.add_row(element.label, Text(element.text))
    documents = Table.grid(padding=(0, 2))
    documents.add_column(overflow="fold")
    table = Table(title="Claim chart", expand=False)
    table.add_column("")
    for column in chart.documents:
        documents.add_row(
            column.id, Text(f"{column.title}: {chart.summary(column.id)}" if column.title else chart.summary(column.id))
        )
        table.add_column(_broken(column.id), overflow="fold")
    for element, row in zip(chart.elements, chart.cells, strict=True):
        words = [Text(finding_of(cell), style=cell.verdict.style) for cell in row]
        table.add_row(element.label, *words)
    parts: list[RenderableType] = [names, Text(), documents, Text(), table]
    if chart.undisclosed:
        parts.append(
            Text("In none of these documents: " + ", ".join(one.label for one in chart.undisclosed), style="red")
        )
    if quotations:
        for element, row in zip(chart.elements, chart.cells, strict=True):
            parts += _quotations(element, row)
    parts += [Text(f"\n{line}" if number == 0 else line, style="dim") for number, line in enumerate(chart.about)]
    return Group(*parts)


def _broken(id_: str) -> str:
    """Return the id of a document over as many lines as a publication number has parts."""
    country, _, rest = id_.partition("-")
    number, dash, kind = rest.rpartition("-")
    return f"{country}-\n{number}\n{dash}{kind}" if number else id_


def combination_notes(found: Combinations) -> Iterator[str]:
    """Yield what is to be said of combinations before they are listed: what they start from, and what they lack."""
    if found.own:
        yield f"Starting from {found.own} assessment{'s' if found.own > 1 else ''} by the searcher."
    if found.left_out:
        yield f"Left out, as marked not relevant: {found.left_out} document{'s' if found.left_out > 1 else ''}."
    if found.missing:
        yield f"In none of the {found.documents} documents: {', '.join(found.missing)}."
    if not found.found:
        yield "No combination found."
    elif found.found[0].lacks:
        yield "No combination has every feature. The best there are:"


def combination_lines(found: Combinations) -> Iterator[str]:
    """Yield a sentence for each combination, and what they start from and lack."""
    yield from combination_notes(found)
    for number, one in enumerate(found.found, 1):
        parts = " with ".join(f"{part.document} ({part_has(part)})" for part in one.parts)
        yield f"{number}. {parts}: {combination_ends(one)}."
    if found.bound > 1:
        yield f"Found one document after the other: at most {found.bound:.2f} times the fewest documents."


def part_has(part: Part) -> str:
    """Return the features that a document is in a combination for, and which of them it has in part alone."""
    return ", ".join(f"{one} partly" if one in part.partly else one for one in part.discloses) or "nothing alone"


def combination_ends(one: Combination) -> str:
    """Return what a combination comes to: which features it lacks, else what every feature is at least."""
    if one.lacks:
        return f"lacks {', '.join(one.lacks)}"
    every = one.verdict.label if one.verdict.credit == 1 else f"at least {one.verdict}"
    return f"every feature {every}, the weakest is {one.weakest_element} ({strength(one.weakest)})"


def combinations_text(found: Combinations, chart: Chart) -> RenderableType:
    """Return combinations for a terminal, with the titles of their documents."""
    titles = {column.id: column.title for column in chart.documents}
    used = dict.fromkeys(part.document for one in found.found for part in one.parts)
    lines = [*combination_lines(found), *(f"   {id_}  {titles.get(id_, '')}" for id_ in used)]
    return Group(*(Text(line) for line in lines), *(Text(line, style="dim") for line in chart.about))


def _quotations(element: Element, row: tuple[Cell, ...]) -> list[RenderableType]:
    lines: list[RenderableType] = [Text(f"\n{element.label}  {element.text}", style="bold")]
    for cell in row:
        head = Text(f"  {cell.document}: ") + Text(finding_of(cell), style=cell.verdict.style)
        for note in notes_of(cell):
            head += Text(f"; {note}", style="dim")
        lines.append(head)
        for quote in quotes_of(cell)[:1]:
            lines.append(Text(f"    {cited(quote)} “{quote.text}”"))
    return lines
