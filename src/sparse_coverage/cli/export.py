"""`sparse-coverage export`: an index in a format that another engine reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from sparse_coverage.cli.options import (
    NamesIn,
    index_argument,
    json_option,
    output_option,
    path_option,
    show,
    threads_option,
)
from sparse_coverage.cli.options.searching import weighting_options
from sparse_coverage.errors import InputError
from sparse_coverage.present.records import record

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
@click.option(
    "--bits", type=click.IntRange(1, 16), help="Precision of whole-number weights [8 for anserini, 16 for ciff]."
)
@weighting_options
@threads_option
@json_option
def command(
    index: Path,
    format_: str,
    output: Path,
    query_file: Path | None,
    bits: int | None,
    threads: int | None,
    as_json: bool,
    **scoring: float | None,
) -> None:
    """Write INDEX for another engine. Its plain dot product is then our score, without feedback.

    Document weights are w(d,c) / (|S| + smoothing)^gamma, query weights w(q,c) * idf^alpha; stop centers are left out of
    both. The texts stay in the index.

    \b
    Formats:
      anserini     JsonVectorCollection, whole numbers; queries.tsv repeats terms
      ciff         index.ciff, whole numbers: PISA, Terrier and others
      seismic      documents.jsonl, floats
      csr          documents.npz, floats, for scipy.sparse.load_npz
      safetensors  the same matrix as four tensors

    \b
    Example:
      sparse-coverage export my-index --format ciff -o my-ciff --queries topics.tsv
    """
    from sparse_coverage.formats import export_index

    given = {name: value for name, value in scoring.items() if value is not None}
    source, queries = _open(index, given, query_file, threads)
    exported = export_index(source, output, format_, queries=queries, bits=bits)
    told = (
        f"[bold]{exported.passages:,}[/bold] passages, {exported.postings:,} weights, {exported.queries:,} queries written to "
        f"[bold]{escape(str(output))}[/bold]"
    )
    if exported.bits:
        scale = exported.document_scale * exported.query_scale
        told += f"\n{exported.bits}-bit weights: score = dot product / {scale:.6g}"
    show({"output": str(output), **record(exported)}, as_json, lambda: told, soft_wrap=True)


def _open(
    folder: Path, scoring: dict[str, Any], query_file: Path | None, threads: int | None
) -> tuple[Source, Rows | None]:
    """Open the index, of patents or of imported vectors; the encoder is loaded only if there are queries."""
    from sparse_coverage import Index
    from sparse_coverage.formats import open_source
    from sparse_coverage.formats.queries_in import read_queries
    from sparse_coverage.formats.vectors_in import VectorIndex, is_vector_index, read_vectors
    from sparse_coverage.model import scoring_of
    from sparse_coverage.search.own_model import MODEL_FOLDER

    if is_vector_index(folder):
        if scoring:
            raise InputError(
                f"{folder} holds imported vectors: they are scored as they are, without alpha, gamma and rho."
            )
        imported = VectorIndex.open(folder, threads=threads)
        source = imported.source()
        if query_file is None:
            return source, None
        named = list(read_vectors(query_file))
        return source, source.queries([query.id for query in named], [imported.query(one.weights) for one in named])
    source = open_source(folder, replace(scoring_of(folder / MODEL_FOLDER), feedback=0, **scoring))
    if query_file is None:
        return source, None
    read = read_queries(query_file)
    model = Index.open(folder, threads=threads).model
    vectors = model.encode_query(query.text for query in read)
    return source, source.queries([query.id for query in read], vectors)
