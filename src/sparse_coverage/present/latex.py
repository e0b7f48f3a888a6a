"""A table in LaTeX, ready to print: booktabs, best values bold, second best underlined, groups as headings."""

from __future__ import annotations

from collections.abc import Callable

from sparse_coverage.present.tables import Content, Table

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


def writers(table: Table) -> dict[str, Callable[[], str]]:
    """Return the file formats of a table by suffix."""
    return {".csv": table.csv, ".md": table.markdown, ".tex": lambda: latex_table(table)}


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
