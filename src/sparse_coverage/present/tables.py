"""Tables of results for people and papers: CSV, Markdown, HTML, the terminal, and LaTeX ready to print."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.markup import escape as escape_markup
from rich.table import Table as RichTable

from sparse_coverage.present.pages import render

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class TableCell:
    """A measured value beside the paper's; either may be missing. `interval` is ours, `digits` how it is printed.

    `deviation` is that of several seeds, `p` the corrected p-value of its difference to the table's baseline: a dagger marks
    those below 0.05.
    """

    ours: float | None
    paper: float | None = None
    interval: tuple[float, float] | None = None
    digits: int = 2
    deviation: float | None = None
    p: float | None = None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper

    def text(self, minus: str = "-") -> str:
        """Return `ours (paper, difference)`, as much of it as there is."""
        ours = self.own()
        if self.paper is None:
            return ours.replace("-", minus)
        difference = self.difference
        behind = f"{self.paper:,.{self.digits}f}"
        if difference is not None:
            behind += f", {difference:+,.{self.digits}f}"
        return f"{ours} ({behind})".replace("-", minus)

    def own(self) -> str:
        """Return our value as printed, with the deviation over seeds and the dagger where there are any."""
        if self.ours is None:
            return "–"
        deviation = "" if self.deviation is None else f"±{self.deviation:.{self.digits}f}"
        return f"{self.ours:,.{self.digits}f}{deviation}{'†' if self.is_significant else ''}"

    def numbers(self) -> dict[str, float | None]:
        """Return what is known beside the value, by name."""
        low, high = self.interval or (None, None)
        return dict(zip(_MORE, (low, high, self.deviation, self.paper, self.difference, self.p), strict=True))

    @property
    def is_significant(self) -> bool:
        """Whether the difference to the baseline is beyond chance."""
        return self.p is not None and self.p < SIGNIFICANT


Content = str | TableCell


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and rows of texts and values.

    `best` are the columns where larger is better: print marks the best value and the second, of all rows or `within` those with
    the same text in a column. A first column called "Group" becomes headings in print.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Content, ...], ...]
    notes: tuple[str, ...] = ()
    best: tuple[int, ...] = ()
    within: int | None = None

    def __str__(self) -> str:
        """Return what `print` shows: the table in Markdown."""
        return self.markdown()

    def csv(self) -> str:
        """Return the table with one column for each number: ours, low, high, deviation, paper, difference, p, as far as there are any."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        more = [self._known(place) for place in range(len(self.columns))]
        header: list[str] = []
        for name, known in zip(self.columns, more, strict=True):
            header += [name, *(f"{name} {one}" for one in known)]
        writer.writerow(header)
        for row in self.rows:
            line: list[object] = []
            for content, known in zip(row, more, strict=True):
                if isinstance(content, TableCell):
                    values = content.numbers()
                    line += [_exact(content.ours), *(_exact(values[one]) for one in known)]
                else:
                    plain = content.replace(",", "") if content.replace(",", "").isdigit() else content
                    line += [plain, *[""] * len(known)]
            writer.writerow(line)
        return stream.getvalue()

    def leaders(self, place: int) -> dict[int, int]:
        """Return the rows that have the largest (1) and the second largest (2) value of a column in `best`, as printed.

        With `within`, among the rows that have the same text in that column. Equal values are leaders together.
        """
        found: dict[int, int] = {}
        if place not in self.best:
            return found
        groups: dict[object, dict[int, float]] = {}
        for number, row in enumerate(self.rows):
            content = row[place]
            if isinstance(content, TableCell) and content.ours is not None:
                group = None if self.within is None else row[self.within]
                groups.setdefault(group, {})[number] = round(content.ours, content.digits)
        for values in groups.values():
            order = sorted(set(values.values()), reverse=True)
            if len(values) > 1:
                found |= {n: 1 + order.index(value) for n, value in values.items() if value in order[:2]}
        return found

    def markdown(self) -> str:
        """Return the table as GitHub shows it."""
        rules = ["---:" if self.is_number(place) else "---" for place in range(len(self.columns))]
        leaders = [self.leaders(place) for place in range(len(self.columns))]
        rows = [
            [_marked(content, leaders[place].get(number)) for place, content in enumerate(row)]
            for number, row in enumerate(self.rows)
        ]
        lines = [self.columns, rules, *rows]
        body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"# {self.title}\n\n{body}\n" + "".join(f"\n{note}\n" for note in self.notes)

    def html(self) -> str:
        """Return the table for the report."""
        return render("table.html", table=self)

    def rich(self) -> RichTable:
        """Return the table for the terminal: narrow, and the first column says each thing once."""
        table = RichTable(
            title=escape_markup(self.title),
            caption=escape_markup(" ".join(self.notes)) or None,
            title_justify="left",
            caption_justify="left",
            box=SIMPLE_HEAD,
            padding=(0, 0),
            pad_edge=False,
        )
        for place, name in enumerate(self.columns):
            number = _is_right(self, place)  # a broken number is another one: names are folded instead
            justify: Literal["left", "right"] = "right" if number else "left"
            table.add_column(short_heading(name), justify=justify, overflow="fold", no_wrap=number)
        above: Content = ""
        for row in self.rows:
            shown = ["" if row[0] == above else row[0], *row[1:]]
            table.add_row(*(escape_markup(_stacked(content)) for content in shown))
            above = row[0]
        return table

    def _known(self, place: int) -> list[str]:
        """Return which numbers beside the value itself any row of a column has."""
        every = [row[place].numbers() for row in self.rows if isinstance(row[place], TableCell)]  # type: ignore[union-attr]
        return [name for name in _MORE if any(numbers[name] is not None for numbers in every)]

    def is_number(self, place: int) -> bool:
        """Say whether a column holds values, not only texts."""
        return any(isinstance(row[place], TableCell) for row in self.rows)


