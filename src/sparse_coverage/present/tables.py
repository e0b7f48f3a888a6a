"""A table once, written as CSV (for programs), Markdown, LaTeX (booktabs), HTML and to the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.markup import escape as escape_markup
from rich.table import Table as RichTable

from sparse_coverage.present.pages import render


@dataclass(frozen=True, slots=True)
class Cell:
    """A measured value beside the paper's; either may be missing. `interval` is ours, `digits` how it is printed."""

    ours: float | None
    paper: float | None = None
    interval: tuple[float, float] | None = None
    digits: int = 2

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper

    def text(self, minus: str = "-") -> str:
        """Return `ours (paper, difference)`, as much of it as there is."""
        ours = "–" if self.ours is None else f"{self.ours:,.{self.digits}f}"
        if self.paper is None:
            return ours.replace("-", minus)
        difference = self.difference
        behind = f"{self.paper:,.{self.digits}f}"
        if difference is not None:
            behind += f", {difference:+,.{self.digits}f}"
        return f"{ours} ({behind})".replace("-", minus)


Content = str | Cell


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and rows of texts and values."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Content, ...], ...]
    notes: tuple[str, ...] = ()

    def csv(self) -> str:
        """Return the table with one column for each number: ours, low, high, paper, difference."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        numeric = [self.is_number(place) for place in range(len(self.columns))]
        header: list[str] = []
        for name, is_number in zip(self.columns, numeric, strict=True):
            header += (
                [name, f"{name} low", f"{name} high", f"{name} paper", f"{name} difference"] if is_number else [name]
            )
        writer.writerow(header)
        for row in self.rows:
            line: list[object] = []
            for content, is_number in zip(row, numeric, strict=True):
                if isinstance(content, Cell):
                    low, high = content.interval or (None, None)
                    line += [_exact(v) for v in (content.ours, low, high, content.paper, content.difference)]
                else:
                    plain = content.replace(",", "") if content.replace(",", "").isdigit() else content
                    line += [plain, "", "", "", ""] if is_number else [plain]
            writer.writerow(line)
        return stream.getvalue()

    def markdown(self) -> str:
        """Return the table as GitHub shows it."""
        rules = ["---:" if self.is_number(place) else "---" for place in range(len(self.columns))]
        lines = [self.columns, rules, *([_plain(content) for content in row] for row in self.rows)]
        body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"# {self.title}\n\n{body}\n" + "".join(f"\n{note}\n" for note in self.notes)

    def latex(self) -> str:
        """Return a booktabs table."""
        spec = "".join("r" if self.is_number(place) else "l" for place in range(len(self.columns)))
        head = " & ".join(f"\\textbf{{{_tex(name)}}}" for name in self.columns)
        body = "\n".join(" & ".join(_tex_cell(content) for content in row) + r" \\" for row in self.rows)
        notes = " ".join(_tex(note) for note in self.notes)
        return (
            "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n"
            f"\\caption{{{_tex(self.title)}. Ours (paper, difference). {notes}}}\n\\label{{tab:{self.name}}}\n\\small\n"
            f"\\begin{{tabular}}{{{spec}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
        )

    def html(self) -> str:
        """Return the table for the report."""
        return render("table.html", table=self)

    def rich(self) -> RichTable:
        """Return the table for the terminal: narrow, and the first column says each thing once."""
        table = RichTable(
            title=escape_markup(self.title),
            caption=escape_markup(" ".join(self.notes)) or None,
            box=SIMPLE_HEAD,
            padding=(0, 0),
            pad_edge=False,
        )
        for place, name in enumerate(self.columns):
            table.add_column(short_heading(name), justify="right" if self.is_number(place) else "left", overflow="fold")
        above: Content = ""
        for row in self.rows:
            shown = ["" if row[0] == above else row[0], *row[1:]]
            table.add_row(*(escape_markup(_stacked(content)) for content in shown))
            above = row[0]
        return table

    def is_number(self, place: int) -> bool:
        """Say whether a column holds values, not only texts."""
        return any(isinstance(row[place], Cell) for row in self.rows)


def writers(table: Table) -> dict[str, Callable[[], str]]:
    """Return the file formats of a table by suffix."""
    return {".csv": table.csv, ".md": table.markdown, ".tex": table.latex}


def _exact(value: float | None) -> object:
    return "" if value is None else round(value, 6)


def _plain(content: Content) -> str:
    return content.text() if isinstance(content, Cell) else content


def short_heading(name: str) -> str:
    """Return the name of a column, in two lines where it is longer than most values."""
    return name if len(name) < 10 else name.replace("@", "\n@")


_TEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "|": r"\textbar{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}"}
)


def _stacked(content: Content) -> str:
    return content.text().replace(" (", "\n(") if isinstance(content, Cell) else content


def _tex(text: str) -> str:
    return text.translate(_TEX)


def _tex_cell(content: Content) -> str:
    if isinstance(content, str):
        return _tex(content)
    ours, _, behind = content.text(minus="$-$").partition(" ")
    return (
        f"{ours.replace('–', '--')} {{\\scriptsize {behind.replace('–', '--')}}}" if behind else ours.replace("–", "--")
    )
