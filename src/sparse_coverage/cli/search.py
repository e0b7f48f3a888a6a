"""`sparse-coverage search`: a claim in, ranked prior art out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from sparse_coverage.cli.options import json_option, read_query, threads_option


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("query")
@click.option("-k", default=10, show_default=True, type=click.IntRange(1), help="How many documents to show.")
@click.option("--passages", default=2, show_default=True, type=click.IntRange(1), help="How many passages of each.")
@click.option(
    "--html", type=click.Path(path_type=Path), help="Also write a report that shows every match in its place."
)
@click.option("--alpha", default=2.0, show_default=True, help="Exponent of idf.")
@click.option("--gamma", default=0.5, show_default=True, help="Exponent of the length normalisation.")
@click.option("--rho", default=0.01, show_default=True, help="Share of the most frequent centers to leave out.")
@threads_option
@json_option
def command(
    index: Path,
    query: str,
    k: int,
    passages: int,
    html: Path | None,
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
      sparse-coverage search my-index @claim.txt -k 100 --json > hits.json
    """
    from sparse_coverage import Index, ScoringConfig
    from sparse_coverage.search.report import write_report
    from sparse_coverage.search.show import show_hits

    text = read_query(query)
    opened = Index.open(index, scoring=ScoringConfig(alpha, gamma, rho), threads=threads)
    hits = opened.search(text, k, passages=passages)
    explanations = {}
    if html or not as_json:
        explanations = {hit.document: opened.explain(text, hit.passages[0].id) for hit in hits}
    if html:
        write_report(html, text, hits, explanations, title="Prior art found")
    if as_json:
        click.echo(json.dumps([asdict(hit) for hit in hits], ensure_ascii=False))
    else:
        show_hits(hits, explanations)
        if html:
            click.echo(f"Report: {html}")
