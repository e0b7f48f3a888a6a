"""Claim charts and combinations as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparse_coverage.charts.chart import Cell, Chart, Overruled, Quote, Verdict, strength
from sparse_coverage.charts.combining import Combination, Combinations, Part
from sparse_coverage.charts.elements import Element
from sparse_coverage.present.chart_words import gaps_of, number_words, strength_of, summary_of
from sparse_coverage.present.places import TextMark, TextPiece, cited, cut_at
from sparse_coverage.present.terms import CITED_BY_US
from sparse_coverage.search.results import Place
from sparse_coverage.text import sentence_ends

QUOTED = 420
"""Characters of a quotation in a file or a terminal: a claim may have 200 words, of which few answer a feature."""
_AROUND = (320, 240, 160, 120, 90, 60, 40, 25)
"""So many characters around each marked phrase are shown: as many as fit."""


def notes_of(cell: Cell, *, own: bool = True) -> list[str]:
    """Return what there is to say about a cell beside its quotation, what is lacking first; with `own`, also what the searcher said."""
    return [*gaps_of(cell), *remarks_of(cell, own=own)]


def remarks_of(cell: Cell, *, own: bool = True) -> list[str]:
    """Return what there is to say about a cell beside its quotation and what it lacks."""
    notes = []
    if not (cell.verdict.credit or cell.is_own or cell.missing or cell.numbers):
        notes.append("no passage comes near enough")
    notes += [number_words(number) for number in cell.numbers if number.agrees]
    if own and cell.overruled is not None:
        notes.append(own_words(cell.overruled))
    if cell.second is not None:
        said = [cell.second.verdict.value] if cell.second.verdict else []
        said += [f"“{cell.second.quote.text}”"] if cell.second.quote else []
        notes.append("second reader: " + ", ".join([*said, *([cell.second.note] if cell.second.note else [])]))
    return notes


def finding_of(cell: Cell) -> str:
    """Return the verdict of a cell for people, with how strong its evidence is unless it is the user's own: "partly (fair)"."""
    if cell.is_own or not cell.verdict.credit:
        return str(cell.verdict)
    return f"{cell.verdict.value} ({strength_of(cell)})"


def short_gaps(cell: Cell) -> list[str]:
    """Return what a cell lacks, to stand at its verdict where there is little room; nothing at a user's own."""
    return [] if cell.is_own else gaps_of(cell)


def quotes_of(cell: Cell) -> tuple[Quote, ...]:
    """Return the quotations of a cell, the one that the user chose in front; none where nothing was found."""
    own = cell.overruled.quote if cell.overruled else None
    found = cell.quotes if cell.verdict.credit else ()
    return (own, *(quote for quote in found if quote.text != own.text)) if own else found


def quotation(cell: Cell, quote: Quote, length: int | None = QUOTED, feature: int = -1) -> list[TextPiece]:
    """Return a quotation with its phrases marked, and an ellipsis for what is left out where it is longer than so many characters.

    One that the user chose is shown whole, as every one is without a length.
    """
    places = _places(cell, quote)
    marks = [TextMark(one.start, one.end, feature=feature) for one in places]
    own = cell.overruled is not None and quote == cell.overruled.quote
    pieces: list[TextPiece] = []
    done = 0
    for start, end in [(0, len(quote.text))] if own or length is None else excerpts(quote.text, places, length):
        if start > done:
            pieces.append(TextPiece("\u00a0… " if done else "…\u00a0"))
        pieces += cut_at(quote.text, marks, start, end)
        done = end
    return pieces if done == len(quote.text) else [*pieces, TextPiece("\u00a0…")]


def to_be_quoted(cell: Cell, quote: Quote) -> str:
    """Return what a user is offered to quote of a quotation, verbatim: all of it, or the longest stretch that reports show of it."""
    parts = excerpts(quote.text, _places(cell, quote), QUOTED)
    return max((quote.text[start:end] for start, end in parts), key=len)


def _places(cell: Cell, quote: Quote) -> list[Place]:
    """Return where the phrases that a cell names stand in one of its quotations."""
    number = cell.quotes.index(quote) if quote in cell.quotes else -1
    return [one.passage for one in cell.pairs if one.quote == number]


def excerpts(text: str, places: Sequence[Place], length: int) -> list[tuple[int, int]]:
    """Return which parts of a text to show where it is longer than so many characters: those around some places, strongest first.

    Parts begin and end with sentences where some do nearby, else with words. Places that do not fit are left out.

    >>> text = "A pump with a rotor, " + "and a lid, " * 9 + "the rotor being held by a spring."
    >>> [text[slice(*part)] for part in excerpts(text, [Place("spring", 146, 152), Place("rotor", 14, 19)], 100)]
    ['A pump with a rotor, and a lid, and a lid,', 'rotor being held by a spring.']
    """
    if len(text) <= length:
        return [(0, len(text))]
    places = places or [Place("", 0, 0)]
    ends = sentence_ends(text)
    for count in range(len(places), 0, -1):
        for around in (length, *_AROUND):
            parts: list[tuple[int, int]] = []
            for place in sorted(places[:count], key=lambda one: one.start):
                start, end = _around(text, place, around, ends)
                if parts and start <= parts[-1][1] + 1:
                    start, end = parts[-1][0], max(end, parts[-1][1])
                    parts.pop()
                parts.append((start, end))
            if sum(end - start for start, end in parts) <= length:
                return parts
    return [(places[0].start, places[0].end)]


