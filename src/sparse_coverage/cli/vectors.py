"""`sparse-coverage vectors`: index and search vectors that another encoder made."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from sparse_coverage.cli.options import (
    index_argument,
    json_option,
    output_option,
    path_option,
    show,
    threads_option,
    weight_bits_option,
)
from sparse_coverage.cli.options.searching import k_option


@click.group(no_args_is_help=True)
def command() -> None:
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


@command.command("import", no_args_is_help=True)
@click.argument("vectors", type=click.Path(path_type=Path))
@output_option("index")
@weight_bits_option
@json_option
def import_(vectors: Path, output: Path, weight_bits: str, as_json: bool) -> None:
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
    show({"index": str(output), **facts}, as_json, lambda: told, soft_wrap=True)


@command.command("search", no_args_is_help=True)
@index_argument
@click.argument("queries", type=click.Path(path_type=Path))
@k_option
@path_option("--run", help="Write the rankings as a TREC run instead of showing them.")
@threads_option
@json_option
def search(index: Path, queries: Path, k: int, run: Path | None, threads: int | None, as_json: bool) -> None:
    """Rank the documents of INDEX for each vector in the file QUERIES by the dot product of their best passage.

    \b
    Example:
      sparse-coverage vectors search my-vectors queries.jsonl -k 1000 --run run.txt
    """
    from sparse_coverage.evaluation.collection import Ranking
    from sparse_coverage.evaluation.trec import write_run
    from sparse_coverage.formats import VectorIndex
    from sparse_coverage.formats.vectors_in import read_vectors
    from sparse_coverage.present.terminal import rankings_text

    asked = list(read_vectors(queries))
    found = VectorIndex.open(index, threads=threads).search([query.weights for query in asked], k)
    answers = {query.id: hits for query, hits in zip(asked, found, strict=True)}
    if run is not None:
        rankings = {
            id_: Ranking(tuple(hit.document for hit in hits), tuple(hit.score for hit in hits))
            for id_, hits in answers.items()
        }
        write_run(run, rankings, "sparse-coverage", depth=k)
    if as_json or run is None:
        show(answers, as_json, lambda: rankings_text(answers))
