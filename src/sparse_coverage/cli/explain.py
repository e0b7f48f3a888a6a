"""`sparse-coverage explain`: why a passage was found, and what of the query was not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, tell, threads_option
from sparse_coverage.cli.options.inputs import claims_option, query_argument, read_query
from sparse_coverage.cli.options.searching import documents_by_option, filter_options, ranking_option, scoring_options

if TYPE_CHECKING:
    from sparse_coverage.workspace import Filters


@click.command(no_args_is_help=True)
@index_argument
@query_argument
@click.argument("id_", metavar="ID")
@claims_option
@count_option("-n", "--matches", default=20, help="How many matches to show.")
@click.option(
    "--whole", is_flag=True, help="Set the whole document against QUERY: the strongest of each span, and what it lacks."
)
@ranking_option
@filter_options
@documents_by_option
@scoring_options
@threads_option
@json_option
def command(
    index: Path,
    query: str,
    id_: str,
    claims: str | None,
    matches: int,
    whole: bool,
    ranking: str,
    filters: Filters,
    threads: int | None,
    as_json: bool,
    **scoring: float | str | None,
) -> None:
    """Show why QUERY found ID, a passage or a document (its best passage): what adds up to its score.

    That are phrases with a shared meaning, shared words with how rare they are, and how like the passage is as a whole. Give the
    filters, the ranking and the settings of the search that found it: scores depend on them.

    \b
    Example:
      sparse-coverage explain my-index @claim.txt EP-1234567-A1
      sparse-coverage explain my-index @claim.txt "EP-1234567-A1/description/p[16]"
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --whole
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --ranking centers
    """
    from sparse_coverage.present.terminal import answers_text, explanation_text
    from sparse_coverage.workspace import ExplainRequest, OpenIndex

    text = read_query(query, claims=claims).text
    with OpenIndex.open(index, ranking, scoring=scoring, threads=threads) as opened:
        tell(filter(None, [opened.language_warning(text)]))
        if whole:
            answers = opened.answers(text, id_)
            show(answers, as_json, lambda: answers_text(answers, matches))
            return
        found = opened.explain(ExplainRequest(query=text, id=id_, ranking=ranking, filters=filters))
    tell(found.notes)
    why = found.explanation
    show(why, as_json, lambda: explanation_text(why, matches))
