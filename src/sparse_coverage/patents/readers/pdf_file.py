"""PDF files: lines put together into paragraphs (the extra [documents]).

The text of a scan comes by optical character recognition, columns in order (the extra [ocr], which carries its models).
"""

from __future__ import annotations

import hashlib
import io
import logging
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from statistics import mean, median
from typing import Any, NamedTuple

from sparse_coverage.errors import InputError, MissingExtraError
from sparse_coverage.patents.hyphens import join_broken_words
from sparse_coverage.patents.patent import Patent
from sparse_coverage.patents.readers.text_files import NUMBERED, TextBlock, heading_of, is_title_line, patent_of
from sparse_coverage.patents.reading.context import Piece, ReadContext, ReadError
from sparse_coverage.progress import tracked

_SCAN = "a PDF without text, as a scan is: no letters on {pages}. Recognise it by --ocr all (the extra [ocr]), or before with OCRmyPDF."
_FEW = 20  # letters a page, and fewer: a page number or a stamp on an image
_ONLY_NUMBER = re.compile(r"\W*\d{1,4}\W*")
_NEW = re.compile(r"\[\d{1,5}\]\s|\d{1,4}[.)]\s+[A-Z]")
_HEADING = re.compile(r"[^a-z]{4,60}")
_ENDED = (".", ":", ";", "!", "?")
_AROUND = (
    3,
    40,
)  # so many lines before and after where a paragraph should begin it is looked for: between may be heads and feet of pages


def recognises(head: bytes) -> bool:
    """Tell a PDF from its beginning."""
    return head.startswith(b"%PDF-")


def read(piece: Piece, context: ReadContext) -> Patent:
    """Read a PDF file."""
    title, pages, columns = _pages(piece.content)
    is_scan = sum(map(len, pages)) <= _FEW * len(pages)
    if is_scan and context.settings.ocr:
        recognised = recognised_pages(piece.content, context)
        blocks = [block for number, lines in recognised for block in _placed(lines, f"page {number}")]
        patent = patent_of([TextBlock(title, is_title=True), *blocks], context.file, "PDF by OCR")
        if not (patent.abstract or patent.claims or patent.description):
            raise ReadError("a scan on which no text was recognised.", document=patent.id)
        return patent
    if is_scan:
        raise ReadError(_SCAN.format(pages=f"its {len(pages)} pages" if len(pages) > 1 else "its one page"))
    if columns:  # a patent printed in numbered columns: each paragraph has its place, the other pages theirs
        kept = (
            columns.get(number) or [Line(line) for line in page.splitlines()] for number, page in enumerate(pages, 1)
        )
        blocks = [block for number, lines in enumerate(kept, 1) for block in _placed(lines, f"page {number}")]
    else:
        blocks = _paged(pages)
        if not title and len(blocks) > 1 and is_title_line(blocks[0].text) and heading_of(blocks[1].text):
            title, blocks = blocks[0].text, blocks[1:]
    return patent_of([TextBlock(title, is_title=True), *blocks], context.file, "PDF")


def _paged(pages: Sequence[str]) -> list[TextBlock]:
    """Return the paragraphs of pages, each with the page on which it begins; without, where paragraphs have printed numbers."""
    texts = paragraphs(pages)
    if any(NUMBERED.match(text) for text in texts):
        return [*map(TextBlock, texts)]
    lines = [
        Line(line, f"page {number}")
        for number, page in enumerate(pages, 1)
        for line in page.splitlines()
        if line.strip()
    ]
    return [TextBlock(text, place=place) for text, place in zip(texts, _places(texts, lines), strict=True)]


def _placed(lines: Sequence[Line], page: str) -> Iterator[TextBlock]:
    """Yield the paragraphs of a page, each with where its first line stands."""
    texts = paragraphs(["\n".join(line.text for line in lines)])
    for text, place in zip(texts, _places(texts, lines), strict=True):
        yield TextBlock(text, place=f"{page}, {place}" if place else page)


