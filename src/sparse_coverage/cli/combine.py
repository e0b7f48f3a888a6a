"""`sparse-coverage combine`: which few documents together disclose a whole claim."""

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
@count_option("--max", "most", default=2, help="The most documents in a combination; exact up to 3, one by one beyond.")
@count_option("--top", default=200, help="How many of the documents that a search finds are looked at.")
@elements_option
@filter_options
@click.option(
    "--keep",
    is_flag=True,
    help="First keep the sentence vectors of the whole index, so that this is quick from then on.",
)
@calibration_option
@chart_files
@threads_option
@json_option
def command(
    index: Path,
    claim: str,
    most: int,
    top: int,
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
    """Find the fewest documents that together disclose every element of CLAIM: the closest one, then what adds what it lacks.

    Combinations in which every element is disclosed come first, then those with the stronger weakest element, then those of
    nearer fields (IPC). Two documents of one family are never combined. Files show the documents of the combinations.

    \b
    Example:
      sparse-coverage combine my-index @claim.txt --max 2 --before 2001-05-17 --not-family-of EP-1246167-A1
    """
    from dataclasses import replace

    from sparse_coverage.charts.charting import Charts
    from sparse_coverage.charts.elements import read_claims
    from sparse_coverage.present.chart_text import combinations_text
    from sparse_coverage.retrievers import open_index

    claims = read_claims(read_query(claim, "claim").text)
    rows = read_elements(elements, claims)
    condition = conditions_of(index, filters).filter
    charts = Charts(open_index(index, threads=threads), calibration)
    if keep:
        charts.keep()
    found, chart = charts.combine(claims, most=most, top=top, elements=rows, filter=condition)
    used = {part.document for one in found.found for part in one.parts} or {one.id for one in chart.documents[:5]}
    places = [place for place, column in enumerate(chart.documents) if column.id in used]
    shown = replace(
        chart,
        documents=tuple(chart.documents[place] for place in places),
        cells=tuple(tuple(row[place] for place in places) for row in chart.cells),
    ).best_first()
    written = write_chart_files(shown, html, docx, xlsx, found)
    show({"combinations": found, "chart": shown}, as_json, lambda: combinations_text(found, chart))
    if not as_json:
        for path in written:
            click.echo(f"Written: {path}")