def _around(text: str, place: Place, around: int, ends: Sequence[int]) -> tuple[int, int]:
    """Return the part of a text around a place, so many characters on each side at most."""
    low, high = max(0, place.start - around), min(len(text), place.end + around)
    start = min((one for one in (0, *ends) if low <= one <= place.start), default=-1)
    if start < 0:
        start = text.find(" ", low, place.start) + 1 or place.start
    start += len(text[start : place.start]) - len(text[start : place.start].lstrip())
    end = max((one for one in (*ends, len(text)) if place.end <= one <= high), default=-1)
    if end < 0:
        end = max(text.rfind(" ", place.end, high + 1), place.end)
    return start, end


def own_words(overruled: Overruled) -> str:
    """Return that the searcher gave a verdict or a note, what was found before, and why."""
    told = f"{CITED_BY_US} (found: {overruled.found})" if overruled.judged else "noted by the searcher"
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
        told = summary_of(chart, column.id)
        shown = Text(told.text, style=Verdict.PARTLY.style if told.lacks else "")
        documents.add_row(Text(column.id), Text(f"{column.title}: ") + shown if column.title else shown)
        table.add_column(Text(_broken(column.id)), overflow="fold")
    for element, row in zip(chart.elements, chart.cells, strict=True):
        words = [Text("\n".join([finding_of(cell), *short_gaps(cell)]), style=cell.verdict.style) for cell in row]
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
        yield f"In none of the {_looked_at(found)}: {', '.join(found.missing)}."
    if not found.found:
        yield "No combination found."
    elif found.found[0].lacks:
        yield "No combination has every feature. The best there are:"
    if not found.exact:
        yield "Only the best sets of three documents were extended, so others may do as well."


def _looked_at(found: Combinations) -> str:
    """Return how many documents were looked at, and how: most of many are only looked through."""
    if not found.read or found.read == found.documents:
        return f"{found.documents:,} documents"
    return (
        f"{found.read:,} documents that were read closely (the other {found.documents - found.read:,} of the "
        f"{found.documents:,} found were only looked through)"
    )


def combination_lines(found: Combinations) -> Iterator[str]:
    """Yield a sentence for each combination, and what they start from and lack."""
    yield from combination_notes(found)
    named = [(f"{number}. ", one) for number, one in enumerate(listed(found), 1)]
    if found.runner_up:
        named.append((f"{without_main(found)}: ", found.runner_up))
    for name, one in named:
        parts = " with ".join(f"{part.document} ({part_has(part)})" for part in one.parts)
        yield f"{name}{parts}: {combination_ends(one)}."


def listed(found: Combinations) -> list[Combination]:
    """Return the combinations that are listed by number: all but the runner-up, which has a line of its own."""
    return [one for one in found.found if one != found.runner_up]


def without_main(found: Combinations) -> str:
    """Return what the runner-up does without: the main document of the best combination."""
    return f"Without {found.found[0].parts[0].document}"


def part_has(part: Part) -> str:
    """Return the features that a document is in a combination for, and which of them it has in part alone."""
    return ", ".join(f"{one} partly" if one in part.partly else one for one in part.discloses) or "nothing alone"


def combination_ends(one: Combination) -> str:
    """Return what a combination comes to: which features remain open, else what every feature is at least."""
    if one.lacks:
        return f"{', '.join(one.lacks)} remain{'s' * (len(one.lacks) == 1)} open"
    every = one.verdict.value if one.verdict.credit == 1 else f"at least {one.verdict}"
    return f"every feature {every}, the weakest is {one.weakest_element} ({strength(one.weakest)})"


def combinations_text(found: Combinations, chart: Chart) -> RenderableType:
    """Return combinations for a terminal, with the titles of their documents."""
    titles = {column.id: column.title for column in chart.documents}
    used = dict.fromkeys(part.document for one in (*found.found, found.runner_up) if one for part in one.parts)
    lines = [*combination_lines(found), *(f"   {id_}  {titles.get(id_, '')}" for id_ in used)]
    return Group(*(Text(line) for line in lines), *(Text(line, style="dim") for line in chart.about))


def _quotations(element: Element, row: tuple[Cell, ...]) -> list[RenderableType]:
    lines: list[RenderableType] = [Text(f"\n{element.label}  {element.text}", style="bold")]
    for cell in row:
        head = Text(f"  {cell.document}: ") + Text(finding_of(cell), style=cell.verdict.style)
        for note in gaps_of(cell):
            head += Text(f"; {note}", style=Verdict.PARTLY.style)
        for note in remarks_of(cell):
            head += Text(f"; {note}", style="dim")
        lines.append(head)
        for quote in quotes_of(cell)[:1]:
            told = "".join(piece.text for piece in quotation(cell, quote))
            lines.append(Text(f"    {cited(quote)} “{told}”"))
    return lines
