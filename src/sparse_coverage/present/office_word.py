"""Word files (.docx) from headings, paragraphs and tables. Needs the extra [office]."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.present.office import ROW_KEPT, Page, Words, printable, stretches, whole_ground

try:
    import docx
except ImportError:
    raise MissingExtraError("A Word file", "office") from None

from docx.enum.section import WD_ORIENT
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.shared import Cm, Pt, RGBColor
from docx.table import _Cell
from docx.text.paragraph import Paragraph

_DIM = "6B7280"
_KEPT_TOGETHER = 1200  # characters of a table that is not broken over two pages


class WordPage(Page):
    """A Word file."""

    def __init__(self, title: str, *, landscape: bool = False) -> None:
        self._document = docx.Document()
        self._properties(title)
        self._paper(landscape)
        self._fonts()
        self._document.add_heading(printable(title), 0)

    def heading(self, text: str, level: int = 1) -> None:
        """Add a heading."""
        self._document.add_heading(printable(text), level)

    def paragraph(self, words: Words, *, indent: float = 0.0, with_next: bool = False) -> None:
        """Add a paragraph, so many centimetres from the left edge; `with_next`, on the page of what follows."""
        added = self._document.add_paragraph()
        added.paragraph_format.left_indent = Cm(indent)
        added.paragraph_format.keep_with_next = with_next or None
        self._write(added, words)

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Words]], widths: Sequence[float]) -> None:
        """Add a table whose header is repeated on every page; without a header (empty names) it is a list of facts."""
        shown = any(header)
        table = self._document.add_table(rows=1 if shown else 0, cols=len(widths))
        table.style = "Table Grid"
        table.autofit = False
        for column, width in zip(table.columns, widths, strict=True):
            column.width = Cm(width)
        if shown:
            for cell, name, width in zip(table.rows[0].cells, header, widths, strict=True):
                self._fill(cell, name, width, bold=True)
                _shade(cell._tc.get_or_add_tcPr(), "EFEBE0")
            repeated = OxmlElement("w:tblHeader")
            repeated.set(qn("w:val"), "true")
            table.rows[0]._tr.get_or_add_trPr().append(repeated)
        for row in rows:
            added = table.add_row()
            if sum(len(one.text) for words in row for one in stretches(words)) <= ROW_KEPT:
                added._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
            for cell, words, width in zip(added.cells, row, widths, strict=True):
                words, colour = whole_ground(words)
                self._fill(cell, words, width)
                if colour:
                    _shade(cell._tc.get_or_add_tcPr(), colour)
        # A short table stays on one page; of a long one the first row stays with the header, so that no page is left half empty.
        is_short = sum(len(cell.text) for row_cells in table.rows for cell in row_cells.cells) <= _KEPT_TOGETHER
        for number, row_cells in enumerate(table.rows[:-1]):
            if is_short or number == 0:
                for cell in row_cells.cells:
                    cell.paragraphs[0].paragraph_format.keep_with_next = True
        self._document.add_paragraph()

    def content(self) -> bytes:
        """Return the file."""
        stream = io.BytesIO()
        self._document.save(stream)
        return stream.getvalue()

    def _fill(self, cell: _Cell, words: Words, width: float, *, bold: bool = False) -> None:
        cell.width = Cm(width)
        cell.paragraphs[0].paragraph_format.space_before = Pt(3)
        self._write(cell.paragraphs[0], words, bold=bold, size=9)

    def _write(self, paragraph: Paragraph, words: Words, *, bold: bool = False, size: float | None = None) -> None:
        paragraph.paragraph_format.space_after = Pt(4)
        for stretch in stretches(words):
            if stretch.link:
                _link(paragraph, printable(stretch.text), stretch.link, size)
                continue
            run = paragraph.add_run(printable(stretch.text))
            run.bold = stretch.bold or bold or None
            run.font.size = Pt(size) if size else None
            if stretch.dim:
                run.font.color.rgb = RGBColor.from_string(_DIM)
            if stretch.ground:
                _shade(run._r.get_or_add_rPr(), stretch.ground)

    def _properties(self, title: str) -> None:
        properties = self._document.core_properties
        properties.title, properties.author, properties.comments = printable(title)[:255], "", ""
        properties.created = properties.modified = datetime.now(timezone.utc).replace(tzinfo=None)

    def _paper(self, landscape: bool) -> None:
        section = self._document.sections[0]
        short, long = Cm(21), Cm(29.7)
        section.page_width, section.page_height = (long, short) if landscape else (short, long)
        section.orientation = WD_ORIENT.LANDSCAPE if landscape else WD_ORIENT.PORTRAIT
        section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(2)
        foot = section.footer.paragraphs[0]
        foot.alignment = 1
        _field(foot.add_run()._r, "PAGE")

    def _fonts(self) -> None:
        styles: Any = self._document.styles
        for name, size in (("Normal", 10), ("Title", 18), ("Heading 1", 13), ("Heading 2", 11), ("Heading 3", 10)):
            font = styles[name].font
            font.name, font.size = "Calibri", Pt(size)
            font.color.rgb = RGBColor(0x1D, 0x25, 0x30)
            # A heading's font is that of the theme, unless it is named for every script.
            fonts = styles[name].element.get_or_add_rPr().get_or_add_rFonts()
            for script in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
                fonts.attrib.pop(qn(f"w:{script}"), None)


def _shade(properties: Any, colour: str) -> None:
    shading = OxmlElement("w:shd")
    for name, value in (("val", "clear"), ("color", "auto"), ("fill", colour)):
        shading.set(qn(f"w:{name}"), value)
    properties.append(shading)


def _link(paragraph: Paragraph, text: str, address: str, size: float | None) -> None:
    """Add a link: python-docx can read them, but has no call that makes one."""
    run = paragraph.add_run(text)
    run.font.underline = True
    run.font.size = Pt(size) if size else None
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run._r.addprevious(link)
    link.append(run._r)


def _field(run: Any, name: str) -> None:
    for kind in ("begin", "", "end"):
        part = OxmlElement("w:fldChar" if kind else "w:instrText")
        if kind:
            part.set(qn("w:fldCharType"), kind)
        else:
            part.text = name
        run.append(part)
