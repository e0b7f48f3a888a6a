"""`sparse-coverage explain`: why a passage was found, and what of the query was not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, threads_option
from sparse_coverage.cli.options.filtering import conditions_of, filter_options
from sparse_coverage.cli.options.inputs import claims_option, query_argument, read_query
from sparse_coverage.cli.options.languages import tell_language
from sparse_coverage.cli.options.searching import joining_options, scoring_options

if TYPE_CHECKING:
    from sparse_coverage.retrievers import FusionLevel, FusionRule
    from sparse_coverage.search.conditions import FilterOptions


@click.command(no_args_is_help=True)
@index_argument
@query_argument
@click.argument("id_", metavar="ID")
@claims_option
@count_option("-n", "--matches", default=20, help="How many matches to show.")
@click.option(
    "--whole", is_flag=True, help="Set the whole document against QUERY: the strongest of each span, and what it lacks."
)
@joining_options
@filter_options
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
    system: str,
    hybrid: bool,
    fuse: FusionRule,
    level: FusionLevel,
    filters: FilterOptions,
    threads: int | None,
    as_json: bool,
    **scoring: float | None,
) -> None:
    """Show why QUERY found ID, a passage or a document (its best passage): the matching spans and what each adds.

    Give the filters, the system and the settings of the search that found it: what a first search lends the query depends on
    them. With --hybrid it is what each part added, and the reasons of each part; with --system bm25 the words, with --system
    dense the words of the passage that bring it near the query.

    \b
    Example:
      sparse-coverage explain my-index @claim.txt EP-1234567-A1
      sparse-coverage explain my-index @claim.txt "EP-1234567-A1/description/p[16]"
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --whole
      sparse-coverage explain my-index @claim.txt EP-1234567-A1 --hybrid
    """
    from sparse_coverage.errors import InputError
    from sparse_coverage.present.terminal import answers_text, explanation_text, hybrid_text
    from sparse_coverage.retrievers import coverage_of, open_index, open_retriever
    from sparse_coverage.retrievers.explaining import HybridExplanation, explain

    text = read_query(query, claims=claims).text
    condition = conditions_of(index, filters).filter
    system = "hybrid" if hybrid else system
    if whole:
        if system != "coverage":
            raise InputError("--whole is for Sparse Coverage alone. Leave --system and --hybrid out.")
        opened = open_index(index, scoring=scoring, threads=threads)
        tell_language(opened.store, text)
        answers = opened.answers(text, id_)
        show(answers, as_json, lambda: answers_text(answers, matches))
        return
    retriever = open_retriever(index, system, fuse=fuse, level=level, scoring=scoring, threads=threads)
    if (covering := coverage_of(retriever)) is not None:
        tell_language(covering.store, text)
    found = explain(retriever, text, id_, condition=condition)
    show(
        found,
        as_json,
        lambda: (
            hybrid_text(found, matches) if isinstance(found, HybridExplanation) else explanation_text(found, matches)
        ),
    )
