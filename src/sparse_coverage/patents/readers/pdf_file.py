"""PDF files with text: lines put together into paragraphs. Needs the extra [documents]. A scan has no text, and says so."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import BinaryIO

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.patents.cleaning import clean
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.documents import TextBlock, heading_of, patent_of
from sparse_coverage.patents.readers.word_file import whole_file
from sparse_coverage.patents.reading.context import Limits, Piece, ReadContext, ReadError

_SCAN = "a PDF without text, as a scan is: no letters on {pages}. Recognise the text first, as with OCRmyPDF."
_FEW = 20  # letters a page, and fewer: a page number or a stamp on an image
_ONLY_NUMBER = re.compile(r"\W*\d{1,4}\W*")
_NEW = re.compile(r"\[\d{1,5}\]\s|\d{1,4}[.)]\s+[A-Z]")
_HEADING = re.compile(r"[^a-z]{4,60}")
_ENDED = (".", ":", ";", "!", "?")


def recognises(head: bytes) -> bool:
    """Tell a PDF from its beginning."""
    return head.startswith(b"%PDF-")


def pieces(stream: BinaryIO, limits: Limits) -> Iterator[Piece]:
    """Yield the whole file."""
    yield whole_file(stream, limits)


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read a PDF file."""
    if not isinstance(piece.content, bytes):
        raise ReadError(piece.cause)
    title, pages = _pages(piece.content)
    if sum(map(len, pages)) <= _FEW * len(pages):
        raise ReadError(_SCAN.format(pages=f"its {len(pages)} pages" if len(pages) > 1 else "its one page"))
    blocks = [TextBlock(title, is_title=True), *map(TextBlock, paragraphs(pages))]
    return patent_of(blocks, context.file, "PDF")


def _pages(content: bytes) -> tuple[str, list[str]]:
    """Return the title that a file gives itself, and the text of each page."""
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
        return title if " " in title and "." not in title[-5:] else "", [page.extract_text() for page in reader.pages]
    except ReadError:
        raise
    except Exception as error:  # as with Word files
        raise ReadError(f"not readable as PDF: {error or type(error).__name__}") from None


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
