"""A table in LaTeX, ready to print: booktabs, best values bold, second best underlined, groups as headings."""

from __future__ import annotations

from collections.abc import Callable

from sparse_coverage.present.tables import Content, Table

GROUP = "Group"
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


def writers(table: Table) -> dict[str, Callable[[], str]]:
    """Return the file formats of a table by suffix."""
    return {".csv": table.csv, ".md": table.markdown, ".tex": lambda: latex_table(table)}


def latex_table(table: Table) -> str:
    """Return the table. It needs `\\usepackage{booktabs}`; wide ones span both columns of a page."""
    grouped = table.columns[0] == GROUP
    columns = table.columns[1:] if grouped else table.columns
    spec = "".join("r" if table.is_number(place) else "l" for place in range(len(table.columns)))[grouped:]
    head = " & ".join(f"\\textbf{{{escaped(name)}}}" for name in columns)
    leaders = [table.leaders(place) for place in range(len(table.columns))]
    lines: list[str] = []
    above: Content | None = None
    for number, row in enumerate(table.rows):
        if grouped and row[0] != above:
            lines += [r"\midrule"] if lines else []
            lines.append(f"\\multicolumn{{{len(columns)}}}{{l}}{{\\textit{{{escaped(str(row[0]))}}}}} \\\\")
        elif not grouped and table.within is not None and lines and row[table.within] != above:
            lines.append(r"\midrule")
        above = row[0] if grouped else None if table.within is None else row[table.within]
        cells = [_cell(content, leaders[place].get(number)) for place, content in enumerate(row)]
        lines.append(" & ".join(cells[grouped:]) + r" \\")
    body = "\n".join(lines)
    kind = "table*" if len(columns) > 6 else "table"
    return (
        f"% needs \\usepackage{{booktabs}}\n\\begin{{{kind}}}\n\\centering\n\\caption{{{_caption(table)}}}\n"
        f"\\label{{tab:{table.name}}}\n\\footnotesize\n\\setlength{{\\tabcolsep}}{{4pt}}\n"
        f"\\begin{{tabular}}{{{spec}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{{kind}}}\n"
    )


def escaped(text: str) -> str:
    """Return a text with LaTeX's special characters written out."""
    return text.translate(_TEX)


def _caption(table: Table) -> str:
    cells = [content for row in table.rows for content in row if not isinstance(content, str)]
    said = [f"{escaped(table.title)}."]
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
