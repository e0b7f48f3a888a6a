"""CIFF, the Common Index File Format: an inverted index as a stream of protocol buffers, read by PISA, Terrier, OldDog and others.

A file is a header, then the postings lists, then the documents; each is a message preceded by its length. A message is a
series of fields: a tag (number of the field * 8 + kind), then a varint (kind 0), eight bytes (kind 1) or a length and as many
bytes (kind 2). A varint has seven bits a byte, low ones first; all bytes but its last have their highest bit set. Documents in
a list are differences to the one before. The messages are few and simple, so nothing but NumPy is needed for them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.files import new_folder
from sparse_coverage.formats.source import Quantiser, Rows, Source, write_lines
from sparse_coverage.kernels import Array, Int64s
from sparse_coverage.kernels.postings import BYTES_A_POSTING, decode_postings, encode_postings
from sparse_coverage.progress import tracked

VERSION = 1


@dataclass(frozen=True, slots=True)
class CiffHeader:
    """What comes first: how many lists and documents follow, and the totals that other scorings need."""

    lists: int
    documents: int
    total_terms: int
    average_length: float
    description: str


@dataclass(frozen=True, slots=True, eq=False)
class CiffList:
    """A term with the numbers of its documents, rising, and its impact (CIFF says tf) in each."""

    term: str
    documents: Int64s
    impacts: Int64s


@dataclass(frozen=True, slots=True)
class CiffDocument:
    """A document: its number, its id, and its length, the sum of its impacts."""

    number: int
    id: str
    length: int


def write_ciff(path: Path, header: CiffHeader, lists: Iterable[CiffList], documents: Iterable[CiffDocument]) -> None:
    """Write a file. The lists come in the order of their terms; there are as many of everything as the header says."""
    with path.open("wb") as out:
        _put(out, _header(header))
        for one in lists:
            _put(out, _list(one))
        for document in documents:
            _put(out, _number(1, document.number) + _text(2, document.id) + _number(3, document.length))


@contextmanager
def open_ciff(path: Path) -> Iterator[tuple[CiffHeader, Iterator[CiffList], Iterator[CiffDocument]]]:
    """Open a file: its header, its lists and its documents. Read all lists before the first document."""
    with path.open("rb") as stream:
        fields = _fields(path, _take(path, stream))
        (average,) = struct.unpack("<d", bytes(fields.get(7, [bytes(8)])[0]))
        header = CiffHeader(_integer(fields, 2), _integer(fields, 3), _integer(fields, 6), average, _string(fields, 8))
        lists = (_read_list(path, _take(path, stream)) for _ in range(header.lists))
        documents = (_read_document(path, _take(path, stream)) for _ in range(header.documents))
        yield header, lists, documents


def _header(header: CiffHeader) -> bytes:
    counts = (VERSION, header.lists, header.documents, header.lists, header.documents, header.total_terms)
    numbers = b"".join(_number(field, count) for field, count in enumerate(counts, 1))
    return numbers + bytes([7 << 3 | 1]) + struct.pack("<d", header.average_length) + _text(8, header.description)


def _list(one: CiffList) -> bytes:
    buffer = np.empty(BYTES_A_POSTING * len(one.documents), np.uint8)
    gaps = np.diff(one.documents, prepend=0)
    used = encode_postings(gaps.astype(np.uint64), one.impacts.astype(np.uint64), buffer)
    start = _text(1, one.term) + _number(2, len(one.documents)) + _number(3, int(one.impacts.sum()))
    return start + buffer[:used].tobytes()


def _put(out: BinaryIO, message: bytes) -> None:
    out.write(_varint(len(message)))
    out.write(message)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _number(field: int, value: int) -> bytes:
    return bytes([field << 3]) + _varint(value)


def _text(field: int, value: str) -> bytes:
    content = value.encode("utf-8")
    return bytes([field << 3 | 2]) + _varint(len(content)) + content


def _take(path: Path, stream: BinaryIO) -> bytes:
    """Read the next message."""
    size = shift = 0
    while True:
        byte = stream.read(1)
        if not byte or shift > 63:
            raise _damaged(path)
        size |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:
            break
    content = stream.read(size)
    if len(content) != size:
        raise _damaged(path)
    return content


Fields = dict[int, list["int | bytes"]]


def _fields(path: Path, message: bytes, stop_at: int = 0) -> Fields:
    """Split a message into its fields, up to the first one with the number `stop_at`; where that is stands under 0."""
    found: Fields = {}
    place = 0
    try:
        while place < len(message):
            begin = place
            tag, place = _read_varint(message, place)
            field, kind = tag >> 3, tag & 7
            if field == stop_at:
                found[0] = [begin]
                break
            value: int | bytes
            if kind == 0:
                value, place = _read_varint(message, place)
            elif kind in (1, 2):
                size, place = (8, place) if kind == 1 else _read_varint(message, place)
                value, place = message[place : place + size], place + size
            else:
                raise _damaged(path)
            found.setdefault(field, []).append(value)
    except IndexError:
        raise _damaged(path) from None
    if place > len(message):
        raise _damaged(path)
    return found


def _read_varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7


def _read_list(path: Path, message: bytes) -> CiffList:
    fields = _fields(path, message, stop_at=4)
    count = _integer(fields, 2)
    gaps, impacts = np.zeros(count, np.int64), np.zeros(count, np.int64)
    begin = _integer(fields, 0) if 0 in fields else len(message)
    if not decode_postings(np.frombuffer(message, np.uint8)[begin:], gaps, impacts):
        raise _damaged(path)
    return CiffList(_string(fields, 1), np.cumsum(gaps), impacts)


def _read_document(path: Path, message: bytes) -> CiffDocument:
    fields = _fields(path, message)
    return CiffDocument(_integer(fields, 1), _string(fields, 2), _integer(fields, 3))


def _integer(fields: Fields, field: int) -> int:
    value = fields.get(field, [0])[0]
    return value if isinstance(value, int) else 0


def _string(fields: Fields, field: int) -> str:
    value = fields.get(field, [b""])[0]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: this is not a whole CIFF file. Export it again.")


def write_ciff_export(source: Source, folder: Path, queries: Rows | None, bits: int) -> dict[str, float]:
    """Write `index.ciff`, and `queries.jsonl` with whole numbers too, since PISA repeats terms. Return the scales.

    Impacts are in the place of term frequencies, to be scored as they are (PISA: `quantized`).
    """
    quantiser = Quantiser(bits, source.largest)
    # The header comes first and holds totals, so the lists are walked through twice.
    lengths = np.zeros(len(source), np.int64)
    count = 0
    for _, passages, weights in source.lists():
        lengths[passages] += quantiser(weights)
        count += 1
    total = int(lengths.sum())
    header = CiffHeader(count, len(source), total, total / max(len(source), 1), "sparse-coverage: impacts of centers")

    def lists() -> Iterator[CiffList]:
        for term, passages, weights in tracked(source.lists(), "Writing lists", count):
            yield CiffList(term, passages, quantiser(weights))

    documents = (
        CiffDocument(number, passage.id, int(lengths[number])) for number, passage in enumerate(source.passages())
    )
    write_ciff(folder / "index.ciff", header, lists(), documents)
    scales = {"document_scale": quantiser.scale}
    if queries is not None:
        whole = Quantiser.for_queries(bits, queries.weights)
        scales["query_scale"] = whole.scale
        write_lines(folder / "queries.jsonl", [queries], source.names, whole)
    return scales


PISA_META = {"type": "sparse_index", "format": "pisa", "package_hint": "pyterrier-pisa", "stemmer": "none"}


def open_ciff_in_pisa(ciff: str | Path, folder: str | Path) -> Any:
    """Write a CIFF file as a PISA index into a new folder and return it as a `PisaIndex`.

        pisa = open_ciff_in_pisa("my-ciff/index.ciff", "my-pisa")
        ranked = pisa.quantized(toks_scale=1.0)(frame_with_qid_and_query_toks)

    Needs the extra [pisa]. `PisaIndex.from_ciff` does the same where the package `pyciff` is installed, which has no wheels.
    Its scorer is `quantized`, the plain dot product; query weights go into the column `query_toks` as dictionaries, and must
    be whole numbers, as `queries.jsonl` has them: PISA repeats a term as often as it weighs, and cuts off what is behind the
    point.
    """
    try:
        pisa: Any = import_module("pyterrier_pisa")
    except ImportError:
        raise MissingExtraError("Opening an index in PISA", "pisa") from None
    with new_folder(Path(folder)) as partial:
        write_pisa(Path(ciff), partial)
        for text, lexicon in (("fwd.documents", "fwd.doclex"), ("fwd.terms", "fwd.termlex")):
            pisa._pisathon.build_binlex(str(partial / text), str(partial / lexicon))
        (partial / "pt_meta.json").write_text(json.dumps(PISA_META), encoding="utf-8")
    return pisa.PisaIndex(str(folder), stemmer="none", stops="none")


def write_pisa(ciff: Path, folder: Path) -> None:
    """Write PISA's uncompressed index: sequences of 32-bit numbers, each preceded by its length.

    `inv.docs` (first the number of documents), `inv.freqs` and `inv.sizes`; terms and documents as lines in `fwd.terms` and
    `fwd.documents`.
    """
    with (
        open_ciff(ciff) as (header, lists, documents),
        (folder / "inv.docs").open("wb") as docs,
        (folder / "inv.freqs").open("wb") as impacts,
        (folder / "fwd.terms").open("w", encoding="utf-8", newline="\n") as terms,
    ):
        _put_numbers(docs, np.asarray([header.documents]))
        for one in tracked(lists, "PISA takes lists", header.lists):
            terms.write(f"{one.term}\n")
            _put_numbers(docs, one.documents)
            _put_numbers(impacts, one.impacts)
        read = list(documents)
    with (folder / "inv.sizes").open("wb") as sizes:
        _put_numbers(sizes, np.asarray([document.length for document in read]))
    (folder / "fwd.documents").write_text("".join(f"{document.id}\n" for document in read), encoding="utf-8")


def _put_numbers(out: BinaryIO, numbers: Array) -> None:
    out.write(np.concatenate(([len(numbers)], numbers)).astype("<u4").tobytes())
