"""`sparse-coverage show`: a document of an index in full."""

from __future__ import annotations

from pathlib import Path

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, threads_option
from sparse_coverage.cli.options.inputs import claims_option, read_query
from sparse_coverage.cli.options.searching import scoring_options


@click.command(no_args_is_help=True)
@index_argument
@click.argument("id_", metavar="ID")
@click.option("--claim", metavar="TEXT|@FILE", help="Mark the passages that this claim finds in the document.")
@claims_option
@count_option("-n", "--matches", default=10, help="How many passages to mark.")
@scoring_options
@threads_option
@json_option
def command(
    index: Path,
    id_: str,
    claim: str | None,
    claims: str | None,
    matches: int,
    threads: int | None,
    as_json: bool,
    **scoring: float | None,
) -> None:
    """Print the document ID of INDEX in full: title, facts, abstract, description with its printed numbers, claims.

    With --claim, the strongest passages are marked with their rank and score, and the phrases that match in them.

    \b
    Example:
      sparse-coverage show my-index EP-1234567-A1
      sparse-coverage show my-index EP-1234567-A1 --claim @claim.txt | less -R
      sparse-coverage show my-index EP-1234567-A1 --json
    """
    from sparse_coverage.errors import InputError
    from sparse_coverage.present.document_text import document_text
    from sparse_coverage.workspace import OpenIndex, ReadRequest

    if claims and not claim:
        raise InputError("--claims chooses claims of --claim. Give that, too.")
    text = read_query(claim, "claim", claims).text if claim else None
    with OpenIndex.open(index, "combined" if text else None, scoring=scoring, threads=threads) as opened:
        found = opened.read(ReadRequest(id=id_, claim=text, matches=matches))
        show(found.record(), as_json, lambda: document_text(found))
