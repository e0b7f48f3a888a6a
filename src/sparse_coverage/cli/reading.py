"""`sparse-coverage explain` and `show`: why a passage was found, and a document of an index in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, tell, threads_option
from sparse_coverage.cli.options.inputs import claims_option, query_argument, read_query
from sparse_coverage.cli.options.searching import filter_options, ranking_option
from sparse_coverage.errors import InputError

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
@threads_option
@json_option
def explain_command(
    index: Path,
    query: str,
    id_: str,
    claims: str | None,
    matches: int,
    whole: bool,
    ranking: str,
    filters: Filters,
    threads: int | None,
) -> None:
    """Show why QUERY found ID, a passage or a document (its best passage): what adds up to its score.

    That are phrases with a shared meaning, shared words with how rare they are, and how like the passage is as a whole. Give the
    filters and the ranking of the search that found it: scores depend on them.

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
    with OpenIndex.open(index, ranking, threads=threads) as opened:
        if whole:
            answers = opened.answers(text, id_)
            show(answers, lambda: answers_text(answers, matches))
            return
        found = opened.explain(ExplainRequest(query=text, id=id_, ranking=ranking, filters=filters))
    tell(found.notes)
    why = found.explanation
    show(why, lambda: explanation_text(why, matches))


@click.command(no_args_is_help=True)
@index_argument
@click.argument("id_", metavar="ID")
@click.option("--claim", metavar="TEXT|@FILE", help="Mark the passages that this claim finds in the document.")
@claims_option
@count_option("-n", "--matches", default=10, help="How many passages to mark.")
@threads_option
@json_option
def show_command(
    index: Path,
    id_: str,
    claim: str | None,
    claims: str | None,
    matches: int,
    threads: int | None,
) -> None:
    """Print the document ID of INDEX in full: title, facts, abstract, description with its printed numbers, claims.

    With --claim, the strongest passages are marked with their rank and score, and the phrases that match in them.

    \b
    Example:
      sparse-coverage show my-index EP-1234567-A1
      sparse-coverage show my-index EP-1234567-A1 --claim @claim.txt | less -R
      sparse-coverage show my-index EP-1234567-A1 --json
    """
    from sparse_coverage.present.terminal import document_text
    from sparse_coverage.workspace import OpenIndex, ReadRequest

    if claims and not claim:
        raise InputError("--claims chooses claims of --claim. Give that, too.")
    text = read_query(claim, "claim", claims).text if claim else None
    with OpenIndex.open(index, "combined" if text else None, threads=threads) as opened:
        found = opened.read(ReadRequest(id=id_, claim=text, matches=matches))
        show(found.record(), lambda: document_text(found))
