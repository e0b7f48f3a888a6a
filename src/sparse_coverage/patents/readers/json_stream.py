"""Cutting JSON into records, whatever their arrangement, as a stream: at most one record is in memory.

Records can be lines, one after the other over several lines, elements of an array, or lie in a list inside of an answer such as
`{"total": 2, "data": [...]}`, however deep. They can also be rows, lists of values below one of names, and objects under their
publication numbers: `{"EP1000001A1": {...}}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import BufferedReader
from typing import BinaryIO

from sparse_coverage.patents.readers.fields import field_of, names, plain_name
from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadContext

_SPACE = re.compile(rb"[\s,]*")
# A string (perhaps cut at the end of what was read), or a sign that opens or closes.
_SIGN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*("|\\?\Z)|[\[\]{}]', re.S)
_SCALAR_END = re.compile(rb"[,\]}\s]")
_IDS = frozenset({"id", "us_number", "number"})
_HEADERS = frozenset({"columns", "header", "headers", "column names"})
_FOUND = b'"ops:publication-reference"'  # of which a search answer of EPO OPS holds a list
_NUMBER = re.compile(r"[A-Z]{2}[ -]?\d[\w /-]{0,20}")


def json_pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the records of a stream as bytes."""
    largest = context.limits.document_bytes
    first, number = b"\n", 0
    while first and not first.strip():
        first = stream.readline(MEBIBYTE).removeprefix(b"\xef\xbb\xbf")
        number += 1
    if _is_line(first, stream):
        return _lines(stream, first, number, largest)
    return _Scanner(stream, first, number, largest).records()


