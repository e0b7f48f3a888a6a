"""Word files (.docx): paragraphs and tables in their order. Needs the extra [documents]."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.documents import TextBlock, patent_of
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext, ReadError

_BODY = "word/document.xml"
_OTHERS = {
    "xl/": "an Excel file. Save the sheet as CSV, with columns such as id and title",
    "ppt/": "a PowerPoint file. Save its text as a Word file",
    "content.xml": "an OpenDocument file. Save it as a Word file (.docx)",
}


def is_office_file(head: bytes) -> bool:
    """Tell a document of an office program from other zip archives by the name of its first member."""
    if not head.startswith(b"PK\x03\x04"):
        return False
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return name in (b"[Content_Types].xml", b"mimetype") or name.startswith((b"_rels/", b"docProps/", b"word/"))


def recognises(head: bytes) -> bool:
    """Tell an office file from its beginning."""
    return is_office_file(head)


def pieces(stream: BinaryIO, limits: Limits) -> Iterator[Piece]:
    """Yield the whole file."""
    yield whole_file(stream, limits)


def whole_file(stream: BinaryIO, limits: Limits) -> Piece:
    """Return a file as one piece."""
    content = stream.read(limits.document_bytes + 1)
    if len(content) > limits.document_bytes:
        return Piece(None, 1, f"refused: a file of more than {limits.document_bytes} bytes.")
    return Piece(content, 1)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read a Word file."""
    if not isinstance(piece.content, bytes):
        raise ReadError(piece.cause)
    _require_word(piece.content, context.limits)
    try:
        import docx
    except ImportError:
        raise ReadError(f"a Word file. {MissingExtraError('Reading it', 'documents')}") from None
    try:
        blocks = list(_blocks(docx.Document(io.BytesIO(piece.content))))
    except Exception as error:  # a library over XML from anywhere: whatever it stumbles over, the file cannot be read
        raise ReadError(f"not readable as a Word file: {error or type(error).__name__}") from None
    patent = patent_of(blocks, context.file, "DOCX")
    if not (patent.abstract or patent.claims or patent.description):
        raise ReadError("a Word file without any text.", document=patent.id)
    return patent


def _require_word(content: bytes, limits: Limits) -> None:
    """Refuse what is no Word file, and what would unpack to far more than a text."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            size = sum(info.file_size for info in archive.infolist())
    except zipfile.BadZipFile as error:
        raise ReadError(f"damaged file: {error}") from None
    if size > max(limits.expansion_from, limits.expansion * len(content)):
        raise ReadError("refused: it decompresses to far more than documents do (a decompression bomb?).")
    if _BODY not in names:
        for sign, what in _OTHERS.items():
            if any(name.startswith(sign) for name in names):
                raise ReadError(f"{what}.")
        raise ReadError("a zip archive of an office program, but no Word file.")


def _blocks(document: Any) -> Iterator[TextBlock]:
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                cells = dict.fromkeys(
                    cell.text for cell in row.cells
                )  # a cell over several columns comes several times
                yield TextBlock(" ".join(cells))
        else:
            style = block.style.name if block.style is not None else ""
            properties = block._p.pPr
            item = (properties is not None and properties.numPr is not None) or style.startswith("List Number")
            yield TextBlock(block.text, item, style in ("Title", "Heading 1") and not item)
