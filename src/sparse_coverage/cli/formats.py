"""`sparse-coverage export`: an index for other engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape

from sparse_coverage.cli.options import (
    NamesIn,
    index_argument,
    json_option,
    output_option,
    path_option,
    show,
)
from sparse_coverage.dataclass_json import record

if TYPE_CHECKING:
    from sparse_coverage.formats import Rows, Source


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
