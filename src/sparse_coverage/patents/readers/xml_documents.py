"""XML of any known kind, from somebody else: a stream cut into documents, each parsed and handed to the reader of its root element.

No entity is expanded, nothing is loaded or fetched.
"""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from io import BufferedReader
from typing import Any, BinaryIO

from lxml import etree

from sparse_coverage.patents.patent import Note, Patent
from sparse_coverage.patents.readers import articles, ops, st36, uspto_until_2004
from sparse_coverage.patents.readers.xml_text import prepare
from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadContext, ReadError

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
    if name and _local(name).lower() == "html":
        return False
    if name is None or _local(name) in XML_FORMATS:
        return True
    text = head.replace(b"\0", b"") if head.startswith(WIDE) else head
    return bool(name) and _DOCUMENT.search(text) is not None


def is_wide_xml(head: bytes) -> bool:
    """Tell XML in UTF-16, which says so itself."""
    return head.startswith(WIDE) and head.decode("utf-16", "ignore").lstrip().startswith("<")


def first_element(head: bytes) -> str | None:
    """Return the name of the root element; an empty one for a DTD, which has none; None where it cannot be seen yet."""
    text = head.decode("utf-16" if head.startswith(WIDE) else "latin-1", "ignore")
    match = _FIRST.search(_COMMENT.sub("", text))
    return match and (match["root"] or match["doctype"] or "")


def pieces(stream: BufferedReader, context: ReadContext) -> Iterator[Piece]:
    """Yield the documents of a stream: one after the other, or inside of an element of any other name."""
    head = stream.peek(_HEAD).lstrip()
    name = first_element(head)
    if name and _local(name) not in XML_FORMATS and not head.startswith(WIDE):
        return cut_documents(stream, context.limits.document_bytes, _DOCUMENT)
    return split_documents(stream, context.limits.document_bytes)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one document."""
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
        cause = f"mended: {what}; all of it was read."
        context.note(Note(context.file, piece.line + place - 1, cause, patent.id, "mended"))
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
        XmlFormat("ST.96", st36.read_st96, "with any prefix"),
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
    "register-document": XmlFormat(
        "EPO Register", ops.read_register, "the European publication; an international one is a family member"
    ),
    "article": XmlFormat("JATS", articles.read_jats, "journal articles; the DOI is the id, the body the description"),
    "PubmedArticle": XmlFormat(
        "PubMed", articles.read_pubmed, "titles and abstracts; the DOI is the id, else the PMID"
    ),
    "TEI": XmlFormat("TEI", articles.read_tei, "as GROBID makes it of a PDF"),
}

_HEAD = 1 << 16
# What is cut out of an element around it. A reference is a document only as a line of a search answer.
_DOCUMENT = re.compile(
    rb"<((?:[A-Za-z_][\w.-]*:)?(?:"
    + "|".join(name for name in XML_FORMATS if name != "publication-reference").encode()
    + rb")|ops:publication-reference)(?=[\s>/])"
)


_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]")
_LONGEST_MARK = 6
_LONGEST_TAG = 4096
_NAMESPACE = re.compile(rb"""(xmlns(?::[\w.-]+)?)\s*=\s*("[^"<]*"|'[^'<]*')""")
WRAPPER = "sparse-coverage-wrapper"
"""The name of the element that is put around a document which was cut out of another."""
_ENTITY = re.compile(rb"<!ENTITY\s+(%\s*)?([^\s>]{1,200})([^>]*)>")
_OUTSIDE = re.compile(rb"\s(?:SYSTEM|PUBLIC)\s")
_UNPARSED = re.compile(rb"\sNDATA\s")
_PLACE = re.compile(r",? line \d+(?:, column (\d+))?$")
# The parser stops at bounds that we leave as they are, and calls them errors of the file.
_OUR_LIMITS = {
    "Excessive depth": "elements nested more than 256 deep. Patents need far fewer.",
    "XML_PARSE_HUGE": "a text of more than 10 MB in one element. Patents need far less.",
    "huge text node": "a text of more than 10 MB in one element. Patents need far less.",
}
_BARE_AMPERSAND = "xmlParseEntityRef: no name"
# What can be mended without a doubt about its meaning; and, first, where nothing is to be mended.
_MENDABLE = re.compile(
    rb"(?P<kept><!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>)"
    rb"|(?P<ampersand>&(?!(?:[A-Za-z_:][\w.:-]*|#\d+|#[xX][0-9a-fA-F]+);))"
    rb"|(?P<less><(?![A-Za-z_:/!?\x80-\xff]))"
    rb"|(?P<control>[\x01-\x08\x0b\x0c\x0e-\x1f])",
    re.S,
)
_MENDED = {"ampersand": b"&amp;", "less": b"&lt;", "control": b" "}
_NAMES = {"ampersand": "& not written &amp;", "less": "< not written &lt;", "control": "a control character"}


