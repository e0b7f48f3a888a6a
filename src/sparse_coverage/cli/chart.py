"""`sparse-coverage chart`: which elements of a claim each document discloses."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, threads_option
from sparse_coverage.cli.options.charts import (
    calibration_option,
    chart_files,
    elements_option,
    read_elements,
    write_chart_files,
)
from sparse_coverage.cli.options.filtering import FilterOptions, conditions_of, filter_options
from sparse_coverage.cli.options.inputs import read_query


@click.command(no_args_is_help=True)
@index_argument
@click.argument("claim")
@click.argument("documents", nargs=-1, metavar="[ID]...")
@count_option("-k", default=5, help="Without IDs: how many of the documents that a search finds.")
@elements_option
@filter_options
@click.option(
    "--keep",
    is_flag=True,
    help="First keep the sentence vectors of the whole index, so that charts are quick from then on.",
)
@calibration_option
@chart_files
@threads_option
@json_option
def command(
    index: Path,
    claim: str,
    documents: tuple[str, ...],
    k: int,
    elements: Path | None,
    filters: FilterOptions,
    keep: bool,
    calibration: Path | None,
    html: Path | None,
    docx: Path | None,
    xlsx: Path | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Set each element of CLAIM against documents: disclosed, partly or not found, with quotations and their places.

    CLAIM is the text of one claim or of several that are numbered, @FILE, or - for standard input. A dependent claim gives what
    it adds. Without any ID, the documents are those that a search for the claim finds.

    \b
    Example:
      sparse-coverage chart my-index @claim.txt EP-1234567-A1 EP-2345678-A1
      sparse-coverage chart my-index @claim.txt -k 10 --before 2001-05-17 --html chart.html --docx chart.docx
      sparse-coverage chart my-index @claim.txt --elements elements.txt --xlsx chart.xlsx
    """
    from sparse_coverage.charts.charting import Charts
    from sparse_coverage.charts.elements import read_claims
    from sparse_coverage.present.chart_text import chart_text
    from sparse_coverage.retrievers import open_index

    claims = read_claims(read_query(claim, "claim").text)
    rows = read_elements(elements, claims)
    condition = conditions_of(index, filters).filter
    charts = Charts(open_index(index, threads=threads), calibration)
    if keep:
        charts.keep()
    chart = charts.chart(claims, documents, k=k, elements=rows, filter=condition)
    written = write_chart_files(chart, html, docx, xlsx)
    show(chart, as_json, lambda: chart_text(chart, quotations=not written))
    if not as_json:
        for path in written:
            click.echo(f"Written: {path}")
