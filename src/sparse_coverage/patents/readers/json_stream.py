"""Cutting JSON into records, whatever their arrangement, as a stream: at most one record is in memory.

Records can be lines, one after the other over several lines, elements of an array, or lie in a list inside of an answer such as
`{"total": 2, "data": [...]}`, however deep. They can also be rows, lists of values below one of names, and objects under their
publication numbers: `{"EP1000001A1": {...}}`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from typing import Any, BinaryIO

import ijson
from ijson.common import ObjectBuilder

from sparse_coverage.patents.readers.fields import field_of, names, plain_name
from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadContext, ReadError

_IDS = frozenset({"id", "us_number", "number"})
_TEXTS = frozenset({"title", "abstract", "claims", "description"})
_HEADERS = frozenset({"columns", "header", "headers", "column names"})
_FOUND = "ops:publication-reference"  # of which a search answer of EPO OPS holds a list
_NUMBER = re.compile(r"[A-Z]{2}[ -]?\d[\w /-]{0,20}")
_BLOCK = 1 << 16
_SAMPLES: dict[str, Any] = {"start_map": {}, "start_array": []}
Event = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A record that is no line of its own: which one of the file it is, from 1, what it holds, and keys that came twice in an object."""

    place: int
    value: Any
    twice: tuple[str, ...] = ()


