"""`sparse-coverage search`: a claim in, ranked prior art out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Group

from sparse_coverage.cli.options import count_option, index_argument, json_option, show, threads_option
from sparse_coverage.cli.options.filtering import conditions_of, filter_options
from sparse_coverage.cli.options.languages import tell_language
from sparse_coverage.cli.options.queries import Asked, asked_options
from sparse_coverage.cli.options.reports import Reports, report_options
from sparse_coverage.cli.options.searching import (
    about_search,
    group_option,
    k_option,
    passages_option,
    rank_option,
    scoring_options,
    system_options,
)

if TYPE_CHECKING:
    from sparse_coverage.present.findings import About
    from sparse_coverage.retrievers import FusionLevel, FusionRule
    from sparse_coverage.search import Filter, Retriever
    from sparse_coverage.search.conditions import FilterOptions


@click.command(no_args_is_help=True)
@index_argument
@click.argument("query", required=False)
@asked_options
@k_option
@passages_option
@group_option
@filter_options
@click.option(
    "--relevant",
    metavar="ID",
    multiple=True,
    help="A document or passage of an earlier answer that is relevant: more like it. Repeatable.",
)
@click.option(
    "--not-relevant", metavar="ID", multiple=True, help="One that is not: less of what it is about. Repeatable."
)
@system_options
@count_option(
    "--rerank",
    metavar="N",
    help="List passages instead: the k best of all passages of the N best documents (the paper's two stages).",
)
@report_options
@click.option("--profile", is_flag=True, help="Also say what the query cost: lists read, time per stage.")
@rank_option
@scoring_options
@threads_option
@json_option
def command(
    index: Path,
    query: str | None,
    asked: Asked,
    k: int,
    passages: int,
    group: bool,
    filters: FilterOptions,
    relevant: tuple[str, ...],
    not_relevant: tuple[str, ...],
    system: str,
    hybrid: bool,
    fuse: FusionRule,
    level: FusionLevel,
    rescore: str | None,
    top: int,
    rerank: int | None,
    reports: Reports,
    profile: bool,
    threads: int | None,
    as_json: bool,
    **scoring: float | str | None,
) -> int:
    """Find the prior art of QUERY in INDEX: documents ranked by their best passages.

    QUERY is the text of a claim, a file (its name alone or @FILE), or - for standard input. It may be of any length. Of a patent,
    a Word or a PDF file the claims are searched with; --claims chooses some. Instead of QUERY, --like takes a document of the
    index, and --queries a whole file or folder of them.

    \b
    Example:
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
      sparse-coverage search my-index @claim.txt --before 2001-05-17 --not-family-of EP-1246167-A1
      sparse-coverage search my-index draft.docx --claims 1,3-5 --docx report.docx --xlsx report.xlsx
      sparse-coverage search my-index --like EP-0049154-A1 --claims 1
      sparse-coverage search my-index --queries claims.jsonl --run out.run -k 1000
      sparse-coverage search my-index @claim.txt --filter "ipc:H04N,G06F and not country:US"
      sparse-coverage search my-index @claim.txt --must "phase change" --any "battery,accumulator" --not "lead-acid"
      sparse-coverage search my-index @claim.txt -k 100 --json > hits.json
      sparse-coverage search my-index @claim.txt --hybrid --html report.html
      sparse-coverage search my-index @claim.txt --rescore dense --top 200
      sparse-coverage search my-index @claim.txt --relevant EP-1234567-A1 --not-relevant EP-2345678-A1

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

    system = "hybrid" if hybrid else system
    otherwise = system != "coverage" or rescore is not None
    if rerank and (reports or profile):
        raise InputError("--rerank lists passages; reports and --profile are for documents. Leave one of them out.")
    if otherwise and (rerank or profile):
        raise InputError("--rerank and --profile are for Sparse Coverage alone. Leave them out.")
    if (relevant or not_relevant) and (rerank or asked.queries):
        raise InputError(
            "--relevant and --not-relevant change the ranking of one query's documents. Leave --rerank and --queries out."
        )
    if asked.queries and (rerank or profile or reports.documents):
        raise InputError(
            "--queries gives a ranking of each query: --run, --csv and --json. Leave the other reports out."
        )
    from sparse_coverage.index import open_store
    from sparse_coverage.index.filters import family
    from sparse_coverage.present.findings import find
    from sparse_coverage.present.terminal import NOTHING, cost_text, hits_text, passages_text
    from sparse_coverage.retrievers import open_retriever
    from sparse_coverage.search import FamilyMembers, Index, Marks

    conditions = conditions_of(index, filters)
    condition, marks = conditions.filter, Marks(relevant, not_relevant)
    by_chart = rescore == "chart"
    retriever = open_retriever(
        index,
        system,
        rerank=None if by_chart else rescore,
        top=top,
        fuse=fuse,
        level=level,
        scoring=scoring,
        threads=threads,
    )
    if by_chart:
        from sparse_coverage.charts.reranking import rerank_by_chart

        retriever = rerank_by_chart(retriever, top)
    about = about_search(index, retriever, system, filters)
    if asked.queries:
        return _search_all(asked, retriever, k, condition, about, reports.csv, as_json)
    store = open_store(index)
    given = asked.query(query, store)
    if left_out := asked.itself(store):
        condition = ~family(left_out) if condition is None else condition & ~family(left_out)
        about = replace(about, filters={**about.filters, "--like": f"without {left_out} and its family"})
    tell_language(store, given.text)
    if rerank and isinstance(retriever, Index):
        listed = retriever.rerank_passages(given.text, rerank, filter=condition)[:k]
        why = {} if as_json else {one.id: retriever.explain(given.text, one.id, filter=condition) for one in listed}
        result = {"query": given.text, "source": given.source, "passages": listed, "about": about}
        show(result, as_json, lambda: passages_text(listed, why, conditions.nothing or NOTHING))
        return 0
    findings = find(
        retriever,
        given,
        k,
        passages=passages,
        condition=condition,
        about=about,
        members=FamilyMembers(store, condition) if group else None,
        profile=profile,
        answers=bool(reports),
        marks=marks or None,
    )
    written = reports.write(findings)
    nothing = conditions.nothing or ("Nothing was found." if otherwise else NOTHING)
    costs = [cost_text(findings.cost)] if findings.cost else []
    show(
        findings.record() if as_json else None,
        as_json,
        lambda: Group(hits_text(findings.hits, findings.explanations, nothing, findings.parts), *costs),
    )
    for path in () if as_json else written:
        click.echo(f"Report: {path}")
    return 0


