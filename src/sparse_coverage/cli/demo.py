"""`sparse-coverage demo`: the whole way on the built-in collection."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sparse_coverage.cli.options import json_option, path_option, show
from sparse_coverage.errors import InputError


@click.command()
@path_option(
    "-o", "--output", default=Path("sparse-coverage-demo"), help="Where to leave the model, the index and the report."
)
@click.option("--topic", default="PSG-3", help="Which of the topics PSG-1 to PSG-12 to search for.")
@json_option
def command(output: Path, topic: str) -> None:
    """Learn, index and search the built-in collection: 68 invented patents, 12 topics with judged passages.

    Shows the prior art of one topic's claims with the words that matched, how all topics fare, and leaves an HTML
    report to open. The encoder (90 MB) is fetched the first time.
    """
    from sparse_coverage import Index, SparseCoverage, load_encoder
    from sparse_coverage.evaluation.clefip import topic_document, topic_query
    from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_judgements, demo_patents, demo_topics
    from sparse_coverage.files import as_typed, write_text
    from sparse_coverage.present.search_report import search_page
    from sparse_coverage.present.terminal import hits_text
    from sparse_coverage.workspace import SearchResult

    topics = {entry.id: entry for entry in demo_topics()}
    if topic not in topics:
        raise InputError(f"There is no topic '{topic}'. The topics are {', '.join(topics)}.")
    _clear(output)
    patents = list(demo_patents())
    model = SparseCoverage.fit(patents, encoder=load_encoder())
    model.save(output / "model")
    index = Index.build(output / "index", model, patents)

    relevant: dict[str, set[str]] = {}
    for judgement in demo_judgements():
        relevant.setdefault(judgement.topic, set()).add(judgement.document)
    documents = {entry.id: topic_document(entry, TOPICS_FILE) for entry in topics.values()}
    queries = {entry.id: topic_query(entry, documents[entry.id]) for entry in topics.values()}
    rankings = dict(zip(queries, index.search(list(queries.values()), k=len(patents)), strict=True))
    ranks = {
        name: {hit.document: rank for rank, hit in enumerate(hits, 1) if hit.document in relevant[name]}
        for name, hits in rankings.items()
    }
    hits = rankings[topic][:5]
    query = queries[topic]
    explanations = {one.id: index.explain(query, one.id) for hit in hits for one in hit.passages}
    report = output / "report.html"
    title = f"Prior art for {documents[topic].id}: {documents[topic].title}"
    write_text(report, search_page(SearchResult(query, hits, explanations), title=title))
    claims = f"\n[bold]The claims[/bold] ({topic}, from {documents[topic].id}: {documents[topic].title})"
    table = Table("topic", "claims of", "relevant documents found at rank", "missed", title="All topics")
    for name, found in ranks.items():
        missed = sorted(relevant[name] - set(found))
        table.add_row(name, documents[name].title, ", ".join(map(str, sorted(found.values()))), ", ".join(missed))
    result = {"topic": topic, "query": query, "hits": hits, "ranks": ranks, "report": str(report)}
    told: list[RenderableType] = [claims, Text(query, style="italic"), hits_text(hits, explanations), "", table]
    told += [f"\nOpen the report: [bold]{report}[/bold]"]
    told += [f'Search further: sparse-coverage search {escape(as_typed(output / "index"))} "your own claim"']
    show(result, lambda: Group(*told))


def _clear(output: Path) -> None:
    """Remove what an earlier demo left, and nothing else."""
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file. Choose another --output.")
    known = {"model", "index", "report.html"}
    if output.exists() and (foreign := sorted(entry.name for entry in output.iterdir() if entry.name not in known)):
        raise InputError(f"{output} holds other things ({', '.join(foreign[:3])}). Choose another --output.")
    for name in ("model", "index"):
        shutil.rmtree(output / name, ignore_errors=True)
    output.mkdir(parents=True, exist_ok=True)
