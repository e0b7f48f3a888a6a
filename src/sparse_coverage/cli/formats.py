"""`sparse-coverage export` and `vectors`: an index for other engines, and vectors of other encoders as an index."""

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
    wants_json,
    weight_bits_option,
)
from sparse_coverage.cli.options.searching import k_option, weighting_options, write_rankings
from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.formats import Rows, Source


@click.command(no_args_is_help=True)
@index_argument
@click.option(
    "--format",
    "format_",
    required=True,
    type=NamesIn("formats.export:FORMATS", what="format", open=True),
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
def export_command(
    index: Path,
    format_: str,
    output: Path,
    query_file: Path | None,
    bits: int | None,
    threads: int | None,
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
      elasticsearch, opensearch  index.json and files for the bulk API, floats

    \b
    Example:
      sparse-coverage export my-index --format ciff -o my-ciff --queries topics.tsv
    """
    from sparse_coverage.files import require_free
    from sparse_coverage.formats.export import check_format, export_index

    check_format(format_, bits)
    require_free(output)
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
    show({"output": str(output), **record(exported)}, told, soft_wrap=True)


def _open(
    folder: Path, scoring: dict[str, Any], query_file: Path | None, threads: int | None
) -> tuple[Source, Rows | None]:
    """Open the index, of patents or of imported vectors; the encoder is loaded only if there are queries."""
    from sparse_coverage import Index
    from sparse_coverage.evaluation.trec import read_queries
    from sparse_coverage.formats import open_source
    from sparse_coverage.formats.vector_index import VectorIndex, is_vector_index, read_vectors
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


@click.group(no_args_is_help=True)
def vectors_command() -> None:
    """Index and search vectors that another encoder made, such as SPLADE.

    \b
    A file of vectors has one JSON object a line; passages that name the same document belong together:
      {"id": "EP-1/claim1", "document": "EP-1", "text": "A valve …", "vector": {"valve": 2.1, "spring": 0.4}}
    Only id and vector are needed. Files for Anserini and Seismic can be read as they are.

    \b
    Example:
      sparse-coverage vectors import splade.jsonl -o my-vectors
      sparse-coverage vectors search my-vectors queries.jsonl --run run.txt
      sparse-coverage export my-vectors --format ciff -o my-ciff
    """


@vectors_command.command("import", no_args_is_help=True)
@click.argument("vectors", type=click.Path(path_type=Path))
@output_option("index")
@weight_bits_option
@json_option
def import_(vectors: Path, output: Path, weight_bits: str) -> None:
    """Index the vectors in the file VECTORS (.jsonl or .jsonl.gz). It is read twice.

    \b
    Example:
      sparse-coverage vectors import splade.jsonl -o my-vectors
    """
    from sparse_coverage.formats import import_vectors

    index = import_vectors(vectors, output, weight_bits=int(weight_bits))  # type: ignore[arg-type]
    facts = index.store.manifest
    told = (
        f"[bold]{facts['documents']:,}[/bold] documents, {facts['passages']:,} vectors, {facts['postings']:,} weights of "
        f"{facts['centers']:,} terms\nSaved in [bold]{escape(str(output))}[/bold]."
    )
    show({"index": str(output), **facts}, told, soft_wrap=True)


@vectors_command.command("search", no_args_is_help=True)
@index_argument
@click.argument("queries", type=click.Path(path_type=Path))
@k_option
@path_option("--run", help="Write the rankings as a TREC run instead of showing them.")
@threads_option
@json_option
def search(index: Path, queries: Path, k: int, run: Path | None, threads: int | None) -> None:
    """Rank the documents of INDEX for each vector in the file QUERIES by the dot product of their best passage.

    \b
    Example:
      sparse-coverage vectors search my-vectors queries.jsonl -k 1000 --run run.txt
    """
    from sparse_coverage.formats import VectorIndex
    from sparse_coverage.formats.vector_index import read_vectors
    from sparse_coverage.present.terminal import rankings_text

    asked = list(read_vectors(queries))
    found = VectorIndex.open(index, threads=threads).search([query.weights for query in asked], k)
    answers = {query.id: hits for query, hits in zip(asked, found, strict=True)}
    if run is not None:
        write_rankings(run, answers, "sparse-coverage", k)
    if wants_json() or run is None:
        show(answers, lambda: rankings_text(answers))
