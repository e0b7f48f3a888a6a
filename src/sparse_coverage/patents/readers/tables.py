"""Tables with a header, one patent a row: CSV and TSV here; rows of any other kind of table become pieces in the same way.

Nothing is taken for granted of separator, quotes, encoding, line ends, or lines above the header: the first rows tell.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BufferedReader, TextIOWrapper
from typing import Any

from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.fields import (
    NUMBER_FIELDS,
    UsedColumn,
    columns_of,
    field_of,
    is_header,
    names,
    plain_name,
)
from sparse_coverage.patents.readers.records import PARTS, SEPARATOR, identified, read_record
from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadContext, ReadError
from sparse_coverage.patents.values import date_order, dates_in, decoded, likely_encoding, table_date
from sparse_coverage.text.languages import ANY_LANGUAGE

DELIMITERS = (",", ";", "\t", "|", "^", "~")
_ABOVE = 100  # lines above the header, at the most
_SAMPLE = 2000  # rows that tell how dates are written
_LISTS = ("ipc", "cpc", "family_members", "applicants", "inventors", "citations")
_SEVERAL = ("abstract", "description", "ipc", "cpc", "citations", "priority_data", "publication_year")
"""Fields that all their columns are used for, or none for good."""
_DATES = ("publication_date", "application_date", "priority_date")
_HYPERLINK = re.compile(r'=\s*HYPERLINK\(.*?[,;]\s*"([^"]*)"\s*\)', re.I | re.S)
_QUOTED_FORMULA = re.compile(r'="(.*)"', re.S)
_BETWEEN_CLAIMS = re.compile(r"(?:\||;;|(?<=\.);)\s*(?=\d{1,3}\s?[.)])")
_WHETHER = frozenset("yes no true false y n ja nein oui non x 0 1".split())
_FORMULA = re.compile(r"=\s*(?:[+-]?[A-Z]{2,}[A-Z.]*\(|[+-]?\$?[A-Z]{1,3}\$?\d|[+-]?[\d.]+\s*[-+*/^&])", re.I)
_NUMBER_BEFORE = re.compile(r"^\([A-Z]{2}[ -]?\d[\d /]{3,}(?:[A-Z]\d?)?\)\s*(?=\S)")
_OF_COUNTRY = re.compile(r" ?\[[A-Z]{2}\]$")
Row = tuple[int, "Sequence[str] | None", str]
"""A row of a table: its line, its values, and why it has none."""


def recognises(head: bytes) -> bool:
    """Tell a table from its header, which may stand below other lines: a column with an id, and another one that is known."""
    if head[:4096].count(b"\0") > 40:
        return False
    return _layout(decoded(head), {}) is not None


def pieces(stream: BufferedReader, context: ReadContext) -> Iterator[Piece]:
    """Yield the rows of a table; a row that is not as its header says, or whose quotes do not close, is a problem."""
    # The largest field is a setting of the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), context.limits.document_bytes))
    layout = _layout(decoded(stream.peek(MEBIBYTE)), context.columns)
    if layout is None:
        raise no_header(context.columns)
    delimiter, quote, above = layout
    lines = text_lines(stream, context)
    skipped = len(list(itertools.islice(lines, above)))
    style: dict[str, Any] = {"quoting": csv.QUOTE_MINIMAL, "quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    table = csv.reader(lines, delimiter=delimiter, strict=bool(quote), **style)
    return table_pieces(_rows(table, skipped), context, delimiter)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one row."""
    return read_record(piece.content, context, PARTS if piece.content.pop("part", False) else "CSV")


def looks_like_table(head: bytes) -> bool:
    """Tell a table without a known header: its first lines hold the same number of one separator."""
    lines = [line for line in decoded(head).splitlines()[:5] if line.strip()]
    counts = ({line.count(delimiter) for line in lines} for delimiter in DELIMITERS)
    return len(lines) > 1 and any(len(found) == 1 and found != {0} for found in counts)


