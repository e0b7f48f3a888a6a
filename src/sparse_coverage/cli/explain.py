"""`sparse-coverage explain`: why a passage was found, and what of the query was not."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, threads_option
from sparse_coverage.cli.options.filtering import FilterOptions, conditions_of, filter_options
from sparse_coverage.cli.options.inputs import query_argument, read_query
from sparse_coverage.cli.options.languages import tell_language
from sparse_coverage.cli.options.searching import scoring_options


@click.command(no_args_is_help=True)
@index_argument
@query_argument
@click.argument("id_", metavar="ID")
@count_option("-n", "--matches", default=20, help="How many matches to show.")
@click.option(
    "--whole", is_flag=True, help="Set the whole document against QUERY: the strongest of each span, and what it lacks."
)
@filter_options
@scoring_options
@threads_option
@json_option
def command(
    index: Path,
    query: str,
    id_: str,
    matches: int,
    whole: bool,
    filters: FilterOptions,
    threads: int | None,
    as_json: bool,
    **scoring: float | None,
) -> None:
    """Show why QUERY found ID, a passage or a document (its best passage): the matching spans and what each adds.

    Give the filters and settings of the search that found it: what a first search lends the query depends on them.

    \b
    Example:
      sparse-coverage explain my-index @claim.txt EP-1234567-A1
      sparse-coverage explain my-index @claim.txt "EP-1234567-A1/description/p[16]"
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --whole
    """
    from sparse_coverage.present.terminal import answers_text, explanation_text
    from sparse_coverage.retrievers import open_index
    from sparse_coverage.search import Explanation

    text = read_query(query)
    condition = conditions_of(index, filters).filter
    opened = open_index(index, scoring=scoring, threads=threads)
    tell_language(opened.store, text)
    found = opened.answers(text, id_) if whole else opened.explain(text, id_, filter=condition)
    show(
        found,
        as_json,
        lambda: explanation_text(found, matches) if isinstance(found, Explanation) else answers_text(found, matches),
    )