def split_documents(stream: BinaryIO, largest: int, block: int = MEBIBYTE) -> Iterator[Piece]:
    """Yield the documents of a stream: a bulk file is many, one after the other, each with its own declaration.

    At most one document and one block are in memory.
    """
    buffer = bytearray()
    line, begun = 1, 1  # of what is in the buffer, and of the current document
    cut = (
        False  # the beginning of the current document is gone, since it is too large; only its lines are still counted
    )
    scanned = 1  # a declaration at position 0 opens the current document, it does not end it
    while True:
        read = stream.read(block)
        buffer += read.removeprefix(BOM_UTF8) if line == 1 and not buffer else read
        while (match := _DECLARATION.search(buffer, scanned)) or (not read and buffer):
            content = bytes(buffer[: match.start() if match else len(buffer)])
            del buffer[: len(content)]
            if cut or len(content) > largest:
                yield Piece.refused("a document", largest, begun)
            elif content.strip():
                yield Piece(content, begun)
            line += content.count(b"\n")
            begun, cut, scanned = line, False, 1
        if not read:
            return
        scanned = max(1, len(buffer) - _LONGEST_MARK)
        if len(buffer) > largest + block:
            cut = True
            surplus = len(buffer) - _LONGEST_MARK  # what is left may be the beginning of a declaration
            line += buffer.count(b"\n", 0, surplus)
            del buffer[:surplus]
            scanned = 1


def cut_documents(stream: BinaryIO, largest: int, begins: re.Pattern[bytes]) -> Iterator[Piece]:
    """Yield the documents inside of other elements, each in a `WRAPPER` with the namespaces that were declared around it.

    `begins` finds the start of one, its name as the first group. At most one document and one block are in memory.
    """
    buffer, line, name = b"", 1, WRAPPER.encode()
    declared: dict[bytes, bytes] = {}
    while block := stream.read(MEBIBYTE):
        buffer += block
        while start := begins.search(buffer):
            begin, end = start.start(), _closed(buffer, start)
            while end is None and block and len(buffer) - begin <= largest:
                block = stream.read(MEBIBYTE + len(buffer) // 4)
                buffer += block
                end = _closed(buffer, start)
            here = line + buffer.count(b"\n", 0, begin)
            if end is None and not block:
                yield Piece(None, here, "not well-formed XML: the file ends inside of this document.")
                return
            if end is None:
                yield Piece.refused("a document", largest, here)
                break
            declared.update(_NAMESPACE.findall(buffer, 0, begin))
            around = b" ".join(one + b"=" + value for one, value in declared.items())
            yield Piece(b"<%s %s>%s</%s>" % (name, around, buffer[begin:end], name), here)
            line = here + buffer.count(b"\n", begin, end)
            buffer = buffer[end:]
        keep = min(len(buffer), _LONGEST_TAG)  # the beginning of a document may be cut in two
        declared.update(_NAMESPACE.findall(buffer))
        line += buffer.count(b"\n", 0, len(buffer) - keep)
        buffer = buffer[len(buffer) - keep :]


def _closed(buffer: bytes, start: re.Match[bytes]) -> int | None:
    """Return where the element that begins at `start` ends, if that is in the buffer."""
    tag = buffer.find(b">", start.end())
    if tag > 0 and buffer[tag - 1 : tag] == b"/":
        return tag + 1
    end = re.compile(rb"</" + re.escape(start[1]) + rb"\s*>").search(buffer, start.end())
    return end.end() if end else None


def parse_xml(content: bytes, encoding: str | None = None, on_mended: Callable[[int, str], None] | None = None) -> Any:
    """Return the root element of one document, or raise a ReadError with the line and the cause.

    With `on_mended`, signs that should have been written otherwise (a bare &) are mended where that makes the document
    readable, and it is told the first line and what was mended. Nothing else is guessed at.
    """
    unparsed = _declared_entities(content)
    try:
        root = etree.fromstring(content, _parser(encoding))
    except etree.XMLSyntaxError as error:
        if on_mended and encoding is None and (western := _western(content)):
            root = parse_xml(western, "utf-8")
            on_mended(1, "bytes that are not UTF-8, read as Western letters (cp1252)")
            return root
        better, line, what = _mended(content) if on_mended else (content, 0, "")
        if on_mended and what:
            root = parse_xml(better, encoding)  # which raises what is still wrong
            on_mended(line, what)
            return root
        raise _syntax_error(error.msg or "no content", error.lineno or 0) from None
    except (etree.LxmlError, LookupError, ValueError) as error:
        raise ReadError(f"not readable as XML: {error}") from None
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None:
        # The search for bytes sees no declaration in an encoding that is not like ASCII; the parser does.
        for entity in dtd.iterentities():
            if entity.name not in unparsed:
                raise _refusal("the entity", entity.name, 0)
    return root


@cache
def _parser(encoding: str | None) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding,
    )


