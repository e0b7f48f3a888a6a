"""`sparse-coverage engine` and `export`: an index on Qdrant, and an index as files for other engines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape

from sparse_coverage.cli.options import (
    NamesIn,
    count_option,
    echo,
    gathered,
    index_argument,
    json_option,
    output_option,
    path_option,
    show,
)
from sparse_coverage.cli.options.inputs import query_argument, read_query
from sparse_coverage.cli.options.searching import filter_option, k_option, passages_option
from sparse_coverage.dataclass_json import record

if TYPE_CHECKING:
    from sparse_coverage.engines.qdrant import QdrantCollection
    from sparse_coverage.engines.sync import SyncReport
    from sparse_coverage.formats import Rows, Source
    from sparse_coverage.search import ScoringConfig


@dataclass(frozen=True, slots=True)
class Server:
    """A collection on Qdrant: where it is."""

    urls: tuple[str, ...]
    collection: str
    api_key: str | None

    def open(self, shards: int = 1, replicas: int = 1) -> QdrantCollection:
        """Connect to it."""
        from sparse_coverage.engines.qdrant import QdrantCollection

        return QdrantCollection(self.urls, self.collection, shards=shards, replicas=replicas, api_key=self.api_key)


server_options = gathered(
    "server",
    Server,
    click.option(
        "--url",
        "urls",
        multiple=True,
        required=True,
        help="The address of Qdrant. Repeat it for the nodes of a cluster.",
    ),
    click.option("--collection", default="patents", help="The name of the collection there."),
    click.option("--api-key", envvar="SPARSE_COVERAGE_ENGINE_KEY", help="The key, where one is needed."),
)


model_argument = click.argument("model", type=click.Path(path_type=Path))


@click.group(no_args_is_help=True)
def engine_command() -> None:
    """Serve an index on Qdrant: its centers, words and vectors, with the same scores.

    \b
    Example:
      sparse-coverage engine push my-index --url http://127.0.0.1:6333
      sparse-coverage engine search my-index "A valve ..." --url http://127.0.0.1:6333
    """


@engine_command.command(no_args_is_help=True)
@index_argument
@server_options
@count_option("--shards", default=1, help="Parts, when it is made.")
@count_option("--replicas", default=1, help="Copies of each part.")
@json_option
def push(index: Path, server: Server, shards: int, replicas: int) -> None:
    """Put INDEX on an engine, or bring what is there up to date: only what is new, changed or gone is sent.

    After an interruption, the same command goes on where it stopped.

    \b
    Example:
      sparse-coverage engine push my-index --url http://127.0.0.1:6333
      sparse-coverage engine push my-index --url http://a:6333 --url http://b:6333 --shards 4 --replicas 2
    """
    from sparse_coverage.engines.sync import push as push_index
    from sparse_coverage.index import open_store

    store, scoring = open_store(index), _scoring(index)
    opened = server.open(shards, replicas)
    _tell(push_index(opened, store, scoring=scoring), opened)


@engine_command.command(no_args_is_help=True)
@model_argument
@query_argument
@server_options
@k_option
@passages_option
@filter_option
@click.option(
    "--ranking",
    type=click.Choice(["combined", "centers", "words", "vectors"]),
    default="combined",
    help="Rank by all that the index keeps, or by one part of it.",
)
@json_option
def search(
    model: Path,
    query: str,
    server: Server,
    k: int,
    passages: int,
    expression: str | None,
    ranking: str,
) -> None:
    """Find the prior art of QUERY on an engine. MODEL is the index that was pushed, or only its model folder.

    QUERY is the text of a claim, @FILE, or - for standard input. It may be of any length.

    \b
    Example:
      sparse-coverage engine search my-index @claim.txt --url http://127.0.0.1:6333 --filter "ipc:H04N"
    """
    from sparse_coverage.engines.retriever import EngineRetriever, load_model
    from sparse_coverage.present.terminal import hits_text
    from sparse_coverage.search import parse_filter

    text = read_query(query).text
    condition = None if expression is None else parse_filter(expression)
    retriever = EngineRetriever(server.open(), load_model(model), ranking=ranking)
    hits = retriever.search(text, k, passages=passages, filter=condition)
    show(hits, lambda: hits_text(hits, {}, query=text))


def _scoring(index: Path) -> ScoringConfig:
    """Return how an index is scored by its model."""
    from sparse_coverage.model import scoring_of
    from sparse_coverage.search.own_model import MODEL_FOLDER

    return scoring_of(index / MODEL_FOLDER)


def _tell(report: SyncReport, collection: QdrantCollection) -> None:
    points = collection.size()
    told = (
        f"{report.uploaded:,} documents sent ({report.uploaded_passages:,} passages), {report.unchanged:,} unchanged, "
        f"{report.deleted:,} deleted. '{collection.name}' holds {points:,} passages."
    )
    echo({**record(report), "points": points}, told)


@click.command(no_args_is_help=True)
@index_argument
@click.option(
    "--format",
    "format_",
    required=True,
    type=NamesIn("formats.export:FORMATS", what="format"),
    help="What to write; see above.",
)
@output_option("files")
@path_option(
    "--queries",
    "query_file",
    help="Queries to write too: id, tab, text a line; TREC topics; or .jsonl with id and text.",
)
@click.option("--bits", type=click.IntRange(1, 16), help="Precision of whole-number weights [8].")
@json_option
def export_command(
    index: Path,
    format_: str,
    output: Path,
    query_file: Path | None,
    bits: int | None,
) -> None:
    """Write INDEX for another engine. Its plain dot product is then our score.

    Document weights are w(d,c) / (|S| + smoothing)^gamma, query weights w(q,c) * idf^alpha; stop centers are left out of
    both. The texts stay in the index.

    \b
    Formats:
      anserini     JsonVectorCollection, whole numbers; queries.tsv repeats terms
      csr          documents.npz, floats, for scipy.sparse.load_npz

    \b
    Example:
      sparse-coverage export my-index --format anserini -o my-export --queries topics.tsv
    """
    from sparse_coverage.files import require_free
    from sparse_coverage.formats.export import check_format, export_index

    check_format(format_, bits)
    require_free(output)
    source, queries = _open(index, query_file)
    exported = export_index(source, output, format_, queries=queries, bits=bits)
    told = (
        f"[bold]{exported.passages:,}[/bold] passages, {exported.postings:,} weights, {exported.queries:,} queries written to "
        f"[bold]{escape(str(output))}[/bold]"
    )
    if exported.bits:
        scale = exported.document_scale * exported.query_scale
        told += f"\n{exported.bits}-bit weights: score = dot product / {scale:.6g}"
    show({"output": str(output), **record(exported)}, told, soft_wrap=True)


def _open(folder: Path, query_file: Path | None) -> tuple[Source, Rows | None]:
    """Open the index; the encoder is loaded only if there are queries."""
    from sparse_coverage import Index
    from sparse_coverage.evaluation.trec import read_queries
    from sparse_coverage.formats import open_source
    from sparse_coverage.model import scoring_of
    from sparse_coverage.search.own_model import MODEL_FOLDER

    source = open_source(folder, scoring_of(folder / MODEL_FOLDER))
    if query_file is None:
        return source, None
    read = read_queries(query_file)
    model = Index.open(folder).model
    vectors = model.encode_query(query.text for query in read)
    return source, source.queries([query.id for query in read], vectors)