_MORE = ("low", "high", "deviation", "paper", "difference", "p")


def _exact(value: float | None) -> object:
    return "" if value is None else round(value, 6)


def _marked(content: Content, place: int | None) -> str:
    text = content.text() if isinstance(content, TableCell) else content
    ours, gap, behind = text.partition(" ")
    return f"**{ours}**{gap}{behind}" if place == 1 else text


def short_heading(name: str) -> str:
    """Return the name of a column, in two lines where it is longer than most values."""
    measure, blank, part = name.partition(" ")
    if "@" in measure and blank:
        return f"{measure}\n{part}"
    return name if len(name) < 10 else name.replace("@", "\n@")


def _stacked(content: Content) -> str:
    return content.text().replace("±", "\n±").replace(" (", "\n(") if isinstance(content, TableCell) else content


GROUP = "Group"
COLUMN = 240.0
"""The width of one column of a page, in points."""
LONG = 50
"""A table of more rows than this fits on no page."""
_TEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "|": r"\textbar{}"}
    | {
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "±": r"$\pm$",
        "†": r"$^{\dagger}$",
        "×": r"$\times$",
        "★": r"$\star$",
    }
)
_LEADER = {1: r"\textbf{%s}", 2: r"\underline{%s}"}


def latex_table(table: Table) -> str:
    """Return the table. It needs `\\usepackage{booktabs}`; one that is wider than a column spans both columns of a page,
    and one of very many rows goes on over several pages (`longtable`).
    """
    grouped = table.columns[0] == GROUP
    columns = table.columns[1:] if grouped else table.columns
    spec = "".join("r" if _is_right(table, place) else "l" for place in range(len(table.columns)))[grouped:]
    head = " & ".join(f"\\textbf{{{escaped(name)}}}" for name in columns)
    leaders = [table.leaders(place) for place in range(len(table.columns))]
    parted = 0 if grouped else table.within  # rows that have the same here stand together, and it is said once
    lines: list[str] = []
    above: Content | None = None
    for number, row in enumerate(table.rows):
        cells = [_cell(content, leaders[place].get(number)) for place, content in enumerate(row)]
        if parted is not None and row[parted] != above:
            lines += [r"\midrule"] if lines else []
            heading = f"\\multicolumn{{{len(columns)}}}{{@{{}}l}}{{\\textit{{{cells[0]}}}}} \\\\"
            lines += [heading] if grouped else []
            above = row[parted]
        elif parted is not None:
            cells[parted] = ""
        lines.append(" & ".join(cells[grouped:]) + r" \\")
    body = "\n".join(lines)
    if len(table.rows) > LONG:
        return _long_table(table, spec, head, len(columns), body)
    kind = "table*" if _width(table, grouped) > COLUMN else "table"
    return (
        f"% needs \\usepackage{{booktabs}}\n\\begin{{{kind}}}\n\\centering\n\\setlength{{\\belowcaptionskip}}{{4pt}}\n"
        f"\\caption{{{_caption(table)}}}\n\\label{{tab:{table.name}}}\n\\footnotesize\n\\setlength{{\\tabcolsep}}{{4pt}}\n"
        f"\\begin{{tabular}}{{@{{}}{spec}@{{}}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n"
        f"\\end{{tabular}}\n\\end{{{kind}}}\n"
    )


