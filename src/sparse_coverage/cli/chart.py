"""`sparse-coverage chart`: which elements of a claim each document discloses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, threads_option
from sparse_coverage.cli.options.charts import ChartOptions, chart_options, tell_written
from sparse_coverage.cli.options.filtering import conditions_of, filter_options
from sparse_coverage.cli.options.inputs import read_query

if TYPE_CHECKING:
    from sparse_coverage.search.conditions import FilterOptions


@click.command(no_args_is_help=True)
@index_argument
@click.argument("claim")
@click.argument("documents", nargs=-1, metavar="[ID]...")
@count_option("-k", default=5, help="Without IDs: how many of the documents that a search finds.")
@filter_options
@chart_options
@threads_option
@json_option
def command(
    index: Path,
    claim: str,
    documents: tuple[str, ...],
    k: int,
    filters: FilterOptions,
    options: ChartOptions,
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
    from sparse_coverage.charts.elements import read_claims
    from sparse_coverage.present.chart_text import chart_text

    claims = read_claims(read_query(claim, "claim").text)
    rows = options.rows(claims)
    condition = conditions_of(index, filters).filter
    charts = options.charts(index, threads)
    chart = charts.chart(claims, documents, k=k, elements=rows, filter=condition)
    written = options.write(chart)
    show(chart, as_json, lambda: chart_text(chart, quotations=not written))
    tell_written(written, as_json)
