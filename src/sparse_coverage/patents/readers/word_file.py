"""Word files (.docx, extra [documents]), and what they share with PDF: from the paragraphs of a text without markup to a patent.

Headings tell the parts: what follows "Claims" are claims, what follows "Abstract" is the abstract, the rest the description.
The name of the file is the id, in its one form where it is a publication number.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.patents.claims import begins_with_number, numbered_claims, split_claims
from sparse_coverage.patents.numbers import parse_number, printed_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, passage_xpath
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext, ReadError

_CLAIMS = re.compile(
    r"(?:patent\s+)?claims?|(?:what|that which)\s+is\s+claimed(?:\s+(?:is|as\s+new))?|(?:i|we)\s+claim"
    r"|(?:patent)?ansprüche|revendications?",
    re.I,
)
_ABSTRACT = re.compile(r"abstract(?:\s+of\s+the\s+disclosure)?|zusammenfassung|abrégé", re.I)
_DESCRIPTION = re.compile(r"(?:detailed\s+)?description(?:\s+of\s+.{1,80})?|beschreibung|specification", re.I)
_NUMBERED = re.compile(r"\[0*(\d{1,5})\]\s+")
_LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph of a file: its text, whether it is an item of a list that the file numbers itself, or its title.

    `place` is where it stands, as "page 3", for a paragraph that has no number of its own.
    """

    text: str
    is_item: bool = False
    is_title: bool = False
    place: str = ""


def patent_of(blocks: Sequence[TextBlock], file: str, format_name: str) -> Patent:
    """Return the patent that a text without markup holds."""
    parts: dict[str, list[TextBlock]] = {"abstract": [], "claims": [], "description": []}
    part, title = "description", ""
    for block in blocks:
        text = " ".join(block.text.split())
        if not text:
            continue
        if block.is_title and not title and len(text) <= _LONGEST_TITLE:
            title = text
        elif (heading := heading_of(text)) and heading != part:
            part = heading
        elif not heading:
            parts[part].append(TextBlock(text, block.is_item, place=block.place))
    stem = file.rpartition("!")[2].replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or file
    number = parse_number(printed_id(stem))
    return Patent(
        id=printed_id(stem) if number else re.sub(r"\s+", "-", stem.strip()),
        title=title or stem,
        abstract=_paragraphs("abstract", parts["abstract"]),
        claims=_claims(parts["claims"]),
        description=_paragraphs("description", parts["description"]),
        country=number.country if number else "",
        kind=number.kind if number else "",
        source=file,
        format=format_name,
    )


def heading_of(text: str) -> str:
    """Return the part of a patent that a line is the heading of, or nothing.

    >>> heading_of("What is claimed is:"), heading_of("CLAIMS"), heading_of("The claims of others.")
    ('claims', 'claims', '')
    """
    line = re.sub(r"^[\dIVX]+\.\s+", "", text).rstrip(" .:")
    for name, pattern in (("claims", _CLAIMS), ("abstract", _ABSTRACT), ("description", _DESCRIPTION)):
        if pattern.fullmatch(line):
            return name
    return ""


def _paragraphs(part: str, blocks: Sequence[TextBlock]) -> tuple[Paragraph, ...]:
    found = []
    for index, block in enumerate(blocks, 1):
        match = _NUMBERED.match(block.text)
        number, text = (match[1].zfill(4), block.text[match.end() :]) if match else (block.place, block.text)
        if text:
            found.append(Paragraph(text, passage_xpath(part, "p", index), number))
    return tuple(found)


def _claims(blocks: Sequence[TextBlock]) -> tuple[Claim, ...]:
    """Return claims by their printed numbers; where a word processor numbers them, each item of its list is one."""
    if any(begins_with_number(block.text) for block in blocks) or not any(block.is_item for block in blocks):
        return numbered_claims(split_claims("\n".join(block.text for block in blocks)))
    texts: list[str] = []
    for block in blocks:
        if block.is_item or not texts:
            texts.append(block.text)
        else:
            texts[-1] += f" {block.text}"
    return numbered_claims(texts)


_BODY = "word/document.xml"
_OTHERS = {
    "ppt/": "a PowerPoint file. Save its text as a Word file",
    "content.xml": "an OpenDocument file. Save it as a Word file (.docx)",
}


def is_office_file(head: bytes) -> bool:
    """Tell a document of an office program from other zip archives by the name of its first member."""
    if not head.startswith(b"PK\x03\x04"):
        return False
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return name in (b"[Content_Types].xml", b"mimetype") or name.startswith((b"_rels/", b"docProps/", b"word/", b"xl/"))


def recognises(head: bytes) -> bool:
    """Tell an office file from its beginning."""
    return is_office_file(head)


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the whole file."""
    yield whole_file(stream, context.limits)


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


def member_names(content: bytes, limits: Limits) -> set[str]:
    """Return the parts of an office file; refuse one that declares entities, or would unpack to far more than a text."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            size = sum(info.file_size for info in archive.infolist())
            if size > max(limits.expansion_from, limits.expansion * len(content)):
                raise ReadError("refused: it decompresses to far more than documents do (a decompression bomb?).")
            for name in names:
                if name.endswith((".xml", ".rels")) and b"<!DOCTYPE" in archive.read(name).replace(b"\0", b""):
                    raise ReadError(
                        f"refused: {name} in it declares a document type, which could hide text or grow without bound. "
                        "Office programs write none; save the file anew."
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ReadError(f"damaged file: {error or type(error).__name__}") from None
    return names


def _require_word(content: bytes, limits: Limits) -> None:
    """Refuse what is no Word file."""
    names = member_names(content, limits)
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
