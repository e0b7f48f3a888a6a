"""USPTO of 1976 to 2004, in English without saying so, and under names of its own.

Grants of 2001 to 2004 (v2.4, v2.5) are `PATDOC`, whose names come from SGML days; applications (v1.5) are
`patent-application-publication`. Before, full text was APS (the "green book"): a tag of up to four letters a line, patents one
after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from sparse_coverage.patents.claims import make_claims
from sparse_coverage.patents.numbers import publication_id
from sparse_coverage.patents.patent import Claim, Paragraph, Patent, passage_xpath
from sparse_coverage.patents.readers.st36 import earliest, part_of
from sparse_coverage.patents.readers.xml_text import element_text, flat_paragraphs, read_claims, text_at, texts_at
from sparse_coverage.patents.reading.context import MEBIBYTE, Piece, ReadContext, ReadError
from sparse_coverage.patents.values import class_symbol, compact, distinct, iso_date

_UNSLASHED = re.compile(r"\s*([A-H]\d{2}[A-Z])\s*(\d{1,2})(\d{2})\s*")


def read_grant(root: Any, context: ReadContext) -> Patent:
    """Read one grant."""
    data = part_of(root, "SDOBI")
    kind = compact(text_at(data, "B100/B130"))
    document = publication_id("US", text_at(data, "B100/B110"), kind)
    priorities = (iso_date(compact(element_text(e))) for e in data.xpath("B300/B320 | B600//PARENT-US//DATE"))
    return Patent(
        id=document,
        title=text_at(data, "B500/B540"),
        abstract=_paragraphs(root, "SDOAB", "abstract", "PARA"),
        claims=read_claims(root.iterfind("SDOCL//CLM")),
        description=_paragraphs(root, "SDODE", "description", "PARA"),
        country="US",
        kind=kind,
        language="en",
        publication_date=iso_date(compact(text_at(data, "B100/B140"))),
        application_date=iso_date(compact(text_at(data, "B200/B220"))),
        priority_date=min(filter(None, priorities), default=""),
        ipc=distinct(_class(element_text(e)) for e in data.iterfind("B500/B510/*")),
        applicants=distinct(texts_at(e, "ONM", "SNM", "FNM") for e in data.iterfind("B700/B730//NAM")),
        inventors=distinct(texts_at(e, "ONM", "SNM", "FNM") for e in data.iterfind("B700/B720//NAM")),
        citations=distinct(_citation(e) for e in data.iterfind("B500/B560/B561/PCIT/DOC")),
        source=context.file,
    )


def read_application(root: Any, context: ReadContext) -> Patent:
    """Read one application."""
    data = part_of(root, "subdoc-bibliographic-information")
    technical = part_of(data, "technical-information")
    kind = compact(data.findtext("document-id/kind-code"))
    document = publication_id("US", data.findtext("document-id/doc-number"), kind)
    parents = ("continuity-data//parent", "continuity-data/non-provisional-of-provisional")
    return Patent(
        id=document,
        title=text_at(technical, "title-of-invention"),
        abstract=_paragraphs(root, "subdoc-abstract", "abstract", "paragraph"),
        claims=read_claims(root.iterfind("subdoc-claims/claim")),
        description=_paragraphs(root, "subdoc-description", "description", "paragraph"),
        country="US",
        kind=kind,
        language="en",
        publication_date=iso_date(data.findtext("document-id/document-date")),
        application_date=iso_date(data.findtext("domestic-filing-data/filing-date")),
        priority_date=earliest(
            data, "foreign-priority-data/filing-date", *(f"{path}/document-id/document-date" for path in parents)
        ),
        ipc=distinct(class_symbol(e.text) for e in technical.iterfind("classification-ipc//ipc")),
        applicants=distinct(element_text(e) for e in data.iterfind("assignee/organization-name")),
        inventors=distinct(texts_at(e, "family-name", "given-name") for e in data.iterfind("inventors/*/name")),
        source=context.file,
    )


def _paragraphs(root: Any, section_tag: str, part: str, tag: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a section in document order, or none where there is no such section."""
    section = root.find(section_tag)
    return () if section is None else tuple(flat_paragraphs(section, part, tag))


def _class(text: str) -> str:
    """Read `E03C 104`, which leaves out the slash of E03C 1/04. With more digits the cut would be a guess."""
    match = _UNSLASHED.fullmatch(text)
    return f"{match[1]} {int(match[2])}/{match[3]}" if match else class_symbol(text)