def _places(texts: Sequence[str], lines: Sequence[Line]) -> Iterator[str]:
    """Yield the place of the line with which each of the texts begins: near where the text before it ends, by its length."""
    whole = [" ".join(line.text.split()).rstrip("-") for line in lines]
    ends = list(accumulate(len(one) + 1 for one in whole))
    last, expected = -1, 0
    for text in texts:
        near = range(max(last + 1, expected - _AROUND[0]), min(expected + _AROUND[1], len(lines)))
        begins = (number for number in near if whole[number] and text.startswith(whole[number]))
        last = next(begins, min(expected, len(lines) - 1))
        yield lines[last].place if lines else ""
        expected = bisect_right(ends, ends[last] - len(whole[last]) + len(text)) if lines else 0


def _pages(content: bytes) -> tuple[str, list[str], dict[int, list[Line]]]:
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


def _columns(page: Any) -> list[Line]:
    """Return the lines of a page in two numbered columns, in order and with their places; nothing for any other page."""
    boxes: list[Box] = []

    def take(text: str, matrix: Sequence[float], own: Sequence[float], font: object, size: float) -> None:
        height = abs(size * own[3] * matrix[3]) or 10.0
        left = own[4] * matrix[0] + own[5] * matrix[2] + matrix[4]
        top = -(own[4] * matrix[1] + own[5] * matrix[3] + matrix[5])
        for number, line in enumerate(text.strip("\n").split("\n") if text.strip() else ()):
            width = 0.5 * height * len(line)
            boxes.append(Box(left, left + width, top + 1.2 * height * number, height, line.strip(), 1.0))

    page.extract_text(visitor_text=take)
    lines = in_reading_order([box for box in boxes if box.text])
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
    return [" ".join(part.split()) for part in join_broken_words(whole).split("\n\n")]


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


_DOTS_AN_INCH = 200
_SURE = 0.8  # mean confidence of a page whose lines stand upright
_INK = 110  # darker is ink, lighter is paper or noise
_SPACE = 0.19  # of the height of a line: a wider gap is a space
_LINE_NUMBER = re.compile(r"\d{1,2}")
ALL_PAGES = "all"


@dataclass(frozen=True, slots=True)
class Box:
    """A piece of text on a page: its left and right edge, the height of its middle, its height, and how sure it is."""

    left: float
    right: float
    middle: float
    height: float
    text: str
    score: float


def wanted_pages(wanted: str, count: int) -> list[int]:
    """Return the pages to recognise, from 1: `all` of them, or a list such as 1,3-5.

    >>> wanted_pages("all", 3), wanted_pages("2-9", 3)
    ([1, 2, 3], [2, 3])
    """
    if wanted == ALL_PAGES:
        return list(range(1, count + 1))
    pages: list[int] = []
    for part in wanted.split(","):
        match = re.fullmatch(r"\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?\s*", part)
        if match is None:
            raise InputError(
                f"Pages are 'all', or numbers with commas and dashes between them, as 1,3-5, not '{wanted}'."
            )
        pages += range(int(match[1]), int(match[2] or match[1]) + 1)
    return [page for page in dict.fromkeys(pages) if 1 <= page <= count]


class Line(NamedTuple):
    """A line of a page, and where it stands in words: "column 3, line 12" where columns and lines are numbered in print."""

    text: str
    place: str = ""


Recognised = tuple[list[tuple[int, list[Line]]], list[float]]
_KNOWN: dict[tuple[bytes, str], Recognised] = {}
_MOST_KNOWN = 500


