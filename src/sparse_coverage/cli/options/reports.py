"""The files that a search can leave: a page, a table, a Word file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sparse_coverage.cli.options import gathered, path_option

if TYPE_CHECKING:
    from sparse_coverage.present.findings import Findings

TITLE = "Prior art found"


@dataclass(frozen=True, slots=True)
class Reports:
    """Where to write which report; None for none."""

    html: Path | None
    docx: Path | None
    xlsx: Path | None
    csv: Path | None

    @property
    def documents(self) -> bool:
        """Whether anything is to be written that shows passages and why they were found."""
        return any((self.html, self.docx, self.xlsx))

    def __bool__(self) -> bool:
        return self.documents or self.csv is not None

    def write(self, findings: Findings) -> list[Path]:
        """Write the reports, and return where they are."""
        if not self:
            return []  # what writes them takes long to load
        from sparse_coverage.files import write_bytes, write_text
        from sparse_coverage.present.exports import findings_csv, findings_document, findings_workbook
        from sparse_coverage.present.report import render_findings

        if self.html:
            write_text(self.html, render_findings(findings, title=TITLE))
        if self.docx:
            write_bytes(self.docx, findings_document(findings, TITLE))
        if self.xlsx:
            write_bytes(self.xlsx, findings_workbook(findings))
        if self.csv:
            write_text(self.csv, findings_csv(findings))
        return [path for path in (self.html, self.docx, self.xlsx, self.csv) if path]


report_options = gathered(
    "reports",
    Reports,
    path_option("--html", help="Also write a page that shows every match in its place, and prints well."),
    path_option("--docx", help="Also write a Word file to annotate and send (extra [office])."),
    path_option("--xlsx", help="Also write an Excel file, a passage a row (extra [office])."),
    path_option("--csv", help="Also write the same table as CSV."),
)
