"""`sparse-coverage combine`: which few documents together disclose a whole claim."""

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
@count_option("--max", "most", default=2, help="The most documents in a combination; exact up to 3, one by one beyond.")
@count_option("--top", default=200, help="How many of the documents that a search finds are looked at.")
@filter_options
@chart_options
@threads_option
@json_option
def command(
    index: Path,
    claim: str,
    most: int,
    top: int,
    filters: FilterOptions,
    options: ChartOptions,
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
    from sparse_coverage.charts.charting import chart_of_combinations
    from sparse_coverage.charts.elements import read_claims
    from sparse_coverage.present.chart_text import combinations_text

    claims = read_claims(read_query(claim, "claim").text)
    rows = options.rows(claims)
    condition = conditions_of(index, filters).filter
    charts = options.charts(index, threads)
    found, chart = charts.combine(claims, most=most, top=top, elements=rows, filter=condition)
    shown = chart_of_combinations(found, chart)
    written = options.write(shown, found)
    show({"combinations": found, "chart": shown}, as_json, lambda: combinations_text(found, chart))
    tell_written(written, as_json)
