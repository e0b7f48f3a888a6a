"""`sparse-coverage search` and `watch`: a claim in, ranked prior art out; and again over what came since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Group

from sparse_coverage.cli.options import (
    echo_people,
    index_argument,
    json_option,
    path_option,
    show,
    tell,
    threads_option,
    wants_json,
)
from sparse_coverage.cli.options.searching import (
    Exports,
    QueryOptions,
    asked_options,
    report_option,
    request_options,
    rerank_options,
    write_rankings,
)
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import SEARCH_EXPORTS
from sparse_coverage.systems import PARTS

if TYPE_CHECKING:
    from sparse_coverage.workspace import BatchRequest, OpenIndex, SearchRequest
    from sparse_coverage.workspace.requests import RankedRequest


@click.command(no_args_is_help=True)
@index_argument
@click.argument("query", required=False)
@asked_options
@request_options
@rerank_options
@report_option(SEARCH_EXPORTS)
@threads_option
@json_option
def search_command(
    index: Path,
    query: str | None,
    asked: QueryOptions,
    request: RankedRequest,
    exports: Exports,
    rerank_by: str | None,
    rerank_top: int,
    threads: int | None,
) -> int:
    """Find the prior art of QUERY in INDEX: documents ranked by their best passages.

    QUERY is the text of a claim, a file (its name alone or @FILE), or - for standard input. It may be of any length. Of a patent,
    a Word or a PDF file the claims are searched with; --claims chooses some. Instead of QUERY, --like takes a document of the
    index, and --queries a whole file or folder of them.

    \b
    Example:
      sparse-coverage search my-index "A valve comprising a plunger biased by a spring"
      sparse-coverage search my-index @claim.txt --before 2001-05-17 --not-family-of EP-1246167-A1
      sparse-coverage search my-index draft.docx --claims 1,3-5 --report report.docx --report report.xlsx
      sparse-coverage search my-index --like EP-0049154-A1 --claims 1
      sparse-coverage search my-index --queries claims.jsonl --run out.run -k 1000
      sparse-coverage search my-index @claim.txt --filter "coil near/5 plunger* and ipc:F16K not pa:Bosch"
      sparse-coverage search my-index --filter "(valve or tap) adj/3 spring and pd:1999..2001"
      sparse-coverage search my-index @claim.txt --filter '"phase change" and (battery or accumulator) not lead-acid'
      sparse-coverage search my-index @claim.txt --features features.txt
      sparse-coverage search my-index @claim.txt -k 100 --json > hits.json
      sparse-coverage search my-index @claim.txt --report report.html
      sparse-coverage search my-index @claim.txt --ranking words
      sparse-coverage search my-index @claim.txt --rerank cross-encoder:models/my-reader --top 50
      sparse-coverage search my-index @claim.txt --relevant EP-1234567-A1 --not-relevant EP-2345678-A1

    \b
    Expressions, by --filter, beside QUERY or alone (docs/expressions.md has them all):
      battery "phase change" batter* wom?n      words in all their forms, phrases, beginnings, any letter
      a and b, a or b, not a, ( )               what a document holds as a whole; a b is a and b
      a near/5 b, a adj/3 b                     at most so many words apart in one passage, in any order or in this
      ti: ab: cl: desc: pa: in:                 title, abstract, claims, description, applicant, inventor: cl:(a and b)
      ipc:H04N cpc:G06F16/2* class: pd<2001 pd:1999..2001 pr: cc:EP,WO kind: la: pn: family: section:

    \b
    Rankings, by --ranking:
      combined   centers, words and whole passages, each scaled to 0..1 and added up: the default
      centers    by concepts: the spans that claim and passage share in meaning
      words      by words: BM25
      vectors    by overall meaning: one vector a passage
    Others (splade, colbert) need a side of the index: `index refresh INDEX --with NAME` adds it.
    """
    from sparse_coverage.workspace import BatchRequest, OpenIndex

    passages = rerank_top if rerank_by == "passages" else None
    _require_fitting(asked, request, exports, passages, bool(rerank_by))
    many, unread = asked.many() if asked.queries else ({}, 0)
    again: dict[str, Any] = {"rerank": rerank_by, "top": rerank_top} if rerank_by and not passages else {}
    if asked.queries:
        batch = BatchRequest(**many, k=request.k, ranking=request.ranking, filters=request.filters, **again)
        with OpenIndex.open(index, request.ranking, threads=threads) as opened:
            _search_all(opened, batch, asked.run, exports)
        return 1 if unread else 0
    search = request.asking(**asked.one(query), **again)
    with OpenIndex.open(index, request.ranking, threads=threads) as opened:
        if passages:
            _show_passages(opened, search, passages)
        else:
            _show_documents(opened, search, exports)
    return 0


def _require_fitting(
    asked: QueryOptions, request: RankedRequest, exports: Exports, passages: int | None, rerank: bool
) -> None:
    """Refuse options that cannot be had together, before the index is opened."""
    by_side = request.ranking not in ("combined", *PARTS)
    if passages and exports:
        raise InputError("--rerank passages lists passages; reports are for documents. Leave one of them out.")
    if passages and by_side:
        raise InputError(f"--rerank passages ranks by what the index keeps itself, not by {request.ranking}.")
    if request.marks and (rerank or asked.queries):
        raise InputError(
            "--relevant and --not-relevant change the ranking of one query's documents. Leave --rerank and --queries out."
        )
    if asked.queries and (passages or exports.with_passages):
        raise InputError(
            "--queries gives a ranking of each query: --run, --report FILE.csv and --json. Leave other reports out."
        )


def _show_documents(opened: OpenIndex, request: SearchRequest, exports: Exports) -> None:
    from sparse_coverage.present.terminal import NOTHING, beyond_text, hits_text, strips_of
    from sparse_coverage.present.terms import shown_of

    found = opened.search(request, answers=bool(exports))
    if found.left_out:
        tell([f"Left out: {found.left_out} itself and its family (--keep-family keeps them)."])
    tell(found.notes)
    written = exports.write(found)
    nothing = found.nothing or (NOTHING if request.ranking == "centers" else "Nothing was found.")
    told = [f"\n{shown_of(len(found.hits), found.searched)}."] if found.hits else []
    show(
        found.record() if wants_json() else None,
        lambda: Group(
            hits_text(found.hits, found.explanations, nothing, found.parts, strips=strips_of(request.elements, found)),
            *told,
            *beyond_text(request.elements, found),
        ),
    )
    echo_people(*(f"Report: {path}" for path in written))


def _show_passages(opened: OpenIndex, request: SearchRequest, documents: int) -> None:
    from sparse_coverage.present.terminal import passages_text

    found = opened.search_passages(request, documents)
    tell(found.notes)
    source = {"query": found.query.text, "source": found.query.source}
    result = {**source, "passages": found.passages, "about": found.about}
    nothing = found.nothing or "Nothing was found."
    show(result, lambda: passages_text(found.passages, found.explanations, nothing))


def _search_all(opened: OpenIndex, batch: BatchRequest, run: Path | None, exports: Exports) -> None:
    """Search with many queries, one ranking each."""
    from sparse_coverage.files import write_text
    from sparse_coverage.present.search_report import rankings_csv
    from sparse_coverage.present.terminal import rankings_text

    found = opened.batch(batch)
    tell(found.notes)
    rankings, tables = found.rankings, tuple(exports.files)
    if run:
        write_rankings(run, rankings, f"sparse-coverage-{batch.ranking}", batch.k)
    for table in tables:
        write_text(table, rankings_csv(rankings))
    if wants_json() or not (run or tables):
        show({"rankings": rankings, "about": found.about}, lambda: rankings_text(rankings))
    else:
        count = sum(map(len, rankings.values()))
        files = " and ".join(str(path) for path in (run, *tables) if path)
        click.echo(f"{len(rankings):,} queries, {count:,} documents found. Written to {files}.")


@click.command(no_args_is_help=True)
@click.argument("saved", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@path_option("--index", "folder", exists=True, file_okay=False, help="Where the index is [where it was].")
@report_option(SEARCH_EXPORTS)
@json_option
def watch_command(saved: Path, folder: Path | None, exports: Exports) -> int:
    """Say what is new for the searches in SAVED: what came into the index since, and would be found.

    SAVED is what `search --json` printed, as a file that ends with .json, or a project of the page. It remembers how far one has looked:
    the next watch tells only what came after this one. A document that was replaced counts as new.

    \b
    Example:
      sparse-coverage search my-index @claim.txt --filter "ipc:H01M" --json > batteries.json
      sparse-coverage index add my-index new-patents
      sparse-coverage watch batteries.json --report new.docx
    """
    from sparse_coverage.present.terminal import hits_text
    from sparse_coverage.workspace import OpenIndex
    from sparse_coverage.workspace.watching import watched_in

    searches = watched_in(saved)
    if not searches:
        raise InputError(f"{saved}: this project has no searches to watch. Search on the page first.")
    if len(searches) > 1 and exports:
        raise InputError(f"{saved} has {len(searches)} searches; files are written of one. Use --json.")
    answers = []
    for one in searches:
        with OpenIndex.open(folder or one.index, one.request.ranking) as opened:
            found = one.again(opened)
        tell(found.notes)
        answers.append({**found.record(), "since": one.made})
        asked = found.source or found.query
        title = f"New since {one.made[:10]}: {len(found.hits)}. {asked[:70]}{'…' * (len(asked) > 70)}"
        echo_people(title)
        if found.hits and not wants_json():
            show(None, hits_text(found.hits, found.explanations, "", found.parts))
        written = exports.write(found)
        if found.hits:
            one.keep(found)
        echo_people(*(f"Report: {path}" for path in written))
    if wants_json():
        show({"searches": answers}, None)
    return 0
