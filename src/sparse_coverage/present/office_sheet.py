"""Excel files (.xlsx) from tables, and the same tables as CSV. Excel needs the extra [office]."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.present.office import Stretch, printable

Value = str | int | float | None | Stretch
"""What a cell holds. A stretch is a text with a colour behind it or a link."""

_LONGEST = 32_767  # characters, what Excel takes in one cell
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NO_NAME = re.compile(r"[\[\]:*?/\\]")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a workbook: names of the columns, rows, and the width of each column in characters."""

    name: str
    header: Sequence[str]
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
                    cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="EFEBE0")
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