def _is_line(first: bytes, stream: BinaryIO) -> bool:
    """Tell whether each line is a record. A damaged first line is one where others like it follow."""
    text = first.strip()
    if not text.startswith(b"{"):
        return False
    if len(first) < MEBIBYTE or first.endswith(b"\n"):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data" and error.doc[error.pos] in "{[,":
                return False  # records one after the other in one line
            peek = stream.peek(64) if isinstance(stream, BufferedReader) else b""
            return text.endswith(b"}") and (not peek.strip() or peek.lstrip().startswith(b"{"))
        return isinstance(record, dict) and not _Scanner(stream, text, 1, 0, whole=True).holds_list()
    return not _Scanner(stream, first, 1, 0, whole=True).holds_list()


def _lines(stream: BinaryIO, line: bytes, number: int, largest: int) -> Iterator[Piece]:
    if line and not line.endswith(b"\n"):
        line += stream.readline(largest + 1 - len(line)) if len(line) <= largest else b""
    while line:
        if len(line) > largest:
            while line and not line.endswith(b"\n"):
                line = stream.readline(largest)
            yield Piece.refused("a line", largest, number)
        elif line.strip():
            yield Piece(line, number)
        line = stream.readline(largest + 1)
        number += 1


class _Scanner:
    """Walks through JSON text without parsing it: where values begin and end, and which of them are records."""

    def __init__(self, stream: BinaryIO, begun: bytes, line: int, largest: int, *, whole: bool = False) -> None:
        self._stream = stream
        self._text = begun
        self._place = 0
        self._line = line
        self._largest = largest
        self._ended = whole  # nothing more is to be read
        self._header: list[str] = []  # of rows that are lists

    def records(self) -> Iterator[Piece]:
        """Yield the records, and say where the text is not as it should be."""
        while sign := self._sign():
            if sign in b"]}":
                self._place += 1
            elif sign in b"[{":
                yield from self._value()
            else:
                start = self._text[self._place : self._place + 30].decode("utf-8", "replace")
                yield Piece(
                    None, self._line, f"not JSON: {start!r} where a record should begin. What follows was not read."
                )
                return

    def holds_list(self) -> bool:
        """Tell whether the object at hand holds a list of records rather than being one."""
        return self._sign() == b"{" and (self._is_keyed(self._place) or bool(self._lists(self._place)))

    def _value(self) -> Iterator[Piece]:
        """Yield the records in the array or object at hand."""
        if self._at(self._place) == b"[":
            self._place += 1
            while (sign := self._sign()) and sign != b"]":
                if sign == b"[" and self._at(self._after_space(self._place + 1)) not in (b"[", b"{", b"]"):
                    yield from self._row()
                elif sign in b"[{":
                    yield from self._value()
                elif not self._skip():
                    return
            self._place += 1
            return
        if self._is_keyed(self._place):
            yield from self._keyed()
            return
        lists = self._lists(self._place)
        if not lists:
            yield from self._record()
            return
        self._place += 1
        while (sign := self._sign()) and sign != b"}":
            key = self._key()
            if key in _HEADERS and self._sign() == b"[" and (end := self._end(self._place)) is not None:
                self._take_header(self._text[self._place : end])
                self._advance(end)
            elif key in lists and self._sign() in (b"[", b"{"):
                yield from self._value()
            elif not self._skip():
                return
        self._place += 1

    def _is_keyed(self, place: int) -> bool:
        """Tell an object that holds records under their publication numbers."""
        at = self._after_space(place + 1)
        end = self._end(at) if self._at(at) == b'"' else None
        return end is not None and _NUMBER.fullmatch(_written(self._text[at:end])) is not None

    def _keyed(self) -> Iterator[Piece]:
        """Yield the records under their numbers, each with its number as its id unless it has one; a text alone is its text."""
        self._place += 1
        while self._sign() == b'"' and (end := self._end(self._place)) is not None:
            key = self._text[self._place : end]
            self._key()
            sign = self._sign()
            for piece in self._record():
                if piece.content is None:
                    yield piece
                    continue
                inner = piece.content[1:-1].strip() if sign == b"{" else b'"text": ' + piece.content
                yield Piece(b'{"id": ' + key + (b", " + inner if inner else b"") + b"}", piece.line)
        self._place += 1

    def _row(self) -> Iterator[Piece]:
        """Yield a list of values as a record, by the names that the first such list holds."""
        for piece in self._record():
            if piece.content is None:
                yield piece
            elif not self._header:
                self._take_header(piece.content)
                if not {field_of(name)[0] for name in self._header} & _IDS:
                    cause = "lists, the first of which names no known column such as 'publication_number'. Put the names first."
                    yield Piece(None, piece.line, cause)
            else:
                try:
                    record = dict(zip(self._header, json.loads(piece.content), strict=True))
                    yield Piece(json.dumps(record).encode(), piece.line)
                except (ValueError, RecursionError):
                    yield Piece(
                        None, piece.line, f"not a list of {len(self._header)} values, as its header names them."
                    )

    def _take_header(self, content: bytes) -> None:
        try:
            self._header = [str(name) for name in json.loads(content)]
        except (ValueError, RecursionError):
            self._header = [""]

    def _record(self) -> Iterator[Piece]:
        line = self._line
        end = self._end(self._place, self._largest)
        if end is None:
            if self._ended:
                yield Piece(None, line, "not JSON: the file ends inside of it.")
                self._place = len(self._text)
            else:
                yield Piece.refused("a record", self._largest, line)
                self._skip()
            return
        yield Piece(self._text[self._place : end], line)
        self._advance(end)

    def _lists(self, place: int) -> set[str]:
        """Return the keys of the object at a place that hold lists of records; none where it is a record itself."""
        known = names().lists
        found: set[str] = set()
        own_id = False
        for raw, at in self._keys(place):
            key, sign = _plain(raw), self._at(at)
            own_id = own_id or (field_of(key)[0] in _IDS and sign not in b"[{")
            if sign == b"[":
                inner = self._after_space(at + 1)
                is_list = key in known and self._at(inner) in (b"{", b"]", b"[")
                if raw == _FOUND or is_list or self._is_record(inner):
                    found.add(key)
            elif sign == b"{" and key in known:
                found.add(key)
        return set() if own_id and not found & known else found

    def _is_record(self, place: int) -> bool:
        """Tell whether the value at a place is an object with an id and a text."""
        if self._at(place) != b"{":
            return False
        fields = {field_of(_plain(key))[0] for key, _ in self._keys(place)}
        return bool(fields & _IDS) and bool(fields & {"title", "abstract", "claims", "description"})

    def _keys(self, place: int) -> Iterator[tuple[bytes, int]]:
        """Yield the keys of the object at a place, each with where its value begins, as far as they are near."""
        at = self._after_space(place + 1)
        while self._at(at) == b'"' and (end := self._end(at)) is not None:
            key, at = self._text[at:end], self._after_space(end)
            if self._at(at) != b":":
                return
            at = self._after_space(at + 1)
            yield key, at
            if (end := self._end(at)) is None:
                return
            at = self._after_space(end)

    def _key(self) -> str:
        end = self._end(self._place) if self._sign() == b'"' else None
        if end is None:
            self._advance(len(self._text))
            return ""
        key = _plain(self._text[self._place : end])
        self._advance(self._after_space(end))
        if self._at(self._place) == b":":
            self._advance(self._place + 1)
        return key

    def _at(self, place: int) -> bytes:
        return self._text[place : place + 1]

    def _sign(self) -> bytes:
        """Return the next sign that is no white space and no comma; nothing at the end."""
        self._advance(self._after_space(self._place))
        return self._at(self._place)

    def _after_space(self, place: int) -> int:
        while True:
            found = _SPACE.match(self._text, place)
            end = found.end() if found else place
            if end < len(self._text) or not self._more():
                return end

    def _advance(self, place: int) -> None:
        """Go on to a place, and let go of what is behind once it is much."""
        self._line += self._text.count(b"\n", self._place, place)
        self._place = place
        if place > 4 * MEBIBYTE:
            self._text, self._place = self._text[place:], 0

    def _more(self) -> bool:
        block = b"" if self._ended else self._stream.read(MEBIBYTE + len(self._text) // 4)
        self._ended = self._ended or not block
        self._text += block
        return bool(block)

    def _end(self, place: int, most: int = MEBIBYTE) -> int | None:
        """Return where the value at a place ends; None where the text ends first, or it is longer than `most`."""
        while place >= len(self._text) and self._more():
            pass
        if self._at(place) not in (b'"', b"{", b"["):
            while (found := _SCALAR_END.search(self._text, place)) is None and self._more():
                pass
            return found.start() if found else len(self._text)
        depth, at = 0, place
        while at - place <= most:
            sign = _SIGN.search(self._text, at)
            if sign is None or (sign[0][:1] == b'"' and sign[1] != b'"'):
                at = sign.start() if sign else len(self._text)
                if len(self._text) - place > most or not self._more():
                    return None
                continue
            at = sign.end()
            depth += (sign[0] in (b"{", b"[")) - (sign[0] in (b"}", b"]"))
            if depth <= 0:
                return at
        return None

    def _skip(self) -> bool:
        """Skip the current value, however long it is. Return whether there was one."""
        depth = 0
        if self._sign() not in (b'"', b"{", b"["):
            end = self._end(self._place)
            moved = end is not None and end > self._place
            self._advance(end or len(self._text))
            return moved
        while True:
            sign = _SIGN.search(self._text, self._place)
            if sign is None or (sign[0][:1] == b'"' and sign[1] != b'"'):
                self._advance(sign.start() if sign else len(self._text))
                if not self._more():
                    return False
                continue
            self._advance(sign.end())
            depth += (sign[0] in (b"{", b"[")) - (sign[0] in (b"}", b"]"))
            if depth <= 0:
                return True


def _written(key: bytes) -> str:
    return key[1:-1].decode("utf-8", "replace")


def _plain(key: bytes) -> str:
    return plain_name(_written(key).rpartition(":")[2])
