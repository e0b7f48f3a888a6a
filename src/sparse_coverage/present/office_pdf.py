"""PDF files from headings, paragraphs and tables, by the same calls as Word files. Needs the extra [office]."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.present.office import ROW_KEPT, Page, Words, printable, stretches, whole_ground

try:
    from reportlab.lib.pagesizes import A4
except ImportError:
    raise MissingExtraError("A PDF file", "office") from None

from reportlab.lib.pagesizes import landscape as lying
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import getFont, registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import CondPageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

_SIZES = {0: 18, 1: 13, 2: 11, 3: 10}
_INK, _DIM, _LINK = "#1D2530", "#5B6472", "#1B5A9E"
_EDGE = 2.0  # centimetres
_MOST_KEPT = 12.0  # centimetres of a heading and the first row of its table; a higher row is broken
_FONTS = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("Arial Unicode.ttf", "Arial Bold.ttf"),
    ("arial.ttf", "arialbd.ttf"),
)
_EASTERN = "STSong-Light"  # every reader of PDF has it or another one for the same characters


class PdfPage(Page):
    """A PDF file."""

    def __init__(self, title: str, *, landscape: bool = False) -> None:
        self._title = printable(title)
        self._landscape = landscape
        self._heading = self._paragraph(title, size=_SIZES[0], bold=True)
        self._parts: list[Any] = [self._heading]

    def heading(self, text: str, level: int = 1) -> None:
        """Add a heading, which goes to the next page where only a line or two would fit below it."""
        self._parts.append(CondPageBreak(4 * cm))
        self._heading = self._paragraph(text, size=_SIZES[level], bold=True, above=12 if level == 1 else 8)
        self._parts.append(self._heading)

    def paragraph(self, words: Words, *, indent: float = 0.0, with_next: bool = False) -> None:
        """Add a paragraph, so many centimetres from the left edge; `with_next`, on the page of what follows."""
        added = self._paragraph(words, indent=indent)
        added.keepWithNext = with_next
        if with_next and self._parts[-1] is self._heading:
            self._heading.keepWithNext = True  # before a table it need not be: a long one would begin on the next page
        self._parts.append(added)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Words]], widths: Sequence[float]) -> None:
        """Add a table whose header is repeated on every page; without a header (empty names) it is a list of facts."""
        shown = any(header)
        grounds = [[whole_ground(words) for words in row] for row in rows]
        cells = [[self._paragraph(words, size=9) for words, _ in row] for row in grounds]
        lengths = ["".join(one.text for words, _ in row for one in stretches(words)) for row in grounds]
        head = [[self._paragraph(name, size=9, bold=True) for name in header]] if shown else []
        if not head + cells:
            return
        grid = [("GRID", (0, 0), (-1, -1), 0.4, "#B8B4A9"), ("VALIGN", (0, 0), (-1, -1), "TOP")]
        grid += [("BACKGROUND", (0, 0), (-1, 0), "#EFEBE0")] if shown else []
        grid += [
            ("BACKGROUND", (across, down), (across, down), f"#{colour}")
            for down, row in enumerate(grounds, len(head))
            for across, (_, colour) in enumerate(row)
            if colour
        ]
        made = Table(
            head + cells,
            colWidths=[width * cm for width in widths],
            repeatRows=int(shown),
            splitByRow=1,
            splitInRow=int(any(len(one) > ROW_KEPT for one in lengths)),
            style=grid,
        )
        if self._parts[-1] is self._heading and len(self._parts) > 1:  # it is on the page of the first row
            begin = sum(_row_height(row, widths) for row in (head + cells)[: int(shown) + 1])
            self._parts[-2] = CondPageBreak(min(begin + 2 * cm, _MOST_KEPT * cm))
        self._parts += [made, Spacer(1, 8)]

    def content(self) -> bytes:
        """Return the file."""
        stream = io.BytesIO()
        size = lying(A4) if self._landscape else A4
        edges = {f"{side}Margin": _EDGE * cm for side in ("left", "right", "top", "bottom")}
        made = SimpleDocTemplate(stream, pagesize=size, title=self._title, author="", invariant=1, **edges)

        def number(canvas: Any, document: Any) -> None:
            canvas.setFont(_fonts()[0], 8)
            canvas.drawCentredString(size[0] / 2, cm, str(canvas.getPageNumber()))

        made.build(self._parts, onFirstPage=number, onLaterPages=number)
        return stream.getvalue()

    def _paragraph(
        self, words: Words, *, size: float = 10, bold: bool = False, indent: float = 0.0, above: float = 0
    ) -> Any:
        plain, strong = _fonts()
        style = ParagraphStyle(
            "text",
            fontName=strong if bold else plain,
            fontSize=size,
            leading=size * 1.3,
            leftIndent=indent * cm,
            spaceBefore=above,
            spaceAfter=0 if size == 9 else 4,
            textColor=_INK,
            splitLongWords=1,
        )
        return Paragraph("".join(_markup(stretch, strong) for stretch in stretches(words)) or "&nbsp;", style)


def _row_height(row: Sequence[Any], widths: Sequence[float]) -> float:
    """Return how high a row of a table is, with the space that is left around a cell."""
    return 6.0 + max(float(cell.wrap(width * cm - 12, 100 * cm)[1]) for cell, width in zip(row, widths, strict=True))


def _markup(stretch: Any, strong: str) -> str:
    text = _glyphs(printable(stretch.text), strong if stretch.bold else _fonts()[0]).replace("\n", "<br/>")
    if stretch.bold:
        text = f"<font name={quoteattr(strong)}>{text}</font>"
    if stretch.dim:
        text = f'<font color="{_DIM}">{text}</font>'
    if stretch.ground:
        text = f'<font backcolor="#{stretch.ground}">{text}</font>'
    return f'<a href={quoteattr(stretch.link)} color="{_LINK}">{text}</a>' if stretch.link else text


def _glyphs(text: str, font: str) -> str:
    """Return a text as markup in which every character has a font that holds it; one that none has becomes a question mark."""
    known = getFont(font).face.charToGlyph
    made: list[str] = []
    for letter in text:
        if ord(letter) in known or letter in "\n\t":
            made.append(escape(letter))
        elif "\u2e80" <= letter <= "\uffef":
            made.append(f'<font name="{_EASTERN}">{escape(letter)}</font>')
        else:
            made.append("?")
    return "".join(made)


@cache
def _fonts() -> tuple[str, str]:
    """Register a plain and a bold font that hold the letters of many languages, the best of those on this machine; return their names."""
    registerFont(UnicodeCIDFont(_EASTERN))
    plain, bold = next((pair for pair in _installed()), (None, None))
    registerFont(TTFont("Report", str(plain or "Vera.ttf")))
    registerFont(TTFont("Report-Bold", str(bold or "VeraBd.ttf")))
    return "Report", "Report-Bold"


def _installed() -> Iterable[tuple[Path, Path]]:
    """Yield the fonts found, a plain one and its bold one: those of matplotlib, where it is installed, or of the system."""
    folders = [
        Path("/usr/share/fonts/truetype/dejavu"),
        Path("/usr/share/fonts/dejavu"),
        Path("/Library/Fonts"),
        Path("/System/Library/Fonts/Supplemental"),
        Path("C:/Windows/Fonts"),
    ]
    if (spec := find_spec("matplotlib")) and spec.origin:
        folders.insert(0, Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf")
    for folder in folders:
        for plain, bold in _FONTS:
            if (folder / plain).is_file() and (folder / bold).is_file():
                yield folder / plain, folder / bold