def _western(content: bytes) -> bytes:
    """Return a document that claims to be UTF-8 and is not, as UTF-8; nothing for any other."""
    declared = re.match(rb"""\s*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)""", content)
    if declared is not None and declared[1].lower() != b"utf-8":
        return b""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace").encode()
    return b""


def _mended(content: bytes) -> tuple[bytes, int, str]:
    """Return a document with its signs as they should have been written, the first line that has one, and what there was."""
    found: Counter[str] = Counter()
    first = len(content)

    def mend(match: re.Match[bytes]) -> bytes:
        nonlocal first
        kind = match.lastgroup or "kept"
        if kind == "kept":
            return match[0]
        found[kind] += 1
        first = min(first, match.start())
        return _MENDED[kind]

    better = _MENDABLE.sub(mend, content)
    what = ", ".join(f"{_NAMES[kind]} ({count} times)" if count > 1 else _NAMES[kind] for kind, count in found.items())
    return better, content.count(b"\n", 0, first) + 1, what


def _declared_entities(content: bytes) -> set[str]:
    """Return the names of unparsed entities (drawings); refuse any other, before the parser sees it."""
    unparsed = set()
    position = content.find(b"<!ENTITY")
    while position >= 0:
        match = _ENTITY.match(content, position)
        name = match[2].decode("utf-8", "replace") if match else ""
        if match is None or match[1] or not _UNPARSED.search(match[3]):
            outside = match is not None and _OUTSIDE.search(match[3]) is not None
            line = content.count(b"\n", 0, position) + 1
            raise _refusal("the external entity" if outside else "the entity", name, line)
        unparsed.add(name)
        position = content.find(b"<!ENTITY", position + 1)
    return unparsed


def _refusal(what: str, name: str, line: int) -> ReadError:
    return ReadError(
        f"refused: it declares {what} {name!r}, which could pull in other files or grow without bound. "
        "Patents need none; remove the declaration.",
        line,
    )


def _syntax_error(message: str, line: int) -> ReadError:
    """Say what the parser means; it repeats the line at the end of its message."""
    message = " ".join(message.split())
    for sign, refused in _OUR_LIMITS.items():
        if sign in message:
            return ReadError(f"refused: {refused}", line)
    place = _PLACE.search(message)
    text = message[: place.start()].rstrip() if place else message
    if text.startswith(_BARE_AMPERSAND):
        text = "an & that is not written &amp;"
    column = f" (column {place[1]})" if place and place[1] else ""
    return ReadError(f"not well-formed XML: {text}{column}", line)
