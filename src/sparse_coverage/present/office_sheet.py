"""Excel and CSV files from sheets, and the columns that say something of a document and of a passage. Excel needs the extra [office]."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.present.office import Stretch, ground, printable
from sparse_coverage.present.places import cited, cut_at, passage_marks
from sparse_coverage.present.reasons import reason_rows
from sparse_coverage.search.results import PassageHit, Reasons
from sparse_coverage.workspace.related import public_links
from sparse_coverage.workspace.results import listed

Value = str | int | float | None | Stretch
"""What a cell holds. A stretch is a text with a colour behind it or a link."""

_LONGEST = 32_767  # characters, what Excel takes in one cell
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NO_NAME = re.compile(r"[\[\]:*?/\\]")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a workbook: names of the columns, rows, and the width of each column in characters."""

    name: str
    header: Sequence[str | Stretch]
    rows: Sequence[Sequence[Value]]
    widths: Sequence[float]


def workbook(*sheets: Sheet) -> bytes:
    """Return an Excel file: headers stay in sight and can be filtered by, long texts wrap, and no text becomes a formula."""
    try:
        import openpyxl
        from openpyxl.styles import Alignment, Font, PatternFill
        from openpyxl.utils import get_column_letter
    except ImportError:
        raise MissingExtraError("An Excel file", "office") from None
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for sheet in sheets:
        page: Any = book.create_sheet(_NO_NAME.sub(" ", printable(sheet.name))[:31])
        for row, values in enumerate([sheet.header, *sheet.rows], 1):
            page.row_dimensions[row].height = _height(values, sheet.widths)
            for column, value in enumerate(values, 1):
                cell = page.cell(row, column)
                _fill(cell, value, PatternFill)
                cell.alignment = Alignment(wrap_text=True, vertical="top")
                if row == 1:
                    own = value.ground if isinstance(value, Stretch) else ""
                    cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor=own or "EFEBE0")
        for number, width in enumerate(sheet.widths, 1):
            page.column_dimensions[get_column_letter(number)].width = width
        page.freeze_panes = "A2"
        page.auto_filter.ref = page.dimensions
        page.page_setup.orientation, page.page_setup.fitToHeight, page.page_setup.paperSize = "landscape", 0, 9  # A4
        page.page_margins.left = page.page_margins.right = 0.4
        page.page_margins.top, page.page_margins.bottom, page.page_margins.footer = 0.5, 0.7, 0.3
        page.oddFooter.center.text = "&A, page &P of &N"
        page.sheet_properties.pageSetUpPr.fitToPage = True
        page.print_title_rows = "1:1"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Return a table as CSV that a spreadsheet opens as it is meant: its mark says UTF-8, and no text becomes a formula.

    >>> csv_text(["id", "text"], [["EP-1-A1", "=1+1"]]).splitlines()
    ['\\ufeffid,text', "EP-1-A1,'=1+1"]
    """
    stream = io.StringIO()
    writer = csv.writer(stream)  # which ends lines as RFC 4180 says, and so quotes either kind of line end
    writer.writerow(header)
    writer.writerows([_guarded(value) for value in row] for row in rows)
    return "\ufeff" + stream.getvalue()


def _height(values: Sequence[Value], widths: Sequence[float]) -> float:
    """Return the height of a row in points: not every program fits it to wrapped texts by itself."""
    texts = (
        (value.text if isinstance(value, Stretch) else str(value or ""), width)
        for value, width in zip(values, widths, strict=True)
    )
    lines = max((sum(1 + int(len(line) / width) for line in text.split("\n")) for text, width in texts), default=1)
    return min(15.0 * lines, 409.0)


def _guarded(value: Value) -> object:
    """Return a value for CSV; a text that a spreadsheet would compute gets the apostrophe by which one says that it is text."""
    if isinstance(value, Stretch):
        value = value.text
    if not isinstance(value, str):
        return value
    value = value.replace("\0", "\ufffd")  # few programs read on after it, and Python 3.10 does not write it
    return f"'{value}" if value.startswith(_FORMULA) else value


def _fill(cell: Any, value: Value, pattern: Any) -> None:
    stretch = value if isinstance(value, Stretch) else None
    content = stretch.text if stretch else value
    if isinstance(content, str):
        cell.value = printable(content)[:_LONGEST]
        cell.data_type = "s"  # also what begins with an equals sign
    else:
        cell.value = content
        if isinstance(content, float):
            cell.number_format = "0.0000"
    if stretch and stretch.link:
        cell.hyperlink = stretch.link
        cell.style = "Hyperlink"
    if stretch and stretch.ground:
        cell.fill = pattern("solid", fgColor=stretch.ground)


WIDTHS: Mapping[str, float] = {
    "rank": 6, "document": 17, "title": 26, "score": 8, "mark": 9, "category": 9, "note": 24, "published": 11, "priority": 11, "filed": 11,
    "classes": 14, "applicants": 16, "family": 14, "found by": 22, "place": 16, "passage score": 8, "passage": 70,
    "mark of the passage": 11, "note on the passage": 30, "reasons": 34, "not found": 22, "index": 11, "search": 7, "when": 17,
    "query": 60, "filters": 26, "ranking": 20, "found": 16, "Espacenet": 10, "Google Patents": 10, "claim": 30,
}  # fmt: skip
"""The columns there are, and how wide each is, in characters."""
_FACTS = {
    "published": "publication_date",
    "priority": "priority_date",
    "filed": "application_date",
    "classes": "ipc",
    "applicants": "applicants",
    "family": "family_members",
}
_REASONS = 6


def document_values(id_: str, title: str, metadata: Mapping[str, Any]) -> dict[str, Value]:
    """Return what the columns say of a document."""
    known: dict[str, Value] = {column: listed(metadata.get(name) or "") for column, name in _FACTS.items()}
    if not known["classes"]:
        known["classes"] = listed(metadata.get("cpc") or "")
    return {"document": id_, "title": title, **known, **public_links(id_)}


def passage_values(passage: PassageHit, reasons: Reasons | None) -> dict[str, Value]:
    """Return what the columns say of a passage."""
    return {
        "place": cited(passage),
        "passage": passage.text,
        "reasons": reasons_line(reasons) if reasons else "",
    }


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Value]]) -> list[list[Value]]:
    """Return rows as lists in the order of the columns."""
    return [[row.get(name) for name in columns] for row in rows]


def sheet(name: str, columns: Sequence[str], rows: Sequence[Mapping[str, Value]]) -> Sheet:
    """Return a sheet with these columns; addresses become links."""
    linked = [
        {key: Stretch("open", link=str(value)) if key in _LINKED and value else value for key, value in row.items()}
        for row in rows
    ]
    return Sheet(name, columns, table(columns, linked), [WIDTHS[column] for column in columns])


_LINKED = ("Espacenet", "Google Patents")


def reasons_line(reasons: Reasons) -> str:
    """Return reasons in one line; what they add is the score of the passage."""
    rows = reason_rows(reasons, _REASONS)
    return "; ".join(f"{asked} ↔ {found} {adds:.3f}".removeprefix(" ↔ ") for asked, found, adds in rows)


def marked_stretches(text: str, reasons: Reasons | None) -> list[Stretch]:
    """Return a passage with its matched phrases on coloured ground: the more one adds, the deeper."""
    return [
        Stretch(one.text, ground=ground(one.strength) if one.strength else "")
        for one in cut_at(text, passage_marks(reasons))
    ]
