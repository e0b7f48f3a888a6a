"""The readers, one for each kind of file. Option lists, documentation and errors derive from this list."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sparse_coverage.errors import InputError
from sparse_coverage.files import read_toml
from sparse_coverage.patents.readers import (
    json_records,
    pdf_file,
    spreadsheets,
    tables,
    text_files,
    uspto_until_2004,
    xml_documents,
)
from sparse_coverage.patents.readers.json_stream import json_pieces
from sparse_coverage.patents.reading.context import Format, Reader

# Asked in this order. The formats of each, for the documentation, are in `formats.toml`, those of XML with their readers.
_TEXT, _SHEETS, _APS = text_files, spreadsheets, uspto_until_2004
_ROWS = (
    Reader("xml", "XML", xml_documents.recognises, xml_documents.pieces, xml_documents.read),
    Reader("aps", "USPTO full text of 1976 to 2001", _APS.recognises_aps, _APS.aps_pieces, _APS.read_aps),
    Reader("json", "JSON", json_records.recognises, json_pieces, json_records.read),
    Reader("table", "CSV, TSV and other tables of text", tables.recognises, tables.pieces, tables.read),
    Reader("xlsx", "Excel", _SHEETS.recognises_xlsx, _SHEETS.pieces, _SHEETS.read, extra="documents"),
    Reader("xls", "Excel 97", _SHEETS.recognises_xls, _SHEETS.pieces, _SHEETS.read, extra="documents"),
    Reader("page", "pages of Google Patents", _TEXT.recognises_page, _TEXT.pieces, _TEXT.read_page),
    Reader("html", "HTML with a table", _SHEETS.recognises_html, _SHEETS.pieces, _SHEETS.read),
    Reader("docx", "Word", _TEXT.is_office_file, _TEXT.pieces, _TEXT.read, extra="documents"),
    Reader("pdf", "PDF", pdf_file.recognises, _TEXT.pieces, pdf_file.read, extra="documents"),
    Reader("text", "plain text", _TEXT.recognises_text, _TEXT.pieces, _TEXT.read_text),
)
_FORMATS = read_toml(Path(__file__).with_name("formats.toml")) | {
    "xml": [
        {"label": known.name, "sign": f"`<{root}>`", "notes": known.notes}
        for root, known in xml_documents.XML_FORMATS.items()
    ]
}
BUILT_IN = tuple(replace(row, formats=tuple(Format(**one) for one in _FORMATS.get(row.name, ()))) for row in _ROWS)


def readers() -> Mapping[str, Reader]:
    """Return all readers by name."""
    return {reader.name: reader for reader in BUILT_IN}


def names() -> list[str]:
    """Return the names of all readers."""
    return list(readers())


def reader_named(reader: str | Reader) -> Reader:
    """Return the reader of a name, or a reader itself; an unknown name is an error that lists the known."""
    if isinstance(reader, Reader):
        return reader
    if reader not in readers():
        raise InputError(f"unknown format {reader!r}. Known are {', '.join(readers())}.")
    return readers()[reader]


def recognised(head: bytes) -> Reader | None:
    """Return the reader for a file, from its beginning; None if there is none. A byte order mark and white space do not count."""
    head = head.removeprefix(BOM_UTF8).lstrip()
    return next((reader for reader in readers().values() if reader.recognises(head)), None)
