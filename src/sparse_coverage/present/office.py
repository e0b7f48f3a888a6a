"""What Word, PDF and Excel files share here: stretches of text with a look of their own, and text that all of them can hold.

`office_word.WordPage` makes a .docx and `office_pdf.PdfPage` a .pdf by the same calls, `office_sheet.workbook` an .xlsx; all return bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sparse_coverage.printing import harmless

_UNPRINTABLE = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


ROW_KEPT = 1200
"""A row of a table, or what stands above one, with at most so many characters is not broken over two pages."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of text of one look: bold or dim, on a coloured ground (`FFE08A`), or a link."""

    text: str
    bold: bool = False
    dim: bool = False
    ground: str = ""
    link: str = ""


Words = str | Stretch | Sequence[Stretch]
"""A text, or one made of stretches."""


class Page(Protocol):
    """A document that grows from top to bottom; `content` gives it as bytes.

        page = WordPage("Prior art found")
        page.heading("Documents")
        page.table(("rank", "document"), [("1", Stretch("EP-1-A1", link="https://…"))], widths=(1.5, 15))
        Path("report.docx").write_bytes(page.content())

    Widths are in centimetres. Text is A4, upright or `landscape`, and every page has its number at the foot.
    """

    def heading(self, text: str, level: int = 1) -> None:
        """Add a heading."""

    def paragraph(self, words: Words, *, indent: float = 0.0, with_next: bool = False) -> None:
        """Add a paragraph, so many centimetres from the left edge; `with_next`, on the page of what follows."""

    def table(self, header: Sequence[str], rows: Iterable[Sequence[Words]], widths: Sequence[float]) -> None:
        """Add a table whose header is repeated on every page; without a header (empty names) it is a list of facts."""

    def content(self) -> bytes:
        """Return the file."""


NewPage = Callable[..., Page]
"""Makes a page of a title, upright unless it is told to be `landscape`."""


def stretches(words: Words) -> list[Stretch]:
    """Return a text as stretches.

    >>> stretches("a valve")
    [Stretch(text='a valve', bold=False, dim=False, ground='', link='')]
    """
    if isinstance(words, str):
        return [Stretch(words)]
    return [words] if isinstance(words, Stretch) else list(words)


def printable(text: str) -> str:
    r"""Return a text without the control characters and halves of characters that no XML file may hold, and what turns letters round.

    >>> printable("a\x0bvalve\ud800")
    'avalve'
    """
    return _UNPRINTABLE.sub("", harmless(text))


def whole_ground(words: Words) -> tuple[Words, str]:
    """Return the words of a cell without their ground, and the ground, where one stretch is all there is: it is then the cell's."""
    if isinstance(words, Stretch) and words.ground:
        return replace(words, ground=""), words.ground
    return words, ""


def ground(share: float) -> str:
    """Return the colour behind a matched phrase: the larger its share of the strongest one (0 to 1), the deeper.

    >>> ground(1.0), ground(0.0)
    ('FFD54A', 'FFF6DA')
    """
    share = min(max(share, 0.0), 1.0)
    pale, deep = (0xFF, 0xF6, 0xDA), (0xFF, 0xD5, 0x4A)
    return "".join(f"{round(low + (high - low) * share):02X}" for low, high in zip(pale, deep, strict=True))
