"""`sparse-coverage search`: a claim in, ranked prior art out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Group

from sparse_coverage.cli.options import count_option, index_argument, json_option, path_option, show, threads_option
from sparse_coverage.cli.options.filtering import FilterOptions, conditions_of, filter_options
from sparse_coverage.cli.options.inputs import query_argument, read_query
from sparse_coverage.cli.options.searching import (
    k_option,
    passages_option,
    rank_option,
    scoring_options,
    system_options,
)

if TYPE_CHECKING:
    from sparse_coverage.retrievers import FusionLevel, FusionRule


@click.command(no_args_is_help=True)
@index_argument
@query_argument
@k_option
@passages_option
@filter_options
@system_options
@count_option(
    "--rerank",
    metavar="N",
    help="List passages instead: the k best of all passages of the N best documents (the paper's two stages).",
)
@path_option("--html", help="Also write a report that shows every match in its place.")
@click.option("--profile", is_flag=True, help="Also say what the query cost: lists read, time per stage.")
@rank_option
@scoring_options
@threads_option
@json_option
def command(
    index: Path,
    query: str,
    k: int,
    passages: int,
    filters: FilterOptions,
    system: str,
    hybrid: bool,
    fuse: FusionRule,
    level: FusionLevel,
    rescore: str | None,
    top: int,
    rerank: int | None,
    html: Path | None,
    profile: bool,
    threads: int | None,
    as_json: bool,
    **scoring: float | str | None,
) -> None:
    """Find the prior art of QUERY in INDEX: documents ranked by their best passage.

    QUERY is the text of a claim, @FILE, or - for standard input. It may be of any length.

    \b
    Example:
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
      sparse-coverage search my-index @claim.txt --before 2001-05-17 --not-family-of EP-1246167-A1
      sparse-coverage search my-index @claim.txt --filter "ipc:H04N,G06F and not country:US"
      sparse-coverage search my-index @claim.txt --must "phase change" --any "battery,accumulator" --not "lead-acid"
      sparse-coverage search my-index @claim.txt -k 100 --json > hits.json
      sparse-coverage search my-index @claim.txt --hybrid
      sparse-coverage search my-index @claim.txt --rescore dense --top 200

    \b
    Filters: field:value[,value] joined by and, or, not and brackets. The fields are
      published, priority       dates; also with <, <=, >, >=: published>=1999 and published<2001-05-17
      ipc, cpc, class           beginnings of symbols: ipc:H04N, class:"H04N 5/44"
      country, kind, language, section, document, family
      text, title, claims       words: battery finds batteries; "phase change" is a phrase; batter* what begins so
      applicant, inventor       words of a name: applicant:Bosch

    Other systems than Sparse Coverage need a side of the index: `index refresh INDEX --hybrid` adds those of hybrid.
    """
    from sparse_coverage.errors import InputError
    from sparse_coverage.files import write_text
    from sparse_coverage.present.report import render_report
    from sparse_coverage.present.terminal import NOTHING, cost_text, hits_text, passages_text
    from sparse_coverage.retrievers import coverage_of, open_retriever
    from sparse_coverage.search import Index

    text = read_query(query)
    conditions = conditions_of(index, filters)
    condition = conditions.filter
    if rerank and (html or profile):
        raise InputError("--rerank lists passages; --html and --profile are for documents. Leave one of them out.")
    system = "hybrid" if hybrid else system
    otherwise = system != "coverage" or rescore is not None
    if otherwise and (rerank or html or profile):
        raise InputError("--rerank, --html and --profile are for Sparse Coverage alone. Leave them out.")
    retriever = open_retriever(
        index, system, rerank=rescore, top=top, fuse=fuse, level=level, scoring=scoring, threads=threads
    )
    # What Sparse Coverage sees in a passage can be shown, whoever found it; without an index of it there is nothing to.
    opened, cost = coverage_of(retriever), None
    if otherwise or not isinstance(retriever, Index):
        hits = retriever.search(text, k, passages=passages, filter=condition)
    elif rerank:
        listed = retriever.rerank_passages(text, rerank, filter=condition)[:k]
        show(listed, as_json, lambda: passages_text(listed, conditions.nothing or NOTHING))
        return
    else:
        hits, cost = retriever.profile(text, k, passages=passages, filter=condition)
    explanations = {}
    if opened and (html or not as_json):
        wanted = [passage.id for hit in hits for passage in (hit.passages if html else hit.passages[:1])]
        explanations = {id_: opened.explain(text, id_, filter=condition) for id_ in wanted}
    if opened and html:
        answers = {hit.document: opened.answers(text, hit.document) for hit in hits}
        write_text(html, render_report(text, hits, explanations, title="Prior art found", answers=answers))
    nothing = conditions.nothing or ("Nothing was found." if otherwise else NOTHING)
    costs = [cost_text(cost)] if profile and cost else []
    result = {"hits": hits, "cost": cost} if profile else hits
    show(result, as_json, lambda: Group(hits_text(hits, explanations, nothing), *costs))
    if html and not as_json:
        click.echo(f"Report: {html}")
