"""Excel files (.xlsx, .xls, XML, or a web page): the rows of each sheet that has a header, as in `tables`. The first two need
[documents].
"""

from __future__ import annotations

import datetime
import io
import itertools
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from lxml import html

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.patents.numbers import parse_number
from sparse_coverage.patents.patent import Patent, Problem
from sparse_coverage.patents.readers.fields import NUMBER_FIELDS, columns_of, is_header
from sparse_coverage.patents.readers.records import read_record
from sparse_coverage.patents.readers.tables import Row, no_header, table_pieces
from sparse_coverage.patents.readers.text_files import is_office_file, member_names, whole_file
from sparse_coverage.patents.readers.xml_documents import parse_xml
from sparse_coverage.patents.reading.context import DEFAULT_LIMITS, Limits, Piece, ReadContext, ReadError, raise_problem

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SPREADSHEETML = b"urn:schemas-microsoft-com:office:spreadsheet"
_WORKBOOKS = tuple(name.encode("utf-16-le") for name in ("Workbook", "Book"))
_HTML = re.compile(
    rb"(?:<!doctype html[^>]*>|<!--.*?-->|<\?xml[^>]*>|\s)*<(?:html|head|meta|style|body|table)\b", re.I | re.S
)
_ABOVE = 100
_MOST_COLUMNS = 1 << 14  # as Excel has


def recognises_xlsx(head: bytes) -> bool:
    """Tell an Excel file from other office files by the name of a part near its beginning."""
    return is_office_file(head) and (b"xl/" in head or b"spreadsheetml" in head)


def recognises_xls(head: bytes) -> bool:
    """Tell a file of an old office program, of which only Excel files are read."""
    return head.startswith(_OLE)


def recognises_html(head: bytes) -> bool:
    """Tell a page with a table, which some services give out as an Excel file, or the XML of Excel 2003."""
    return _SPREADSHEETML in head or (_HTML.match(head) is not None and b"<t" in head.lower())


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one row."""
    return read_record(piece.content, context, "Excel")


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the rows of an Excel file. Formulas are not computed: the value that was saved with one is taken, or its text."""
    piece = whole_file(stream, context.limits)
    if piece.content is None:
        raise ReadError(piece.cause)
    with _readable():
        yield from _sheets(_opened(piece.content, context.limits), context)


def columns_of_numbers(content: bytes, file: str) -> Iterator[str]:
    """Yield the cells of the column of publication numbers of each sheet: by its name, else the one with most of them."""
    try:
        with _readable():
            for _, rows in _opened(content, DEFAULT_LIMITS):
                cells = [list(row) for _, row, _ in rows if row]
                named = [
                    (n, column)
                    for n, row in enumerate(cells[:_ABOVE])
                    for column in columns_of(row, {})
                    if column.field in NUMBER_FIELDS
                ]
                first, place = (named[0][0] + 1, named[0][1].position) if named else (0, _most_numbers(cells))
                yield from (row[place] for row in cells[first:] if len(row) > place and row[place])
    except ReadError as error:
        raise_problem(Problem(file, 0, error.cause))


def _most_numbers(rows: Sequence[Sequence[str]]) -> int:
    counts = Counter(place for row in rows for place, cell in enumerate(row) if parse_number(cell))
    return counts.most_common(1)[0][0] if counts else 0


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except ReadError:
        raise
    except ImportError:
        raise ReadError(f"an Excel file. {MissingExtraError('Reading it', 'documents')}") from None
    except Exception as error:  # a library over files from anywhere: whatever it stumbles over, the file cannot be read
        raise ReadError(f"not readable as an Excel file: {error or type(error).__name__}") from None


def _opened(content: bytes, limits: Limits) -> Iterator[tuple[str, Iterator[Row]]]:
    """Yield the sheets of a file with their rows."""
    head = content[:4096].lstrip()
    if recognises_xls(content):
        if not any(name in content for name in _WORKBOOKS):
            raise ReadError("a file of an old office program (.doc, .ppt). Save it as .docx, or as text.")
        return _excel(content)
    if not head.startswith(b"<"):
        member_names(content, limits)
        return _excel(content)
    return _spreadsheetml(content) if _SPREADSHEETML in head else _html(content)