def no_header(columns: Mapping[str, str], head: bytes = b"") -> ReadError:
    """Return the error that no row names the columns, and what to do."""
    if not columns and (named := _known_without_number(decoded(head))):
        return ReadError(
            f"its columns {', '.join(map(repr, named))} are known, but none says which patent a row is. Name the one that does: "
            "--columns id=NAME, or add one with a number for each row.",
            1,
        )
    if columns:
        wanted = ", ".join(f"{column!r}" for column in columns.values())
        return ReadError(f"no row at its beginning names the columns {wanted} beside others that are known.", 1)
    return ReadError(
        "no row at its beginning names columns that are known, such as 'Publication Number' and 'Title'. "
        "Say which they are: --columns id=NAME,title=NAME, or by their place: --columns id=1,title=2.",
        1,
    )


def _known_without_number(text: str) -> list[str]:
    """Return the columns of texts that a header names which has no column of numbers."""
    for line in text.splitlines()[:_ABOVE]:
        for delimiter in DELIMITERS:
            cells = (
                next(csv.reader([line], delimiter=delimiter), []) if delimiter in line and '"' not in line[1:-1] else []
            )
            known = [column.name for column in columns_of(cells, {}) if column.field in ("title", "abstract", "claims")]
            if len(known) > 1:
                return known
    return []


def table_pieces(rows: Iterable[Row], context: ReadContext, delimiter: str = "") -> Iterator[Piece]:
    """Make pieces of the rows of a table, the first of which is the header unless columns were chosen by their places."""
    rows = iter(rows)
    header: list[str]
    if _by_place(context.columns):
        first = next(rows, (1, [], ""))
        header = [f"column {place}" for place in range(1, len(first[1] or []) + 1)]
        rows = itertools.chain([first], rows)
    else:
        values = next((row for _, row, _ in rows if row and any(row)), [])
        header = [name.strip().lstrip("\ufeff") for name in values or []]
    sample = list(itertools.islice(rows, _SAMPLE))
    if both := _second_header(header, sample, context.columns):
        header, sample = both, sample[1:]
    columns = _told_apart(columns_of(header, context.columns))
    columns = [column for column in columns if not _only_says_whether(column, [row for _, row, _ in sample if row])]
    used = {column.position for column in columns}
    others = (name or f"column {place}" for place, name in enumerate(header, 1) if place - 1 not in used)
    context.unused(dict.fromkeys(others))
    plan = _Plan(columns, context)
    plan.settle_dates([row for _, row, _ in sample if row])
    for number, row, cause in itertools.chain(sample, rows):
        if row is None:
            yield Piece(None, number, cause)
            continue
        while len(row) > len(header) and not row[-1].strip():
            row = row[:-1]
        if len(row) == len(header):
            if any(value.strip() for value in row):
                yield Piece(plan.record(row), number)
        elif row:
            counted = f"{len(row)} values where the header names {len(header)} columns"
            hint = f" A value that holds {delimiter!r} must stand in quotes." if delimiter else ""
            yield Piece(None, number, f"{counted}.{hint}")


