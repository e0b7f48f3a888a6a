"""XML of any known kind: cut into documents, parsed safely, and handed to the reader of its root element."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from lxml import etree

from sparse_coverage.patents.patent import Patent, Problem
from sparse_coverage.patents.readers import articles, ops, st36, st96, uspto_until_2004
from sparse_coverage.patents.readers.xml_text import prepare
from sparse_coverage.patents.reading.context import MENDED, Piece, ReadContext, ReadError
from sparse_coverage.patents.reading.xml import WRAPPER, cut_documents, parse_xml, split_documents

_COMMENT = re.compile(r"<!--.*?-->|<\?.*?\?>", re.S)
_FIRST = re.compile(
    r"<!DOCTYPE\s+(?P<doctype>[^\s>\[]+)|<(?P<root>[^\W\d][\w.:-]*)|<!(?:ELEMENT|ENTITY|ATTLIST|NOTATION|\[)"
)
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def recognises(head: bytes) -> bool:
    """Tell a patent from other XML (a DTD, a web page) by its first element, or by one inside of it that is a document."""
    if not (head.startswith(b"<") or is_wide_xml(head)):
        return False
    name = first_element(head)
    return name is None or _local(name) in XML_FORMATS or (bool(name) and _DOCUMENT.search(_as_ascii(head)) is not None)


def is_wide_xml(head: bytes) -> bool:
    """Tell XML in UTF-16, which says so itself."""
    return head.startswith(WIDE) and head.decode("utf-16", "ignore").lstrip().startswith("<")


def first_element(head: bytes) -> str | None:
    """Return the name of the root element; an empty one for a DTD, which has none; None where it cannot be seen yet."""
    text = head.decode("utf-16" if head.startswith(WIDE) else "latin-1", "ignore")
    match = _FIRST.search(_COMMENT.sub("", text))
    return match and (match["root"] or match["doctype"] or "")


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the documents of a stream: one after the other, or inside of an element of any other name."""
    head = getattr(stream, "peek", lambda size: b"")(_HEAD)
    name = first_element(head.lstrip())
    if name and _local(name) not in XML_FORMATS and not head.lstrip().startswith(WIDE):
        return cut_documents(stream, context.limits.document_bytes, _DOCUMENT)
    return split_documents(stream, context.limits.document_bytes)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _as_ascii(head: bytes) -> bytes:
    return head.replace(b"\0", b"") if head.startswith(WIDE) else head


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
    root = _unwrapped(root)
    known = XML_FORMATS.get(root.tag)
    if known is None:
        raise ReadError(unknown_document(root.tag), line)
    prepare(root)
    patent = known.read(root, context)
    if not patent.id:
        raise ReadError("it names no publication number.", line)
    for place, what in mended:
        context.note(Problem(context.file, piece.line + place - 1, f"{MENDED}{what}; all of it was read.", patent.id))
    if not (patent.title or patent.abstract or patent.claims or patent.description or known.part):
        raise ReadError("it holds no text: no title, abstract, claims or description.", line, patent.id)
    is_docdb = root.tag == "exchange-document" and root.get("system") != "ops.epo.org"
    return replace(patent, format="DOCDB" if is_docdb else known.name)


def _unwrapped(root: Any) -> Any:
    """Return a document without what was put around it, and without the namespaces of its elements."""
    if root.tag.rpartition("}")[2] == WRAPPER:
        root = next(root.iterchildren(etree.Element), root)
    if root.tag.startswith("{") or root.nsmap:
        for element in root.iter(etree.Element):
            if element.tag.startswith("{"):
                element.tag = element.tag.rpartition("}")[2]
    return root


def unknown_document(name: str) -> str:
    """Say that a document is of another kind, and which kinds are known."""
    return f"unknown document <{name}>. Known are {', '.join(XML_FORMATS)}."


@dataclass(frozen=True, slots=True)
class XmlFormat:
    """A name for people, and the function that reads one document from its root element.

    Of a `part` there can be others elsewhere, with which it is joined; it may hold no text.
    """

    name: str
    read: Callable[[Any, ReadContext], Patent]
    notes: str = ""
    part: bool = False


XML_FORMATS: Mapping[str, XmlFormat] = {
    "patent-document": XmlFormat(
        "CLEF-IP / MAREC", st36.read_marec, "the format of the judgements; XPaths are the document's own"
    ),
    "ep-patent-document": XmlFormat(
        "EPO ST.36", st36.read_ep, "DTD 1.0 to 1.5.1; A and B kinds; cited patents (B561) as `citations`"
    ),
    "us-patent-grant": XmlFormat(
        "USPTO grant", st36.read_uspto, "4.0 to 4.7; bulk files with many documents, one after the other"
    ),
    "us-patent-application": XmlFormat("USPTO application", st36.read_uspto),
    "PATDOC": XmlFormat(
        "USPTO grant 2.x",
        uspto_until_2004.read_grant,
        "an IPC symbol that leaves out its slash is cut only where that is no guess",
    ),
    "patent-application-publication": XmlFormat("USPTO application 1.x", uspto_until_2004.read_application),
    "wo-published-application": XmlFormat("WIPO", st36.read_wipo, "parts that exist as page images only are noted"),
    **dict.fromkeys(
        ("PatentPublication", "PatentGrant", "UnexaminedPatentPublication", "ExaminedPatentPublication"),
        XmlFormat("ST.96", st96.read, "with any prefix"),
    ),
    "exchange-document": XmlFormat(
        "EPO OPS",
        ops.read_exchange,
        "bibliography and abstract; also DOCDB exchange files (`exch:exchange-documents`)",
        True,
    ),
    "fulltext-document": XmlFormat(
        "EPO OPS", ops.read_fulltext, "claims or description; joined with the bibliography", True
    ),
    "family-member": XmlFormat("EPO OPS", ops.read_member, "families, with or without bibliography", True),
    "publication-reference": XmlFormat("EPO OPS", ops.read_member, "the lines of a search answer", True),
    "article": XmlFormat("JATS", articles.read_jats, "journal articles; the DOI is the id, the body the description"),
    "TEI": XmlFormat("TEI", articles.read_tei, "as GROBID makes it of a PDF"),
}

_HEAD = 1 << 16
# What is cut out of an element around it. A reference is a document only as a line of a search answer.
_DOCUMENT = re.compile(
    rb"<((?:[A-Za-z_][\w.-]*:)?(?:"
    + "|".join(name for name in XML_FORMATS if name != "publication-reference").encode()
    + rb")|ops:publication-reference)(?=[\s>/])"
)
