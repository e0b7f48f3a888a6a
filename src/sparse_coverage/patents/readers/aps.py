"""USPTO full text of 1976 to 2001 (APS, the "green book"): a tag of up to four letters a line, patents one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from sparse_coverage.patents.claims import make_claims
from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, passage_xpath
from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadContext, ReadError
from sparse_coverage.patents.values import class_symbol, distinct, iso_date

_BEGINS = re.compile(rb"(?:HHHHHT[^\r\n]*[\r\n]+)?\s*PATN\s*[\r\n]")
_TAG = re.compile(r"([A-Z][A-Z0-9]{2,3})(?: +|$)")
_CLASS = re.compile(r"([A-H]\d{2}[A-Z])\s?([\d ]{3})(\d{2,6})\s*")
_KINDS = {"D": "S", "PP": "P", "RE": "E", "H": "H", "T": "I4"}
_TEXTS = ("PARN", "GOVT", "BSUM", "DRWD", "DETD")
Lines = list[tuple[str, str]]
Sections = list[tuple[str, Lines]]
"""The parts of a patent with the tags and values in each."""


def recognises(head: bytes) -> bool:
    """Tell it from the line that begins a patent."""
    return _BEGINS.match(head) is not None


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Cut a file where a patent begins."""
    lines: list[bytes] = []
    begun, size = 1, 0
    largest = context.limits.document_bytes
    for number, line in enumerate(_lines(stream), 1):
        if line.rstrip() == b"PATN":
            if lines:
                yield _piece(lines, size, begun, largest)
            lines, begun, size = [], number, 0
        elif number == 1:
            begun = 2  # a head of the file
            continue
        size += len(line)
        if size <= largest:
            lines.append(line)
    if lines:
        yield _piece(lines, size, begun, largest)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines, also where carriage returns alone end them."""
    rest = b""
    while block := stream.read(MEBIBYTE):
        *whole, rest = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", rest + block)
        yield from whole
    yield rest


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read one patent."""
    if not isinstance(piece.content, bytes):
        raise ReadError(piece.cause)
    sections = _sections(piece.content)
    own = dict(reversed(next((lines for name, lines in sections if name == "PATN"), [])))
    series, kind, number = _number(own.get("WKU", ""))
    if not number:
        raise ReadError("it names no patent number (WKU).")
    document = publication_id("US", series + number, kind)
    if not any(name in ("CLMS", "DCLM") for name, _ in sections):
        context.report_note("it has no claims; the file may have been cut", document)
    earlier = [
        iso_date(v)
        for name, lines in sections
        if name in ("PRIR", "RLAP", "PCTA")
        for tag, v in lines
        if tag in ("APD", "PCD")
    ]
    return Patent(
        id=document,
        title=own.get("TTL", ""),
        abstract=_paragraphs(sections, "abstract", "ABST"),
        claims=_claims(sections),
        description=_paragraphs(sections, "description", *_TEXTS),
        country="US",
        kind=kind,
        language="en",
        publication_date=iso_date(own.get("ISD")),
        application_date=iso_date(own.get("APD")),
        priority_date=min(filter(None, earlier), default=""),
        ipc=distinct(_class(v) for name, lines in sections if name == "CLAS" for tag, v in lines if tag == "ICL"),
        applicants=_names(sections, "ASSG"),
        inventors=_names(sections, "INVT"),
        citations=distinct(_cited(sections)),
        source=context.file,
        format="USPTO APS",
    )


def _piece(lines: list[bytes], size: int, line: int, largest: int) -> Piece:
    if size > largest:
        return Piece(None, line, f"refused: a document of more than {largest} bytes.")
    return Piece(b"".join(lines), line)


def _sections(content: bytes) -> Sections:
    """Return the parts; a line that begins with blanks goes on with the value before it."""
    sections: Sections = []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    for line in text.splitlines():
        match = _TAG.match(line)
        if match and len(match[1]) == 4 and not line[4:].strip():
            sections.append((match[1], []))
        elif not sections:
            continue
        elif match:
            sections[-1][1].append((match[1], line[match.end() :].strip()))
        elif sections[-1][1] and line.strip():
            tag, value = sections[-1][1][-1]
            sections[-1][1][-1] = (tag, f"{value} {line.strip()}" if value else line.strip())
    return sections


def _number(written: str) -> tuple[str, str, str]:
    """Return series, kind and number of a WKU, whose last digit is a check: `057006474` is 5,700,647."""
    match = re.fullmatch(r"(D|PP|RE|H|T)?0*(\d+)", written.replace(" ", ""))
    if match is None:
        return "", "", ""
    series = match[1] or ""
    digits = match[2][:-1] if len(written.replace(" ", "")) >= 9 else match[2]
    return series, _KINDS.get(series, "A"), digits.lstrip("0")


def _paragraphs(sections: Sections, part: str, *wanted: str) -> tuple[Paragraph, ...]:
    found: list[Paragraph] = []
    for name, lines in sections:
        for tag, value in lines if name in wanted else ():
            if value and tag != "PAC":  # a heading
                found.append(Paragraph(" ".join(value.split()), passage_xpath(part, "p", len(found) + 1)))
    return tuple(found)


def _claims(sections: Sections) -> tuple[Claim, ...]:
    texts: dict[int, list[str]] = {}
    for name, lines in sections:
        number = 1
        for tag, value in lines if name in ("CLMS", "DCLM") else ():
            if tag == "NUM":
                digits = re.match(r"\d{1,4}", value)
                number = int(digits[0]) if digits else number
            elif tag != "STM" and value:
                texts.setdefault(number, []).append(value)
    pairs = [
        (number, re.sub(rf"^{number}\s*\.\s+", "", " ".join(" ".join(parts).split())))
        for number, parts in texts.items()
    ]
    return make_claims([(position, number, text) for position, (number, text) in enumerate(pairs, 1)])


def _class(value: str) -> str:
    match = _CLASS.fullmatch(value)
    return class_symbol(f"{match[1]} {match[2].strip()}/{match[3]}") if match else class_symbol(value)


def _names(sections: Sections, section: str) -> tuple[str, ...]:
    names = (value for name, lines in sections if name == section for tag, value in lines if tag == "NAM")
    return distinct(name.replace("; ", ", ") for name in names)


def _cited(sections: Sections) -> Iterator[str]:
    for name, lines in sections:
        if name in ("UREF", "FREF"):
            values = dict(lines)
            yield publication_id("US" if name == "UREF" else values.get("CNT", "")[:2], values.get("PNO"), "")
