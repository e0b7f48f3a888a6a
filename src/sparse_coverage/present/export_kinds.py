"""The files that results can be written as: one row each, from which the options, the page and the REST service take theirs.

What makes a file is loaded when one is made: whoever only lists the kinds need not wait for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PDF = "application/pdf"
_PAGES = {"docx": "office_word:WordPage", "pdf": "office_pdf:PdfPage"}
_HTML, _CSV = "text/html; charset=utf-8", "text/csv; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Export:
    """A kind of file: its name, which is its ending too, what people call it, its media type, what makes it, and what it shows.

    `maker` is "module:function" below `present`; that of a Word or PDF file is given what makes its pages. `passages` tells whether it
    shows passages and why they were found.
    """

    name: str
    label: str
    media: str
    maker: str
    passages: bool = True

    def make(self, *results: Any) -> bytes:
        """Return the content of the file for a result."""
        pages = [_found(_PAGES[self.name])] if self.name in _PAGES else []
        made = _found(self.maker)(*pages, *results)
        return made.encode("utf-8", "replace") if isinstance(made, str) else bytes(made)


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"sparse_coverage.present.{module}"), name)


def _named(*kinds: Export) -> dict[str, Export]:
    return {kind.name: kind for kind in kinds}


SEARCH_EXPORTS = _named(
    Export("html", "HTML", _HTML, "search_report:search_page"),
    Export("docx", "Word", _WORD, "search_report:search_document"),
    Export("xlsx", "Excel", _EXCEL, "search_report:search_workbook"),
    Export("pdf", "PDF", _PDF, "search_report:search_document"),
    Export("csv", "CSV", _CSV, "search_report:search_csv", passages=False),
)
"""Of a search."""
CHART_EXPORTS = _named(
    Export("html", "HTML", _HTML, "chart_files:chart_page"),
    Export("docx", "Word", _WORD, "chart_files:chart_document"),
    Export("xlsx", "Excel", _EXCEL, "chart_files:chart_workbook"),
    Export("pdf", "PDF", _PDF, "chart_files:chart_document"),
)
"""Of a chart, and the combinations it was made for."""
PROJECT_EXPORTS = _named(
    Export("docx", "Word", _WORD, "project_report:project_document"),
    Export("pdf", "PDF", _PDF, "project_report:project_document"),
    Export("xlsx", "Excel", _EXCEL, "project_report:project_workbook"),
    Export("csv", "CSV", _CSV, "project_report:project_csv"),
    Export("html", "HTML", _HTML, "project_report:project_page"),
    Export("json", "JSON", "application/json", "project_report:project_json"),
    Export("ris", "RIS", "application/x-research-info-systems", "project_report:project_ris"),
    Export("bib", "BibTeX", "application/x-bibtex", "project_report:project_bibtex"),
)
"""Of a project."""
