"""XML from somebody else: a stream cut into documents, and each parsed. No entity is expanded, nothing is loaded or fetched."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, BinaryIO

from lxml import etree

from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadError

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
    line = 1
    too_large = False  # the current document was reported already; only its lines are still counted
    scanned = 1  # a declaration at position 0 opens the current document, it does not end it
    while True:
        piece = stream.read(block)
        buffer += piece.removeprefix(BOM_UTF8) if line == 1 and not buffer else piece
        while match := _DECLARATION.search(buffer, scanned):
            content = bytes(buffer[: match.start()])
            del buffer[: match.start()]
            if not too_large and content.strip():
                yield Piece(content if len(content) <= largest else None, line)
            line += content.count(b"\n")
            too_large = False
            scanned = 1
        if not piece:
            break
        scanned = max(1, len(buffer) - _LONGEST_MARK)
        if len(buffer) > largest + block:
            if not too_large:
                yield Piece(None, line)
            too_large = True
            surplus = len(buffer) - _LONGEST_MARK  # what is left may be the beginning of a declaration
            line += buffer.count(b"\n", 0, surplus)
            del buffer[:surplus]
            scanned = 1
    if not too_large and buffer.strip():
        yield Piece(bytes(buffer) if len(buffer) <= largest else None, line)


def cut_documents(stream: BinaryIO, largest: int, begins: re.Pattern[bytes]) -> Iterator[Piece]:
    """Yield the documents inside of other elements, each in a `WRAPPER` with the namespaces that were declared around it.

    `begins` finds the start of one, its name as the first group. At most one document and one block are in memory.
    """
    buffer = b""
    line = 1
    declared: dict[bytes, bytes] = {}
    ended = False
    while True:
        start = begins.search(buffer)
        close = None if start is None else re.compile(rb"</" + re.escape(start[1]) + rb"\s*>")
        found = None if start is None or close is None else _closed(buffer, start, close)
        while (
            start is not None
            and close is not None
            and found is None
            and not ended
            and len(buffer) - start.start() <= largest
        ):
            block = stream.read(MEBIBYTE + len(buffer) // 4)
            ended = not block
            buffer += block
            found = _closed(buffer, start, close)
        if start is None or found is None:
            if start is not None:
                cause = "the file ends inside of it." if ended else f"refused: a document of more than {largest} bytes."
                yield Piece(None, line + buffer.count(b"\n", 0, start.start()), cause)
                if ended:
                    return
            keep = 0 if ended else min(len(buffer), _LONGEST_TAG)  # the beginning of a document may be cut in two
            declared.update(_NAMESPACE.findall(buffer))
            line += buffer.count(b"\n", 0, len(buffer) - keep)
            buffer = buffer[len(buffer) - keep :]
            block = stream.read(MEBIBYTE)
            if not block:
                return
            buffer += block
            continue
        declared.update(_NAMESPACE.findall(buffer, 0, start.start()))
        around = b" ".join(name + b"=" + value for name, value in declared.items())
        line += buffer.count(b"\n", 0, start.start())
        name = WRAPPER.encode()
        yield Piece(b"<%s %s>%s</%s>" % (name, around, buffer[start.start() : found], name), line)
        line += buffer.count(b"\n", start.start(), found)
        buffer = buffer[found:]


def _closed(buffer: bytes, start: re.Match[bytes], close: re.Pattern[bytes]) -> int | None:
    """Return where the element that begins at `start` ends, if that is in the buffer."""
    tag = buffer.find(b">", start.end())
    if tag > 0 and buffer[tag - 1 : tag] == b"/":
        return tag + 1
    end = close.search(buffer, start.end())
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