WRITERS: dict[str, Callable[[Table], str]] = {".csv": Table.csv, ".md": Table.markdown, ".tex": latex_table}
"""The file formats of a table by suffix."""


def _long_table(table: Table, spec: str, head: str, columns: int, body: str) -> str:
    """Return a table that goes on over several pages, its head on each. A longtable stands in one column of text only."""
    again = f"\\multicolumn{{{columns}}}{{@{{}}l}}{{\\textit{{continued}}}} \\\\"
    return (
        "% needs \\usepackage{booktabs,longtable} and a page of one column\n\\begingroup\n\\footnotesize\n"
        f"\\setlength{{\\tabcolsep}}{{4pt}}\n\\begin{{longtable}}{{@{{}}{spec}@{{}}}}\n\\caption{{{_caption(table)}}}\n"
        f"\\label{{tab:{table.name}}} \\\\\n\\toprule\n{head} \\\\\n\\midrule\n\\endfirsthead\n{again}\n\\toprule\n{head} \\\\\n"
        f"\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n{body}\n\\end{{longtable}}\n\\endgroup\n"
    )


def _is_right(table: Table, place: int) -> bool:
    """Say whether a column is aligned to the right: values, and counts that are written as texts, as V is."""
    texts = [row[place] for row in table.rows if isinstance(row[place], str)]
    counts = [text for text in texts if str(text).replace(",", "").isdigit()]
    others = [text for text in texts if text not in counts and text not in ("", "–", "default")]
    return table.is_number(place) or (bool(counts) and not others)


def _width(table: Table, grouped: bool) -> float:
    """Estimate how wide a table is in points: type of 8 points, headings bold, 8 points between columns."""
    width = -8.0
    for place, name in list(enumerate(table.columns))[grouped:]:
        texts = [one if isinstance(one, str) else one.text() for row in table.rows for one in (row[place],)]
        width += 8 + max(4.9 * len(name), *(4.2 * len(text) for text in texts))
    return width


def escaped(text: str) -> str:
    """Return a text with LaTeX's special characters written out."""
    return text.translate(_TEX)


def _caption(table: Table) -> str:
    cells = [content for row in table.rows for content in row if not isinstance(content, str)]
    said = [escaped(table.title) + "." * (table.title[-1:] not in ".?!")]
    if any(cell.paper is not None for cell in cells):
        said.append("Ours (paper, difference).")
    if table.best:
        said.append(r"Best values are \textbf{bold}, second best \underline{underlined}.")
    return " ".join([*said, *map(escaped, table.notes)])


def _cell(content: Content, leader: int | None) -> str:
    if isinstance(content, str):
        return escaped(content)
    ours, _, behind = content.text(minus="−").partition(" ")
    shown = _LEADER.get(leader or 0, "%s") % escaped(ours).replace("−", "$-$")
    return f"{shown} {{\\scriptsize {escaped(behind).replace('−', '$-$')}}}" if behind else shown
