"""XML of any known kind: cut into documents, parsed safely, and handed to the reader of its root element."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from sparse_coverage.patents.languages import ANY_LANGUAGE
from sparse_coverage.patents.patent import Patent, Problem
from sparse_coverage.patents.readers.text import prepare
from sparse_coverage.patents.readers.xml_formats import XML_FORMATS
from sparse_coverage.patents.reading.context import MENDED, Limits, Piece, ReadContext, ReadError
from sparse_coverage.patents.reading.xml import parse_xml, split_documents

_COMMENT = re.compile(r"<!--.*?-->|<\?.*?\?>", re.S)
_FIRST = re.compile(
    r"<!DOCTYPE\s+(?P<doctype>[^\s>\[]+)|<(?P<root>[^\W\d][\w.:-]*)|<!(?:ELEMENT|ENTITY|ATTLIST|NOTATION|\[)"
)
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def recognises(head: bytes) -> bool:
    """Tell a patent from other XML (a DTD, a web page) by its first element, as far as the beginning of a file shows it."""
    if not (head.startswith(b"<") or _is_wide_xml(head)):
        return False
    name = first_element(head)
    return name is None or name in XML_FORMATS


def _is_wide_xml(head: bytes) -> bool:
    return head.startswith(WIDE) and head.decode("utf-16", "ignore").lstrip().startswith("<")


def first_element(head: bytes) -> str | None:
    """Return the name of the root element; an empty one for a DTD, which has none; None where it cannot be seen yet."""
    text = head.decode("utf-16" if head.startswith(WIDE) else "latin-1", "ignore")
    match = _FIRST.search(_COMMENT.sub("", text))
    return match and (match["root"] or match["doctype"] or "")


def pieces(stream: BinaryIO, limits: Limits) -> Iterator[Piece]:
    """Yield the documents of a stream."""
    return split_documents(stream, limits.document_bytes)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one document."""
    if not isinstance(piece.content, bytes):
        raise ReadError(f"refused: a document of more than {context.limits.document_bytes} bytes.")
    mended: list[tuple[int, str]] = []
    on_mended = (lambda line, what: mended.append((line, what))) if context.limits.mend else None
    if piece.content.startswith(WIDE):
        try:
            root = parse_xml(piece.content.decode("utf-16").encode(), "utf-8", on_mended)
        except UnicodeDecodeError as error:
            raise ReadError(f"not readable as UTF-16: {error.reason}.") from None
    else:
        root = parse_xml(piece.content, on_mended=on_mended)
    line = root.sourceline or 0
    known = XML_FORMATS.get(root.tag)
    if known is None:
        raise ReadError(unknown_document(root.tag), line)
    prepare(root)
    patent = known.read(root, context)
    if not patent.id:
        raise ReadError("it names no publication number.", line)
    for place, what in mended:
        context.note(Problem(context.file, piece.line + place - 1, f"{MENDED}{what}; all of it was read.", patent.id))
    if not (patent.abstract or patent.claims or patent.description):
        if not patent.title:
            raise ReadError(f"no part in the wanted language ({context.language}).", line, patent.id)
        if context.language != ANY_LANGUAGE:
            patent = replace(patent, language=context.language)  # of the title, the only thing that was read
    return replace(patent, format=known.name)


def unknown_document(name: str) -> str:
    """Say that a document is of another kind, and which kinds are known."""
    return f"unknown document <{name}>. Known are {', '.join(XML_FORMATS)}."
