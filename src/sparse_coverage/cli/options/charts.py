"""What the commands about claim charts have in common: how elements and evidence are found, and the files to write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import gathered, path_option
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.charts.chart import Chart
    from sparse_coverage.charts.charting import Charts
    from sparse_coverage.charts.combining import Combinations
    from sparse_coverage.charts.elements import Element
    from sparse_coverage.patents import Claim


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """A user's own split of the claim, how evidence is found, and where to write which file; None for none."""

    elements: Path | None
    keep: bool
    calibration: Path | None
    html: Path | None
    docx: Path | None
    xlsx: Path | None

    def rows(self, claims: Sequence[Claim]) -> tuple[Element, ...] | None:
        """Return the elements that a user wrote down, or None."""
        from sparse_coverage.charts.elements import given_elements

        if self.elements is None:
            return None
        try:
            return given_elements(claims, self.elements.read_text(encoding="utf-8-sig").splitlines())
        except UnicodeDecodeError:
            raise InputError(f"{self.elements}: not UTF-8. Save it as UTF-8.") from None

    def charts(self, index: Path, threads: int | None) -> Charts:
        """Return what makes charts of an index."""
        from sparse_coverage.charts.charting import Charts
        from sparse_coverage.retrievers import open_index

        charts = Charts(open_index(index, threads=threads), self.calibration)
        if self.keep:
            charts.keep()
        return charts

    def write(self, chart: Chart, combinations: Combinations | None = None) -> list[Path]:
        """Write the files that were asked for; return them."""
        from sparse_coverage.files import write_bytes, write_text

        if self.html:
            from sparse_coverage.present.chart_page import chart_page

            write_text(self.html, chart_page(chart, combinations))
        if self.docx:
            from sparse_coverage.present.chart_office import chart_document

            write_bytes(self.docx, chart_document(chart))
        if self.xlsx:
            from sparse_coverage.present.chart_office import chart_workbook

            write_bytes(self.xlsx, chart_workbook(chart))
        return [path for path in (self.html, self.docx, self.xlsx) if path]


chart_options = gathered(
    "options",
    ChartOptions,
    path_option(
        "--elements",
        exists=True,
        dir_okay=False,
        help="Your own split of the claim: one element a line, in the words of the claim; a label and a tab may come first.",
    ),
    click.option(
        "--keep",
        is_flag=True,
        help="First keep the sentence vectors of the whole index, so that this is quick from then on.",
    ),
    path_option(
        "--calibration", exists=True, dir_okay=False, help="A calibration made by `calibrate -o` [that of the encoder]."
    ),
    path_option("--html", help="Write the chart as a page."),
    path_option("--docx", help="Write the chart as a Word file (extra [office])."),
    path_option("--xlsx", help="Write the chart as an Excel file (extra [office])."),
)


def tell_written(written: Sequence[Path], as_json: bool) -> None:
    """Say to people where files are."""
    for path in () if as_json else written:
        click.echo(f"Written: {path}")