def json_pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the records of a stream: lines as bytes, others as a `Record`."""
    largest = context.limits.document_bytes
    first, number = b"\n", 0
    while first and not first.strip():
        first = stream.readline(MEBIBYTE).removeprefix(b"\xef\xbb\xbf")
        number += 1
    if _is_line(first, stream):
        return _lines(stream, first, number, largest)
    return _Walk(_Blocks(stream, first, largest), largest).pieces()


def _is_line(first: bytes, stream: BinaryIO) -> bool:
    """Tell whether each line is a record. A damaged first line is one where others like it follow."""
    text = first.strip()
    if not text.startswith(b"{") or (len(first) >= MEBIBYTE and not first.endswith(b"\n")):
        return False
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data" and error.doc[error.pos] in "{[":
            return False  # records one after the other in one line
        peek = stream.peek(64) if isinstance(stream, BufferedReader) else b""
        return text.endswith(b"}") and (not peek.strip() or peek.lstrip().startswith(b"{"))
    return isinstance(record, dict) and not _NUMBER.fullmatch(next(iter(record), "")) and not _lists(record)


def _lines(stream: BinaryIO, line: bytes, number: int, largest: int) -> Iterator[Piece]:
    while line:
        if len(line) > largest:
            while line and not line.endswith(b"\n"):
                line = stream.readline(largest)
            yield Piece.refused("a line", largest, number)
        elif line.strip():
            yield Piece(line, number)
        line = stream.readline(largest + 1)
        number += 1


def _lists(record: Mapping[str, Any]) -> list[str]:
    """Return the names in an object that hold lists of records; none where it is a record itself."""
    known = [name for name, value in record.items() if _is_known(name, value)]
    if known or any(field_of(plain_name(name.rpartition(":")[2]))[0] in _IDS for name in record):
        return known
    return [name for name, value in record.items() if isinstance(value, list) and value and _is_record(value[0])]


def _is_known(name: str, value: Any) -> bool:
    """Tell a list of records, or what holds one, by its name. Of a value that is yet to be read, one like it is given."""
    if isinstance(value, list) and name == _FOUND:
        return True
    known = plain_name(name.rpartition(":")[2]) in names().lists
    return known and (isinstance(value, dict) or (isinstance(value, list) and isinstance((*value, {})[0], dict | list)))


def _is_record(value: Any) -> bool:
    """Tell an object with an id and a text."""
    fields = {field_of(plain_name(name.rpartition(":")[2]))[0] for name in value} if isinstance(value, dict) else set()
    return bool(fields & _IDS) and bool(fields & _TEXTS)


class Noticing:
    """Makes objects of JSON, of a name that comes twice with the last value, and takes note of such names."""

    def __init__(self) -> None:
        self.twice: list[str] = []

    def of(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return an object."""
        made = dict(pairs)
        if len(made) < len(pairs):
            self.twice += [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
        return made


class _Object(dict[str, Any]):
    """An object that takes note of names that come twice, in a list that it shares."""

    def __init__(self, twice: list[str]) -> None:
        super().__init__()
        self._twice = twice

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self:
            self._twice.append(name)
        super().__setitem__(name, value)


class _Blocks:
    """A stream for the parser, which tells how much of it was read, and refuses a single value that has no end."""

    def __init__(self, stream: BinaryIO, begun: bytes, largest: int) -> None:
        self._stream = stream
        self._begun = begun
        self._most = largest + 2 * _BLOCK
        self.place = 0
        self.told = 0
        """Where the parser was when it last gave a value."""

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        if self.place - self.told > self._most:
            raise ReadError(f"{Piece.refused('a value', self._most, 0).cause} What follows was not read.")
        data, self._begun = (self._begun[:size], self._begun[size:]) if self._begun else (self._stream.read(size), b"")
        self.place += len(data)
        return data


class _Walk:
    """Walks through the values of JSON as they are parsed, and takes the records among them."""

    def __init__(self, blocks: _Blocks, largest: int) -> None:
        self._blocks = blocks
        self._largest = largest
        self._events: Iterator[Event] = ijson.basic_parse(blocks, use_float=True, multiple_values=True, buf_size=_BLOCK)
        self._place = 0
        self._size = 0  # of all values so far
        self._header: list[str] = []  # of rows that are lists
        self._twice: list[str] = []  # names that came twice in an object of the record at hand

    def pieces(self) -> Iterator[Piece]:
        """Yield the records, and say where the text is not as it should be."""
        try:
            for event in self._events:
                yield from self._value(event)
        except ijson.JSONError as error:
            ended = "premature EOF" in str(error) or not str(error)
            cause = str(error).partition("\n")[0].removeprefix("b'").partition("error: ")[2].rstrip(".")
            yield Piece(
                None,
                0,
                f"not JSON: {'the file ends inside of it' if ended else cause + '. What follows was not read'}.",
            )
        except ReadError as error:
            yield Piece(None, 0, error.cause)

    def _next(self) -> Event:
        self._blocks.told = self._blocks.place
        event = next(self._events, None)
        if event is None:
            raise ijson.IncompleteJSONError("")
        return event

    def _value(self, event: Event) -> Iterator[Piece]:
        """Yield the records in the value that begins with an event."""
        if event[0] == "start_map":
            yield from self._object()
        elif event[0] == "start_array":
            while (event := self._next())[0] != "end_array":
                yield from self._element(event)

    def _element(self, event: Event) -> Iterator[Piece]:
        """Yield the records in an element of a list; a list in there that begins with a plain value is a row."""
        if event[0] != "start_array":
            yield from self._value(event)
            return
        first = self._next()
        if first[0] in ("start_map", "start_array", "end_array"):
            yield from self._list([event, first])
        else:
            yield from self._row([event, first])

    def _object(self) -> Iterator[Piece]:
        """Yield the records in an object, or the object where it is one itself. A list whose name is known is never kept."""
        record: dict[str, Any] = _Object(self._twice)
        holds_list = False
        before = self._size
        while (event := self._next())[0] != "end_map":
            name, begun = event[1], [self._next()]
            if not record and not holds_list and _NUMBER.fullmatch(name):
                yield from self._keyed(name, begun)
                return
            if begun[0][0] == "start_array":
                begun.append(self._next())
            sample: Any = _SAMPLES.get(begun[-1][0])
            if _is_known(name, [] if begun[-1][0] == "end_array" else [sample] if len(begun) > 1 else sample):
                holds_list = True
                yield from self._list(begun)
                continue
            record[name] = self._whole(begun, before)
            if plain_name(name) in _HEADERS and isinstance(record[name], list):
                self._header = [str(one) for one in record[name]]
        if not holds_list:
            listed = [one for name in _lists(record) for one in record[name]]
            for one in listed or [record]:
                yield self._piece(one, before)

    def _list(self, begun: list[Event]) -> Iterator[Piece]:
        """Yield the records in a list, or an object, of which the first event, or the first two, were taken."""
        if len(begun) > 1 and begun[1][0] != "end_array":
            yield from self._element(begun[1])
        if begun[-1][0] != "end_array":
            yield from self._value(begun[0])

    def _keyed(self, name: str, begun: list[Event]) -> Iterator[Piece]:
        """Yield the records under their numbers, each with its number as its id unless it has one; a text alone is its text."""
        while True:
            before = self._size
            value = self._whole(begun, before)
            yield self._piece({"id": name, **(value if isinstance(value, dict) else {"text": value})}, before)
            event = self._next()
            if event[0] == "end_map":
                return
            name, begun = event[1], [self._next()]

    def _row(self, begun: list[Event]) -> Iterator[Piece]:
        """Yield a list of values as a record, by the names that the first such list holds."""
        before = self._size
        row = self._whole(begun, before)
        if not self._header:
            self._header = [str(name) for name in row or [""]]
            if not {field_of(name)[0] for name in self._header} & _IDS:
                cause = (
                    "lists, the first of which names no known column such as 'publication_number'. Put the names first."
                )
                yield Piece(None, 0, cause)
        elif row is not None and len(row) != len(self._header):
            self._place += 1
            cause = f"not a list of {len(self._header)} values, as its header names them."
            yield Piece(None, 0, f"record {self._place}: {cause}")
        else:
            yield self._piece(dict(zip(self._header, row or (), strict=False)), before)

    def _whole(self, begun: list[Event], before: int) -> Any:
        """Return the value that begins with some events; nothing where what was read since `before` is too much."""
        builder, depth = ObjectBuilder(partial(_Object, self._twice)), 0
        for event in itertools.chain(begun, iter(self._next, None)):
            kind, value = event
            depth += (kind in ("start_map", "start_array")) - (kind in ("end_map", "end_array"))
            self._size += len(value) if isinstance(value, str) else 1
            if self._size - before <= self._largest:
                builder.event(kind, value)
            if depth == 0:
                return builder.value if self._size - before <= self._largest else None
        return None

    def _piece(self, value: Any, before: int) -> Piece:
        self._place += 1
        if self._size - before > self._largest:
            return Piece.refused("a record", self._largest, 0)
        twice = tuple(dict.fromkeys(self._twice))
        self._twice.clear()
        return Piece(Record(self._place, value, twice), 0)
