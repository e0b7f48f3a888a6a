"""Options of the commands about claim charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sparse_coverage.cli.options import path_option, together
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.charts.chart import Chart
    from sparse_coverage.charts.combining import Combinations
    from sparse_coverage.charts.elements import Element
    from sparse_coverage.patents import Claim

elements_option = path_option(
    "--elements",
    exists=True,
    dir_okay=False,
    help="Your own split of the claim: one element a line, in the words of the claim; a label and a tab may come first.",
)
calibration_option = path_option(
    "--calibration", exists=True, dir_okay=False, help="A calibration made by `calibrate -o` [that of the encoder]."
)
chart_files = together(
    path_option("--html", help="Write the chart as a page."),
    path_option("--docx", help="Write the chart as a Word file (extra [office])."),
    path_option("--xlsx", help="Write the chart as an Excel file (extra [office])."),
)


def read_elements(path: Path | None, claims: Sequence[Claim]) -> tuple[Element, ...] | None:
    """Return the elements that a user wrote down, or None."""
    from sparse_coverage.charts.elements import given_elements

    if path is None:
        return None
    try:
        return given_elements(claims, path.read_text(encoding="utf-8-sig").splitlines())
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save it as UTF-8.") from None


def write_chart_files(
    chart: Chart, html: Path | None, docx: Path | None, xlsx: Path | None, combinations: Combinations | None = None
) -> list[Path]:
    """Write the files that were asked for; return them."""
    from sparse_coverage.files import write_text

    if html:
        from sparse_coverage.present.chart_page import chart_page

        write_text(html, chart_page(chart, combinations))
    if docx:
        from sparse_coverage.present.chart_office import chart_document

        docx.write_bytes(chart_document(chart))
    if xlsx:
        from sparse_coverage.present.chart_office import chart_workbook

        xlsx.write_bytes(chart_workbook(chart))
    return [path for path in (html, docx, xlsx) if path]
