"""The readers, one for each kind of file. Option lists, documentation and errors derive from this list."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points

from sparse_coverage.errors import InputError
from sparse_coverage.patents.readers import (
    json_records,
    pdf_file,
    references,
    spreadsheets,
    tables,
    text_files,
    uspto_until_2004,
    xml_documents,
)
from sparse_coverage.patents.reading.context import Format, Reader

ENTRY_POINTS = "sparse_coverage.readers"
"""The group of entry points under which other packages add readers: each is a `Reader`."""

# Asked in this order.
BUILT_IN = (
    Reader(
        "xml",
        "XML",
        xml_documents.recognises,
        xml_documents.pieces,
        xml_documents.read,
        tuple(Format(known.name, f"`<{root}>`", known.notes) for root, known in xml_documents.XML_FORMATS.items()),
    ),
    Reader(
        "aps",
        "USPTO full text of 1976 to 2001",
        uspto_until_2004.recognises_aps,
        uspto_until_2004.aps_pieces,
        uspto_until_2004.read_aps,
        (
            Format(
                "USPTO APS (1976 to 2001)", "`PATN`", "bulk files with many patents; the check digit of the number goes"
            ),
        ),
    ),
    Reader(
        "json",
        "JSON",
        json_records.recognises,
        json_records.pieces,
        json_records.read,
        (
            Format(
                "JSON",
                "`{` or `[`",
                "the schema below, BEIR's `corpus.jsonl`, records of Lens, Google BigQuery, HUPD, USPTO (Open Data Portal, Public Search), "
                "PatentsView, EPO OPS; as lines, an array, or a list anywhere in an answer",
            ),
        ),
    ),
    Reader(
        "references",
        "lists of references",
        references.recognises,
        references.pieces,
        references.read,
        (
            Format("RIS", "`TY  - `", "papers and patents; the DOI or the patent's number is the id"),
            Format("MEDLINE", "`PMID- `", "as PubMed gives it out"),
            Format("EndNote", "`%0 `", ""),
            Format(
                "Web of Science",
                "`PT `",
                "also the Derwent Innovations Index: patents with their family, classes and dates",
            ),
            Format("BibTeX", "`@article{`", ""),
        ),
    ),
    Reader(
        "table",
        "CSV, TSV and other tables of text",
        tables.recognises,
        tables.pieces,
        tables.read,
        (
            Format(
                "CSV, TSV",
                "a header",
                "exports of Espacenet, Google Patents, Lens, Patentscope, Derwent, Orbit, PatSnap, PatBase, PatentsView, or names of "
                "one's own (`--columns`); any separator, encoding and line end",
            ),
        ),
    ),
    Reader(
        "xlsx",
        "Excel",
        spreadsheets.recognises_xlsx,
        spreadsheets.pieces,
        spreadsheets.read,
        (Format("Excel (.xlsx)", "a header", "the same columns as CSV; all sheets"),),
        "documents",
    ),
    Reader(
        "xls",
        "Excel 97",
        spreadsheets.recognises_xls,
        spreadsheets.pieces,
        spreadsheets.read,
        (Format("Excel 97 to 2003 (.xls)", "a header", "the same columns as CSV; all sheets"),),
        "documents",
    ),
    Reader(
        "page",
        "pages of Google Patents",
        text_files.recognises_page,
        text_files.pieces,
        text_files.read_page,
        (Format("Google Patents page", "`itemprop`", "a page as a browser saves it: all of the patent"),),
    ),
    Reader(
        "html",
        "HTML with a table",
        spreadsheets.recognises_html,
        spreadsheets.pieces,
        spreadsheets.read,
        (
            Format("HTML with a table", "`<table>`", "what some services call an Excel file; the same columns as CSV"),
            Format("Excel 2003 (XML)", "`<Workbook>`", "the same columns as CSV; all sheets"),
        ),
    ),
    Reader(
        "docx",
        "Word",
        text_files.recognises,
        text_files.pieces,
        text_files.read,
        (
            Format(
                "Word (.docx)",
                "",
                "the file's name is the id, in its one form where it is a publication number; headings tell claims and abstract "
                "from the description, `[0034]` before a paragraph is its number",
            ),
        ),
        "documents",
    ),
    Reader(
        "pdf",
        "PDF",
        pdf_file.recognises,
        text_files.pieces,
        pdf_file.read,
        (
            Format("PDF with text", "`%PDF-`", "as Word"),
            Format(
                "PDF without text (a scan)",
                "`%PDF-`",
                "by `--ocr all` or `--ocr 1,3-5` and the extra `[ocr]`: two columns in order; the page is the place",
            ),
        ),
        "documents",
    ),
    Reader(
        "text",
        "plain text",
        text_files.recognises_text,
        text_files.pieces,
        text_files.read_text,
        (Format("Text", "a heading `Claims`, or `[0001]` and `[0002]`", "as Word; any other text by `--format text`"),),
    ),
)


@cache
def readers() -> Mapping[str, Reader]:
    """Return all readers by name, those of other packages first: they know their files better."""
    own = {reader.name: reader for reader in BUILT_IN}
    found: dict[str, Reader] = {}
    for point in entry_points(group=ENTRY_POINTS):
        reader = point.load()
        if not isinstance(reader, Reader):
            raise InputError(f"The entry point {point.value} of {ENTRY_POINTS} is no Reader.")
        found[point.name] = reader
    return {**found, **{name: reader for name, reader in own.items() if name not in found}}


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
    """Return the reader for a file, from its beginning without a byte order mark or white space; None if there is none."""
    return next((reader for reader in readers().values() if reader.recognises(head)), None)