def _citation(cited: Any) -> str:
    country, number, kind = (text_at(cited, tag) for tag in ("CTRY", "DNUM", "KIND"))
    return publication_id(country or "US", number, kind)


_APS_BEGINS = re.compile(rb"(?:HHHHHT[^\r\n]*[\r\n]+)?\s*PATN\s*[\r\n]")
_APS_TAG = re.compile(r"([A-Z][A-Z0-9]{2,3})(?: +|$)")
_APS_CLASS = re.compile(r"([A-H]\d{2}[A-Z])\s?([\d ]{3})(\d{2,6})\s*")
_APS_KINDS = {"D": "S", "PP": "P", "RE": "E", "H": "H", "T": "I4"}
_APS_TEXTS = ("PARN", "GOVT", "BSUM", "DRWD", "DETD")
Lines = list[tuple[str, str]]
Sections = list[tuple[str, Lines]]
"""The parts of a patent with the tags and values in each."""


def recognises_aps(head: bytes) -> bool:
    """Tell it from the line that begins a patent."""
    return _APS_BEGINS.match(head) is not None


def aps_pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Cut a file where a patent begins."""
    lines: list[bytes] = []
    begun, size = 1, 0
    largest = context.limits.document_bytes

    def piece() -> Piece:
        return Piece(b"".join(lines), begun) if size <= largest else Piece.refused("a document", largest, begun)

    for number, line in enumerate(_lines(stream), 1):
        if line.rstrip() == b"PATN":
            if lines:
                yield piece()
            lines, begun, size = [], number, 0
        elif number == 1:
            begun = 2  # a head of the file
            continue
        size += len(line)
        if size <= largest:
            lines.append(line)
    if lines:
        yield piece()


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines, also where carriage returns alone end them."""
    rest = b""
    while block := stream.read(MEBIBYTE):
        *whole, rest = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", rest + block)
        yield from whole
    yield rest


def read_aps(piece: Piece, context: ReadContext) -> Patent:
    """Read one patent."""
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
        abstract=_aps_paragraphs(sections, "abstract", "ABST"),
        claims=_aps_claims(sections),
        description=_aps_paragraphs(sections, "description", *_APS_TEXTS),
        country="US",
        kind=kind,
        language="en",
        publication_date=iso_date(own.get("ISD")),
        application_date=iso_date(own.get("APD")),
        priority_date=min(filter(None, earlier), default=""),
        ipc=distinct(_aps_class(v) for name, lines in sections if name == "CLAS" for tag, v in lines if tag == "ICL"),
        applicants=_names(sections, "ASSG"),
        inventors=_names(sections, "INVT"),
        citations=distinct(_cited(sections)),
        source=context.file,
        format="USPTO APS",
    )


def _sections(content: bytes) -> Sections:
    """Return the parts; a line that begins with blanks goes on with the value before it."""
    sections: Sections = []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    for line in text.splitlines():
        match = _APS_TAG.match(line)
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
    return series, _APS_KINDS.get(series, "A"), digits.lstrip("0")


def _aps_paragraphs(sections: Sections, part: str, *wanted: str) -> tuple[Paragraph, ...]:
    found: list[Paragraph] = []
    for name, lines in sections:
        for tag, value in lines if name in wanted else ():
            if value and tag != "PAC":  # a heading
                found.append(Paragraph(" ".join(value.split()), passage_xpath(part, "p", len(found) + 1)))
    return tuple(found)


def _aps_claims(sections: Sections) -> tuple[Claim, ...]:
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


def _aps_class(value: str) -> str:
    match = _APS_CLASS.fullmatch(value)
    return class_symbol(f"{match[1]} {match[2].strip()}/{match[3]}") if match else class_symbol(value)


def _names(sections: Sections, section: str) -> tuple[str, ...]:
    names = (value for name, lines in sections if name == section for tag, value in lines if tag == "NAM")
    return distinct(name.replace("; ", ", ") for name in names)


def _cited(sections: Sections) -> Iterator[str]:
    for name, lines in sections:
        if name in ("UREF", "FREF"):
            values = dict(lines)
            yield publication_id("US" if name == "UREF" else values.get("CNT", "")[:2], values.get("PNO"), "")