class _Plan:
    """How a row becomes a record of the JSONL schema."""

    def __init__(self, columns: Sequence[UsedColumn], context: ReadContext) -> None:
        self._by_field: dict[str, list[UsedColumn]] = {}
        wanted = context.language
        for column in sorted(columns, key=lambda c: (c.language != wanted, c.language != "", c.rank)):
            self._by_field.setdefault(column.field, []).append(column)
        self._context = context
        self._wanted = wanted
        self._orders: dict[int, str] = {}
        self._told: set[str] = set()
        self._claims_from_zero = False

    def settle_dates(self, rows: Sequence[Sequence[str]]) -> None:
        """Tell for each column of dates whether the day or the month comes first."""
        for field in _DATES:
            for column in self._by_field.get(field, ()):
                place = column.position
                self._orders[place] = date_order(row[place] for row in rows if len(row) > place)
        places = [column.position for column in self._by_field.get("claim_place", ())]
        self._claims_from_zero = any(row[place].strip() == "0" for row in rows for place in places if len(row) > place)

    def record(self, row: Sequence[str]) -> dict[str, Any]:
        """Return one row as a record."""
        record: dict[str, Any] = {}
        for field, columns in self._by_field.items():
            values = [(column, self._cell(column, row[column.position])) for column in columns]
            present = [(column, value) for column, value in values if value]
            if not present:
                continue
            if field in ("abstract", "description"):
                used = self._in_one_language(present)
                texts = list(dict.fromkeys(_NUMBER_BEFORE.sub("", value) for _, value in used))
                record[field] = "\n".join(text for text in texts if not any(text in other != text for other in texts))
                self._pass_over([used[0], *(pair for pair in present if pair not in used)])
            elif field in _LISTS:
                several = present if field in ("ipc", "cpc", "citations") else present[:1]
                record[field] = [part for column, value in several for part in _parts(column, field, value)]
            elif field in _DATES:
                column, value = present[0]
                year = self._year(row) if field == "publication_date" else ""
                dates = dates_in(value) if field == "priority_date" else []  # the earliest counts
                one = table_date(value, self._orders.get(column.position, ""), year)
                record[field] = min(dates) if len(dates) > 1 else one or min(dates_in(value), default=value)
            elif field == "priority_data":
                if dates := dates_in(present[0][1]):
                    record.setdefault("priority_date", min(dates))
            elif field in ("claims", "first_claims"):
                record[field] = _BETWEEN_CLAIMS.sub("\n", present[0][1])
            elif field == "title":
                record[field] = _NUMBER_BEFORE.sub("", present[0][1])
            else:
                record[field] = present[0][1]
            if field not in _SEVERAL and len(present) > 1:
                self._pass_over(present)
        if "claims" in record and "first_claims" in record:
            self._pass_over([(self._by_field["claims"][0], ""), *((c, "x") for c in self._by_field["first_claims"])])
        place = record.pop("claim_place", "")
        if place.isdigit():
            record.setdefault("claim_number", str(int(place) + self._claims_from_zero))
        return identified(record)

    def _cell(self, column: UsedColumn, text: str) -> str:
        """Return the text of a cell. A formula without a saved value is empty; this is reported once for each column."""
        value = _value(text)
        if not value.startswith("=") or not _FORMULA.match(value):
            return value
        if column.name not in self._told:
            self._told.add(column.name)
            told = f"left out: formulas in the column {column.name!r} without a value, as {value[:40]!r}. Save the table with its values"
            self._context.report_note(told)
        return ""

    def _pass_over(self, present: Sequence[tuple[UsedColumn, str]]) -> None:
        """Name the columns that another one of the same meaning is preferred to, unless both say the same."""
        first = present[0][1]
        names_ = [column.name for column, value in present[1:] if value != first and column.name not in self._told]
        self._told.update(names_)
        self._context.unused(names_)

    def _year(self, row: Sequence[str]) -> str:
        return next((_value(row[column.position]) for column in self._by_field.get("publication_year", ())), "")

    def _in_one_language(self, present: list[tuple[UsedColumn, str]]) -> list[tuple[UsedColumn, str]]:
        """Leave out the same text in other languages, where columns say their language."""
        languages = [column.language for column, _ in present]
        wanted = self._wanted if self._wanted != ANY_LANGUAGE else ""
        chosen = wanted if wanted in languages else next((one for one in languages if one), "")
        return [(column, value) for column, value in present if column.language in ("", chosen)]


def _value(text: str) -> str:
    """Return what a cell says: of a formula its constant text, of a sign for nothing no text."""
    text = text.strip()
    if text.startswith("=") and (match := _HYPERLINK.match(text) or _QUOTED_FORMULA.fullmatch(text)):
        text = match[1].strip()
    return "" if len(text) <= 13 and text.lower() in names().nothing else text


def _parts(column: UsedColumn, field: str, value: str) -> list[str]:
    parts = SEPARATOR.split(value)
    if field in ("ipc", "cpc") or plain_name(column.name) in names().comma_separated:
        parts = [piece for part in parts for piece in part.split(",")]
    return [text for part in parts if (text := _OF_COUNTRY.sub("", " ".join(part.split())).strip('"'))]


def _only_says_whether(column: UsedColumn, rows: Sequence[Sequence[str]]) -> bool:
    """Tell a column that says whether there is a text (yes, no) from one that holds it."""
    if column.field not in ("abstract", "claims", "description"):
        return False
    values = {_value(row[column.position]) for row in rows if len(row) > column.position} - {""}
    return bool(values) and all(value.lower() in _WHETHER for value in values)


def _by_place(columns: Mapping[str, str]) -> bool:
    return bool(columns) and all(column.isdigit() for column in columns.values())