def recognised_pages(content: bytes, context: ReadContext) -> list[tuple[int, list[Line]]]:
    """Return the lines of the wanted pages of a PDF, in the order in which they are read, and note how sure they are."""
    try:
        import pypdfium2
    except ImportError:
        raise ReadError(f"a scan. {MissingExtraError('Recognising its text', 'ocr')}") from None
    key = hashlib.sha256(content).digest(), context.settings.ocr
    found, scores = _KNOWN.get(key) or _recognised(pypdfium2, content, context.settings.ocr)
    _KNOWN[key] = found, scores  # a build reads its files twice, and this takes a minute a page on a slow machine
    if len(_KNOWN) > _MOST_KNOWN:
        _KNOWN.pop(next(iter(_KNOWN)))
    sure = f"{mean(scores):.0%}" if scores else "none"
    context.report_note(f"read by optical character recognition: {len(found)} pages, mean confidence {sure}")
    return found


def _recognised(pypdfium2: Any, content: bytes, wanted: str) -> Recognised:
    engine = _engine()
    found: list[tuple[int, list[Line]]] = []
    scores: list[float] = []
    document = pypdfium2.PdfDocument(content)
    try:
        pages = wanted_pages(wanted, len(document))
        for number in tracked(pages, "Recognising text on pages"):
            image = document[number - 1].render(scale=_DOTS_AN_INCH / 72).to_numpy()
            boxes = _boxes(_lines_found(engine, image), image)
            scores += [box.score for box in boxes]
            found.append((number, in_reading_order(boxes)))
    finally:
        document.close()
    return found, scores


def _lines_found(engine: Any, image: Any) -> list[Any]:
    """Return the lines that were recognised on a page.

    Guessing which way up each line stands loses some that stand upright, so that is done only where a page reads badly.
    """
    upright = engine(image, return_word_box=True, use_cls=False)[0] or []
    if upright and mean(float(line[2]) for line in upright) > _SURE:
        return list(upright)
    turned = engine(image, return_word_box=True, use_cls=True)[0] or []
    return list(max(upright, turned, key=lambda lines: sum(float(line[2]) for line in lines)))


def in_reading_order(boxes: Sequence[Box]) -> list[Line]:
    """Return the lines of a page: of two columns the left one first. Numbers of columns and lines are left out, and kept as places.

    >>> page = [Box(1, 4, 1, 1, "a", 1), Box(6, 9, 1, 1, "c", 1), Box(1, 4, 2, 1, "b", 1), Box(6, 9, 2, 1, "d", 1)]
    >>> [line.text for line in in_reading_order(page * 3)]
    ['a a a', 'b b b', 'c c c', 'd d d']
    """
    if not boxes:
        return []
    middle = (min(box.left for box in boxes) + max(box.right for box in boxes)) / 2
    numbers = [box for box in boxes if _LINE_NUMBER.fullmatch(box.text.strip()) and _is_near(box, middle, boxes)]
    texts = [box for box in boxes if box not in numbers]
    left = [box for box in texts if box.right <= middle]
    right = [box for box in texts if box.left >= middle]
    across = [box for box in texts if box.left < middle < box.right]
    if min(len(left), len(right)) < 4 or len(across) > 0.3 * len(texts):
        return _lines(texts)
    heads = [_column_number(column) for column in (left, right)]
    known = heads[0] is not None and heads[1] is not None and int(heads[1].text) == int(heads[0].text) + 1
    columns = [
        _lines(
            [box for box in column if not known or box is not head], int(head.text) if known and head else 0, numbers
        )
        for column, head in zip((left, right), heads, strict=True)
    ]
    top = min(box.middle for box in (*left, *right))
    above = [box for box in across if box.middle < top]
    below = [box for box in across if box.middle >= top]
    return [*_lines(above), *columns[0], *columns[1], *_lines(below)]


def _column_number(column: Sequence[Box]) -> Box | None:
    """Return the number that is printed above a column, about its middle."""
    first = min(column, key=lambda box: box.middle)
    left, right = min(box.left for box in column), max(box.right for box in column)
    is_central = abs((first.left + first.right) / 2 - (left + right) / 2) < 0.15 * (right - left)
    return first if re.fullmatch(r"\d{1,3}", first.text.strip()) and is_central else None