def _html(content: bytes) -> Iterator[tuple[str, Iterator[Row]]]:
    page = html.document_fromstring(content)
    if page.find(".//table") is None:
        raise ReadError(
            "a web page without a table, and none of Google Patents. Save a list as CSV or Excel, a patent as XML or PDF."
        )
    for number, table in enumerate(page.iter("table"), 1):
        yield f"table {number}", ((place, _html_cells(row), "") for place, row in enumerate(table.iter("tr"), 1))


def _html_cells(row: Any) -> list[str]:
    return [" ".join(" ".join(cell.itertext()).split()) for cell in row.iterchildren("td", "th")]


def _spreadsheetml(content: bytes) -> Iterator[tuple[str, Iterator[Row]]]:
    """Yield the sheets of an Excel file of 2003, which is XML."""
    root = parse_xml(content)
    for number, sheet in enumerate(root.iter("{*}Worksheet"), 1):
        rows = enumerate(sheet.iter("{*}Row"), 1)
        yield f"sheet {number}", ((place, _spreadsheetml_cells(row), "") for place, row in rows)


def _spreadsheetml_cells(row: Any) -> list[str]:
    """Return the values of a row; a cell says its place where those before it are empty."""
    cells: list[str] = []
    for cell in row.iterchildren("{*}Cell"):
        place = next((value for name, value in cell.attrib.items() if name.endswith("Index")), "")
        cells += [""] * (min(int(place), _MOST_COLUMNS) - 1 - len(cells) if place.isdigit() else 0)
        cells.append("".join(cell.itertext()).strip())
    return cells


def _excel(content: bytes) -> Iterator[tuple[str, Iterator[Row]]]:
    import python_calamine

    book = python_calamine.load_workbook(io.BytesIO(content))
    formulas = None
    if not recognises_xls(content) and _has_formulas(
        content
    ):  # what is a formula without a saved value is empty in the book
        import openpyxl

        formulas = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    for name in book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        beside: Iterable[Any] = formulas[name].iter_rows(values_only=True) if formulas else itertools.repeat(())
        yield name, ((number, _cells(*both), "") for number, both in enumerate(zip(rows, beside, strict=False), 1))


def _cells(row: Sequence[object], formulas: Sequence[object]) -> list[str]:
    cells = [_text(other if value in (None, "") else value) for value, other in itertools.zip_longest(row, formulas)]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _sheets(sheets: Iterable[tuple[str, Iterator[Row]]], context: ReadContext) -> Iterator[Piece]:
    """Yield the rows below the header of each sheet. A sheet without a header is noted, unless no sheet has one."""
    without = []
    found = False
    for name, rows in sheets:
        first = list(itertools.islice(rows, _ABOVE))
        by_place = bool(context.columns) and all(column.isdigit() for column in context.columns.values())
        scores = [columns_of(row or (), context.columns) for _, row, _ in first]
        best = max(range(len(first)), key=lambda n: len(scores[n]) * is_header(scores[n]), default=0)
        if by_place and first:
            best = 0
        elif not first or not is_header(scores[best]):
            without += [name] if any(row and any(row) for _, row, _ in first) else []
            continue
        found = True
        width = len(first[best][1] or ())
        cells = ((number, list(row or ())) for number, row, _ in itertools.chain(first[best:], rows))
        below = ((number, row + [""] * (width - len(row)), "") for number, row in cells)  # empty ones may be missing
        yield from table_pieces(below, context)
    if without and not found:
        raise no_header(context.columns)
    for name in without:
        context.report_note(f"left out: the sheet {name!r}, which has no header that is known")


def _text(value: object) -> str:
    """Return the value of a cell as text: a day as 2002-06-12, a whole number without a point."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _has_formulas(content: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = (name for name in archive.namelist() if re.match(r"xl/worksheets/[^/]+\.xml$", name))
        return any(b"<f>" in (part := archive.read(name)) or b"<f " in part for name in sheets)
