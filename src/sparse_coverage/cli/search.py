"""`sparse-coverage search`: a claim in, ranked prior art out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Group

from sparse_coverage.cli.options import count_option, index_argument, json_option, path_option, show, threads_option
from sparse_coverage.cli.options.filtering import FilterOptions, conditions_of, filter_options
from sparse_coverage.cli.options.inputs import query_argument, read_query
from sparse_coverage.cli.options.languages import tell_language
from sparse_coverage.cli.options.searching import (
    group_option,
    k_option,
    passages_option,
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
@group_option
@filter_options
@system_options
@click.option(
    "--rank",
    "aggregation",
    default="best",
    metavar="RULE",
    help="How passages make a document's score: best, top-mean:3 or decayed-sum:0.5.",
)
@count_option(
    "--rerank",
    metavar="N",
    help="List passages instead: the k best of all passages of the N best documents (the paper's two stages).",
)
@path_option("--html", help="Also write a report that shows every match in its place.")
@click.option("--profile", is_flag=True, help="Also say what the query cost: lists read, time per stage.")
@scoring_options
@threads_option
@json_option
def command(
    index: Path,
    query: str,
    k: int,
    passages: int,
    group: bool,
    filters: FilterOptions,
    system: str,
    hybrid: bool,
    fuse: FusionRule,
    level: FusionLevel,
    rescore: str | None,
    top: int,
    aggregation: str,
    rerank: int | None,
    html: Path | None,
    profile: bool,
    threads: int | None,
    as_json: bool,
    **scoring: float | None,
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
    from sparse_coverage.index import open_store
    from sparse_coverage.present.report import render_report
    from sparse_coverage.present.terminal import NOTHING, cost_text, hits_text, passages_text
    from sparse_coverage.retrievers import coverage_of, open_retriever
    from sparse_coverage.search import FamilyMembers, Hit, Index, QueryCost, by_family
    from sparse_coverage.search.aggregation import parse_aggregation

    text = read_query(query)
    conditions = conditions_of(index, filters)
    condition = conditions.filter
    rule = parse_aggregation(aggregation)
    if rerank and (html or profile):
        raise InputError("--rerank lists passages; --html and --profile are for documents. Leave one of them out.")
    system = "hybrid" if hybrid else system
    otherwise = system != "coverage" or rescore is not None
    if otherwise and (rerank or html or profile or aggregation != "best"):
        raise InputError("--rank, --rerank, --html and --profile are for Sparse Coverage alone. Leave them out.")
    retriever = open_retriever(
        index, system, rerank=rescore, top=top, fuse=fuse, level=level, scoring=scoring, threads=threads
    )
    # What Sparse Coverage sees in a passage can be shown, whoever found it; without an index of it there is nothing to.
    opened = coverage_of(retriever)
    cost: QueryCost | None = None
    if rerank and isinstance(retriever, Index):
        listed = retriever.rerank_passages(text, rerank, filter=condition, aggregation=rule)[:k]
        show(listed, as_json, lambda: passages_text(listed, conditions.nothing or NOTHING))
        return

    def ranked(count: int) -> list[Hit]:
        nonlocal cost
        if otherwise or not isinstance(retriever, Index):
            return retriever.search(text, count, passages=passages, filter=condition)
        found, cost = retriever.profile(text, count, passages=passages, filter=condition, aggregation=rule)
        return found

    store = opened.store if opened else open_store(index)
    tell_language(store, text)
    hits = by_family(ranked, k, FamilyMembers(store, condition)) if group else ranked(k)
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