def _is_near(box: Box, middle: float, boxes: Sequence[Box]) -> bool:
    width = max(one.right for one in boxes) - min(one.left for one in boxes)
    return abs((box.left + box.right) / 2 - middle) < 0.06 * width


def _lines(boxes: Sequence[Box], column: int = 0, numbers: Sequence[Box] = ()) -> list[Line]:
    """Put the boxes of a column together into lines from top to bottom; of a numbered column each has its place."""
    lines: list[list[Box]] = []
    for box in sorted(boxes, key=lambda one: one.middle):
        if lines and abs(box.middle - mean(one.middle for one in lines[-1])) < 0.5 * box.height:
            lines[-1].append(box)
        else:
            lines.append([box])
    made = []
    for place, line in enumerate(lines, 1):
        text = " ".join(box.text for box in sorted(line, key=lambda one: one.left))
        made.append(Line(text, f"column {column}, line {_line_number(line, place, numbers)}" if column else ""))
    return made


def _line_number(line: Sequence[Box], place: int, numbers: Sequence[Box]) -> int:
    """Return the number of a line: between the printed ones (5, 10, …) by its height, without any by counting."""
    printed = sorted((box.middle, int(box.text)) for box in numbers if int(box.text) % 5 == 0)
    if len(printed) < 2:
        return place
    (top, first), (bottom, last) = printed[0], printed[-1]
    height = mean(box.middle for box in line)
    return max(1, round(first + (height - top) * (last - first) / (bottom - top))) if bottom > top else place


def _spaced(image: Any, corners: Sequence[Any], text: str, places: Sequence[Any], signs: Sequence[str]) -> str:
    """Return a line with its spaces, which recognition often loses: they are where the picture has wide gaps without ink."""
    if text.strip().isdigit():  # the number of a line or a column
        return text
    left, right = (int(edge(corner[0] for corner in corners)) for edge in (min, max))
    top, bottom = (int(edge(corner[1] for corner in corners)) for edge in (min, max))
    grey = image[max(top, 0) : bottom, max(left, 0) : right]
    grey = grey.min(axis=2) if grey.ndim == 3 else grey
    if not grey.size or len(signs) != len(places):
        return text
    inked = (grey < _INK).sum(axis=0) > 0
    height = math.hypot(corners[3][0] - corners[0][0], corners[3][1] - corners[0][1])
    gaps, begun = [], None
    for place, ink in enumerate(inked.tolist()):
        if not ink and begun is None:
            begun = place
        elif ink and begun is not None:
            if begun > 0 and place - begun > _SPACE * height:
                gaps.append(left + (begun + place) / 2)
            begun = None
    spaced = ""
    for sign, place in zip(signs, places, strict=True):
        if not sign.strip():
            continue
        middle = (place[0][0] + place[1][0]) / 2
        if gaps and middle > gaps[0]:
            spaced += " "
            while gaps and middle > gaps[0]:
                gaps.pop(0)
        spaced += sign
    return spaced.strip() or text


def _boxes(found: Sequence[Any], image: Any) -> list[Box]:
    """Return what was recognised, with the skew of the page taken out of the places."""
    angles = [math.atan2(corner[1][1] - corner[0][1], corner[1][0] - corner[0][0]) for corner, *_ in found]
    skew = median(angles) if angles else 0.0
    turned = math.cos(-skew), math.sin(-skew)
    boxes = []
    for corners, text, score, *more in found:
        text = _spaced(image, corners, str(text), more[0], more[1]) if len(more) > 1 else str(text)
        across = [x * turned[0] - y * turned[1] for x, y in corners]
        down = [x * turned[1] + y * turned[0] for x, y in corners]
        height = max(down) - min(down)
        boxes.append(Box(min(across), max(across), mean(down), height, text, float(score)))
    return boxes


@cache
def _engine() -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError:
        raise ReadError(f"a scan. {MissingExtraError('Recognising its text', 'ocr')}") from None
    return RapidOCR()