def _told_apart(columns: Sequence[UsedColumn]) -> list[UsedColumn]:
    """Return columns of which those whose name came before say where they stand: Title, Title (column 4)."""
    seen: set[str] = set()
    found = []
    for column in columns:
        again = column.name in seen
        seen.add(column.name)
        found.append(replace(column, name=f"{column.name} (column {column.position + 1})") if again else column)
    return found


def _second_header(header: list[str], sample: Sequence[Row], chosen: Mapping[str, str]) -> list[str]:
    """Return one header of two rows, where the row below the first goes on with it: Publication above Number."""
    below = list(sample[0][1] or ()) if sample else []
    numbered = [column.position for column in columns_of(header, chosen) if column.field in NUMBER_FIELDS]
    if not any(below) or len(below) > len(header) or any(character.isdigit() for character in "".join(below)):
        return []
    below += [""] * (len(header) - len(below))
    both = [f"{above} {name}".strip() for above, name in zip(header, below, strict=True)]
    goes_on = any(below[place] and field_of(both[place])[0] in NUMBER_FIELDS for place in numbered)
    return both if goes_on and is_header(columns_of(both, chosen)) else []


def _layout(text: str, columns: Mapping[str, str]) -> tuple[str, str, int] | None:
    """Return separator, quote and the number of lines above the header; the separator with most known columns wins."""
    lines = text.splitlines(keepends=True)[:_ABOVE]
    best: tuple[int, str, str, int] | None = None
    for delimiter in DELIMITERS:
        for number, line in enumerate(lines):
            if delimiter not in line:
                continue
            quote = "'" if line.startswith("'") else '"'
            try:
                cells = next(csv.reader([line], delimiter=delimiter, quotechar=quote), [])
            except csv.Error:
                continue
            if _by_place(columns):
                if len(cells) >= max(int(place) for place in columns.values()):
                    best = max(
                        best or (0, "", "", 0), (len(cells), delimiter, quote, number), key=lambda found: found[0]
                    )
                    break
                continue
            found = columns_of(cells, columns)
            if is_header(found) and (best is None or len(found) > best[0]):
                quote = quote if delimiter != "\t" or _are_quoted(lines[number:]) else ""
                best = (len(found), delimiter, quote, number)
    return best[1:] if best else None


def _are_quoted(lines: Sequence[str]) -> bool:
    """Tell whether quotes stand around values separated by tabs, where they are rare; else they are part of the values."""
    if not any(line.startswith('"') or '\t"' in line for line in lines):
        return False
    rows = csv.reader(lines, delimiter="\t", strict=True)
    lengths = []
    try:
        lengths += [len(row) for row in rows if row]
    except csv.Error as error:
        return "unexpected end" in str(error)  # the sample was cut there
    return len(set(lengths[:-1])) <= 1


def text_lines(stream: BufferedReader, context: ReadContext) -> Iterator[str]:
    """Yield the lines of a stream, whatever ends them.

    A line that is not in the encoding of the others is read as a Western one, and noted.
    """
    encoding = likely_encoding(stream.peek(MEBIBYTE))
    told = told_of_zeros = False
    for number, line in enumerate(TextIOWrapper(stream, "latin-1", newline=""), 1):
        if "\0" in line:
            if not told_of_zeros:
                context.report_note(f"left out: zero bytes, first in line {number}; the file may be damaged")
            told_of_zeros = True
            line = line.replace("\0", "")
        if line.isascii():
            yield line
            continue
        content = line.encode("latin-1").removeprefix(codecs.BOM_UTF8)
        try:
            yield content.decode("utf-8")
        except UnicodeDecodeError:
            other = encoding if encoding != "utf-8" else "cp1252"
            if not told:
                context.report_note(f"line {number} is not UTF-8; it was read as {other}, and so were others like it")
            told = True
            yield content.decode(other, "replace")


def _rows(table: Any, above: int) -> Iterator[Row]:
    """Yield the rows that the csv module finds; a damaged one with the lines that are lost."""
    while True:
        line = above + table.line_num + 1
        try:
            row = next(table, None)
        except csv.Error as error:
            last = above + table.line_num
            place = f"lines {line} to {last} were not read" if last > line else "this row was not read"
            hint = "Look for a quote that is not closed, or not doubled inside a value."
            yield line, None, f"not readable as CSV: {error}; {place}. {hint}"
            continue
        if row is None:
            return
        yield line, row, ""
