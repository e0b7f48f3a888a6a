"""PDF files with text: lines put together into paragraphs. Needs the extra [documents]. A scan has no text, and says so."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, BinaryIO

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.patents.cleaning import clean
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers import scans
from sparse_coverage.patents.readers.word_file import TextBlock, heading_of, patent_of, whole_file
from sparse_coverage.patents.reading.context import Piece, ReadContext, ReadError

_SCAN = "a PDF without text, as a scan is: no letters on {pages}. Recognise it by --ocr all (the extra [ocr]), or before with OCRmyPDF."
_FEW = 20  # letters a page, and fewer: a page number or a stamp on an image
_ONLY_NUMBER = re.compile(r"\W*\d{1,4}\W*")
_NEW = re.compile(r"\[\d{1,5}\]\s|\d{1,4}[.)]\s+[A-Z]")
_HEADING = re.compile(r"[^a-z]{4,60}")
_ENDED = (".", ":", ";", "!", "?")


def recognises(head: bytes) -> bool:
    """Tell a PDF from its beginning."""
    return head.startswith(b"%PDF-")


def pieces(stream: BinaryIO, context: ReadContext) -> Iterator[Piece]:
    """Yield the whole file."""
    yield whole_file(stream, context.limits)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read a PDF file."""
    if not isinstance(piece.content, bytes):
        raise ReadError(piece.cause)
    title, pages, columns = _pages(piece.content)
    is_scan = sum(map(len, pages)) <= _FEW * len(pages)
    if is_scan and context.settings.ocr:
        recognised = scans.recognised_pages(piece.content, context)
        blocks = [block for number, lines in recognised for block in _placed(lines, f"page {number}")]
        patent = patent_of([TextBlock(title, is_title=True), *blocks], context.file, "PDF by OCR")
        if not (patent.abstract or patent.claims or patent.description):
            raise ReadError("a scan on which no text was recognised.", document=patent.id)
        return patent
    if is_scan:
        raise ReadError(_SCAN.format(pages=f"its {len(pages)} pages" if len(pages) > 1 else "its one page"))
    if columns:  # a patent printed in numbered columns: each paragraph has its place, the other pages theirs
        kept = (
            columns.get(number) or [scans.Line(line) for line in page.splitlines()]
            for number, page in enumerate(pages, 1)
        )
        blocks = [block for number, lines in enumerate(kept, 1) for block in _placed(lines, f"page {number}")]
    else:
        blocks = [*map(TextBlock, paragraphs(pages))]
    return patent_of([TextBlock(title, is_title=True), *blocks], context.file, "PDF")


def _placed(lines: Sequence[scans.Line], page: str) -> Iterator[TextBlock]:
    """Yield the paragraphs of a page, each with where its first line stands."""
    at = 0
    for text in paragraphs(["\n".join(line.text for line in lines)]):
        begins = (n for n in range(at, len(lines)) if text.startswith(" ".join(lines[n].text.split())[:12]))
        at = next(begins, at)
        place = lines[at].place if lines else ""
        yield TextBlock(text, place=f"{page}, {place}" if place else page)


def _pages(content: bytes) -> tuple[str, list[str], dict[int, list[scans.Line]]]:
    """Return the title that a file gives itself, the text of each page, and the lines of those that have numbered columns."""
    try:
        import pypdf
    except ImportError:
        raise ReadError(f"a PDF. {MissingExtraError('Reading it', 'documents')}") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every oddity; what matters is what comes out
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReadError("a PDF that opens with a password only. Save it without one.")
        title = str((reader.metadata and reader.metadata.title) or "")
        title = title if " " in title and "." not in title[-5:] else ""
        pages = [page.extract_text() for page in reader.pages]
        columns = {
            number: _columns(page)
            for number, page in enumerate(reader.pages, 1)
            if {"5", "10", "15"} <= set(pages[number - 1].split())
        }
        return title, pages, {number: lines for number, lines in columns.items() if lines}
    except ReadError:
        raise
    except Exception as error:  # as with Word files
        raise ReadError(f"not readable as PDF: {error or type(error).__name__}") from None


def _columns(page: Any) -> list[scans.Line]:
    """Return the lines of a page in two numbered columns, in order and with their places; nothing for any other page."""
    boxes: list[scans.Box] = []

    def take(text: str, matrix: Sequence[float], own: Sequence[float], font: object, size: float) -> None:
        height = abs(size * own[3] * matrix[3]) or 10.0
        left = own[4] * matrix[0] + own[5] * matrix[2] + matrix[4]
        top = -(own[4] * matrix[1] + own[5] * matrix[3] + matrix[5])
        for number, line in enumerate(text.strip("\n").split("\n") if text.strip() else ()):
            width = 0.5 * height * len(line)
            boxes.append(scans.Box(left, left + width, top + 1.2 * height * number, height, line.strip(), 1.0))

    page.extract_text(visitor_text=take)
    lines = scans.in_reading_order([box for box in boxes if box.text])
    return lines if any(line.place for line in lines) else []


def paragraphs(pages: Sequence[str]) -> list[str]:
    """Put the lines of pages together. What stands on most pages (a running head), and numbers alone in a line, is left out.

    A paragraph ends at an empty line, before a printed number or a heading, and where a line ends a sentence well before the
    right edge.
    """
    lines = [line.strip() for page in pages for line in _without_heads(page, _heads(pages))]
    width = 0.8 * median([len(line) for line in lines if len(line) > 30] or [0])
    found, current = [], ""
    for line in lines:
        ended = current.endswith(_ENDED) and len(current.rpartition("\n")[2]) < width
        if current and (not line or ended or _NEW.match(line) or _is_heading(line) or _is_heading(current)):
            found.append(current)
            current = ""
        current = f"{current}\n{line}" if current and line else line or current
    whole = "\n\n".join([*found, current])
    # Only where the text has the whole word elsewhere does the hyphen at a line end go.
    return [" ".join(part.split()) for part in clean(whole, ["hyphenation"]).text.split("\n\n")]


def _is_heading(line: str) -> bool:
    return "\n" not in line and (_HEADING.fullmatch(line) is not None or heading_of(line) != "")


def _heads(pages: Sequence[str]) -> set[str]:
    """Return the first and last lines that stand on most of several pages, digits aside."""
    if len(pages) < 3:
        return set()
    edges = Counter(_shape(line) for page in pages for line in {*page.splitlines()[:2], *page.splitlines()[-2:]})
    return {shape for shape, count in edges.items() if count > len(pages) / 2}


def _without_heads(page: str, heads: set[str]) -> list[str]:
    lines = page.splitlines()
    edge = {*range(2), *range(len(lines) - 2, len(lines))}
    return [
        line
        for place, line in enumerate(lines)
        if not (place in edge and _shape(line) in heads) and not _ONLY_NUMBER.fullmatch(line)
    ]


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", " ".join(line.split()))
