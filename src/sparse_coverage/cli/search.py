"""`sparse-coverage search`: a claim in, ranked prior art out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sparse_coverage.cli.options import json_option, read_query, threads_option

if TYPE_CHECKING:
    from sparse_coverage.search import Filter

F = TypeVar("F", bound=Callable[..., Any])


def _filter_options(function: F) -> F:
    options = [
        click.option(
            "--before", metavar="DATE", help="Only what was published before DATE (2001-05-17, 2001-05, 2001)."
        ),
        click.option(
            "--not-family-of", metavar="ID", multiple=True, help="Leave out the document ID and its family. Repeatable."
        ),
        click.option("--filter", "expression", metavar="EXPRESSION", help="Which documents may be found; see below."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def _scoring_options(function: F) -> F:
    options = [
        click.option("--alpha", default=2.0, show_default=True, help="Exponent of idf."),
        click.option("--gamma", default=0.5, show_default=True, help="Exponent of the length normalisation."),
        click.option("--rho", default=0.01, show_default=True, help="Share of the most frequent centers to leave out."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("query")
@click.option("-k", default=10, show_default=True, type=click.IntRange(1), help="How many documents to show.")
@click.option("--passages", default=2, show_default=True, type=click.IntRange(1), help="How many passages of each.")
@_filter_options
@click.option(
    "--rank",
    "aggregation",
    default="best",
    show_default=True,
    metavar="RULE",
    help="How passages make a document's score: best, top-mean:3 or decayed-sum:0.5.",
)
@click.option(
    "--rerank",
    metavar="N",
    type=click.IntRange(1),
    help="List passages instead: the k best of all passages of the N best documents (the paper's two stages).",
)
@click.option(
    "--html", type=click.Path(path_type=Path), help="Also write a report that shows every match in its place."
)
@click.option("--profile", is_flag=True, help="Also say what the query cost: lists read, time per stage.")
@_scoring_options
@threads_option
@json_option
def command(
    index: Path,
    query: str,
    k: int,
    passages: int,
    before: str | None,
    not_family_of: tuple[str, ...],
    expression: str | None,
    aggregation: str,
    rerank: int | None,
    html: Path | None,
    profile: bool,
    alpha: float,
    gamma: float,
    rho: float,
    threads: int | None,
    as_json: bool,
) -> None:
    """Find the prior art of QUERY in INDEX: documents ranked by their best passage.

    QUERY is the text of a claim, @FILE, or - for standard input. It may be of any length.

    \b
    Example:
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
      sparse-coverage search my-index @claim.txt --before 2001-05-17 --not-family-of EP-1246167-A1
      sparse-coverage search my-index @claim.txt --filter "ipc:H04N,G06F and not country:US"
      sparse-coverage search my-index @claim.txt -k 100 --json > hits.json

    \b
    Filters: field:value[,value] joined by and, or, not and brackets. The fields are
      published, priority       dates; also with <, <=, >, >=: published>=1999 and published<2001-05-17
      ipc, cpc, class           beginnings of symbols: ipc:H04N, class:"H04N 5/44"
      country, kind, language, section, document, family
    """
    from sparse_coverage import Index, ScoringConfig
    from sparse_coverage.errors import InputError
    from sparse_coverage.search.aggregation import parse_aggregation
    from sparse_coverage.search.report import write_report
    from sparse_coverage.search.show import show_cost, show_hits, show_passages

    text = read_query(query)
    condition = _condition(before, not_family_of, expression)
    rule = parse_aggregation(aggregation)
    if rerank and (html or profile):
        raise InputError("--rerank lists passages; --html and --profile are for documents. Leave one of them out.")
    opened = Index.open(index, scoring=ScoringConfig(alpha, gamma, rho), threads=threads)
    if rerank:
        listed = opened.rerank_passages(text, rerank, filter=condition, aggregation=rule)[:k]
        if as_json:
            click.echo(json.dumps([asdict(passage) for passage in listed], ensure_ascii=False))
        else:
            show_passages(listed)
        return
    hits, cost = opened.profile(text, k, passages=passages, filter=condition, aggregation=rule)
    explanations = {}
    if html or not as_json:
        explanations = {hit.document: opened.explain(text, hit.passages[0].id) for hit in hits}
    if html:
        every = {passage.id: opened.explain(text, passage.id) for hit in hits for passage in hit.passages}
        answers = {hit.document: opened.answers(text, hit.document) for hit in hits}
        write_report(html, text, hits, every, title="Prior art found", answers=answers)
    if as_json:
        found: Any = [asdict(hit) for hit in hits]
        click.echo(json.dumps({"hits": found, "cost": asdict(cost)} if profile else found, ensure_ascii=False))
        return
    show_hits(hits, explanations)
    if profile:
        show_cost(cost)
    if html:
        click.echo(f"Report: {html}")


def _condition(before: str | None, families: tuple[str, ...], expression: str | None) -> Filter | None:
    """Join the ways to say what may be found."""
    from sparse_coverage.index.filters import all_of, family, published
    from sparse_coverage.search import parse_filter

    parts: list[Filter] = [published(before=before)] if before else []
    parts += [~family(id_) for id_ in families]
    parts += [parse_filter(expression)] if expression is not None else []
    return all_of(parts) if parts else None