def _search_all(
    asked: Asked,
    retriever: Retriever,
    k: int,
    condition: Filter | None,
    about: About,
    table: Path | None,
    as_json: bool,
) -> int:
    """Search with many queries, one ranking each; the exit status is 1 where some could not be read."""
    from sparse_coverage.evaluation.collection import Ranking
    from sparse_coverage.evaluation.trec import write_run
    from sparse_coverage.files import write_text
    from sparse_coverage.present.exports import rankings_csv
    from sparse_coverage.present.terminal import rankings_text
    from sparse_coverage.progress import tracked

    queries, unread = asked.many()
    rankings = {
        id_: retriever.search(text, k, passages=1, filter=condition)
        for id_, text in tracked(queries.items(), "Searching", len(queries))
    }
    if asked.run:
        run = {
            id_: Ranking(tuple(hit.document for hit in hits), tuple(hit.score for hit in hits))
            for id_, hits in rankings.items()
        }
        write_run(asked.run, run, f"sparse-coverage-{about.system}", depth=k)
    if table:
        write_text(table, rankings_csv(rankings))
    if as_json or not (asked.run or table):
        show({"rankings": rankings, "about": about}, as_json, lambda: rankings_text(rankings))
    else:
        found = sum(map(len, rankings.values()))
        files = " and ".join(str(path) for path in (asked.run, table) if path)
        click.echo(f"{len(rankings):,} queries, {found:,} documents found. Written to {files}.")
    return 1 if unread else 0
