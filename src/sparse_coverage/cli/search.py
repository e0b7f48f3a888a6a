"""`sparse-coverage search`: a claim in, ranked prior art out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import (
    count_option,
    index_argument,
    json_option,
    path_option,
    query_argument,
    read_query,
    threads_option,
)
from sparse_coverage.cli.options.searching import (
    condition_of,
    filter_options,
    k_option,
    open_index,
    passages_option,
    scoring_options,
    system_options,
)

if TYPE_CHECKING:
    from sparse_coverage.search import Filter


@click.command(no_args_is_help=True)
@index_argument
@query_argument
@k_option
@passages_option
@filter_options
@system_options
@click.option(
    "--rank",
    "aggregation",
    default="best",
    show_default=True,
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
    before: str | None,
    not_family_of: tuple[str, ...],
    expression: str | None,
    system: str,
    hybrid: bool,
    fuse: str,
    level: str,
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
      sparse-coverage search my-index @claim.txt -k 100 --json > hits.json
      sparse-coverage search my-index @claim.txt --hybrid
      sparse-coverage search my-index @claim.txt --rescore dense --top 200

    \b
    Filters: field:value[,value] joined by and, or, not and brackets. The fields are
      published, priority       dates; also with <, <=, >, >=: published>=1999 and published<2001-05-17
      ipc, cpc, class           beginnings of symbols: ipc:H04N, class:"H04N 5/44"
      country, kind, language, section, document, family

    Other systems than Sparse Coverage need a side of the index: `index refresh INDEX --hybrid` adds those of hybrid.
    """
    from sparse_coverage.errors import InputError
    from sparse_coverage.present.report import write_report
    from sparse_coverage.present.terminal import show_cost, show_hits, show_passages
    from sparse_coverage.search.aggregation import parse_aggregation

    text = read_query(query)
    condition = condition_of(index, before, not_family_of, expression)
    rule = parse_aggregation(aggregation)
    if rerank and (html or profile):
        raise InputError("--rerank lists passages; --html and --profile are for documents. Leave one of them out.")
    system = "hybrid" if hybrid else system
    if system != "coverage" or rescore:
        if rerank or html or profile or aggregation != "best":
            raise InputError("--rank, --rerank, --html and --profile are for Sparse Coverage alone. Leave them out.")
        _search_otherwise(
            index, text, k, passages, condition, system, fuse, level, rescore, top, scoring, threads, as_json
        )
        return
    opened = open_index(index, threads, **scoring)
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
        explanations = {hit.document: opened.explain(text, hit.passages[0].id, filter=condition) for hit in hits}
    if html:
        passages_found = [passage.id for hit in hits for passage in hit.passages]
        every = {id_: opened.explain(text, id_, filter=condition) for id_ in passages_found}
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


def _search_otherwise(
    folder: Path,
    text: str,
    k: int,
    passages: int,
    condition: Filter | None,
    system: str,
    fuse: str,
    level: str,
    rescore: str | None,
    top: int,
    scoring: Mapping[str, float | None],
    threads: int | None,
    as_json: bool,
) -> None:
    """Search by a side of the index, by several at once, or in two steps."""
    from sparse_coverage.present.terminal import show_hits
    from sparse_coverage.retrievers import Rescore, open_baseline, open_hybrid

    index = open_index(folder, threads, **scoring) if system in ("coverage", "hybrid") else None
    encoder = index.model.encoder if index else None
    retriever: Any
    if system == "hybrid" and index:
        retriever = open_hybrid(index, how=fuse, level=level, threads=threads)  # type: ignore[arg-type]
    else:
        retriever = index or open_baseline(folder, system, threads=threads)
    if rescore:
        by = open_baseline(folder, rescore, encoder=encoder, threads=threads)
        retriever = Rescore(retriever, by, top=top)
    hits = retriever.search(text, k, passages=passages, filter=condition)
    if as_json:
        click.echo(json.dumps([asdict(hit) for hit in hits], ensure_ascii=False))
    elif not hits:
        click.echo("Nothing was found.")
    else:
        # What Sparse Coverage sees in a passage can be shown, whoever found it; without an index of it there is nothing to.
        show_hits(
            hits,
            {hit.document: index.explain(text, hit.passages[0].id, filter=condition) for hit in hits} if index else {},
        )
