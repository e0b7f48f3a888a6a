"""Cutting a stream of XML into documents: a bulk file is many, one after the other, each with its own declaration."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import BinaryIO

from sparse_coverage.patents.reading.context import Piece
from sparse_coverage.patents.reading.limits import MEBIBYTE

_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]")
_LONGEST_MARK = 6


def split_documents(stream: BinaryIO, largest: int, block: int = MEBIBYTE) -> Iterator[Piece]:
    """Yield the documents of a stream. At most one document and one block are in memory."""
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
