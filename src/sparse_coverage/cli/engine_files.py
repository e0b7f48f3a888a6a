"""`sparse-coverage engine export | query`: files and request bodies for engines that are not talked to here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import (
    index_argument,
    json_option,
    output_option,
    path_option,
    query_argument,
    read_query,
)
from sparse_coverage.cli.options.engines import baked_gamma_option, flavor_option
from sparse_coverage.cli.options.searching import filter_option, k_option, passages_option
from sparse_coverage.errors import InputError
from sparse_coverage.present.records import to_json

if TYPE_CHECKING:
    from sparse_coverage.search import ScoringConfig


def scoring_for(index: Path, gamma: float | None) -> ScoringConfig:
    """Return how an index is scored by its model, but for a gamma that was asked for."""
    from sparse_coverage.model import scoring_of
    from sparse_coverage.search.building import MODEL_FOLDER

    scoring = scoring_of(index / MODEL_FOLDER)
    return scoring if gamma is None else replace(scoring, gamma=gamma)


@click.command(no_args_is_help=True)
@index_argument
@flavor_option
@output_option("files")
@baked_gamma_option
@json_option
def export(index: Path, flavor: Any, output: Path, gamma: float | None, as_json: bool) -> None:
    """Write INDEX as files that OpenSearch or Elasticsearch loads.

    \b
    Example:
      sparse-coverage engine export my-index --for elasticsearch -o files
      files/load.sh http://localhost:9200 patents
      sparse-coverage engine query my-index @claim.txt --from files > body.json
      curl -H 'Content-Type: application/json' localhost:9200/patents/_search --data-binary @body.json
    """
    from sparse_coverage.engines.bulk import export_bulk
    from sparse_coverage.index import open_store

    report = export_bulk(open_store(index), flavor, output, scoring=scoring_for(index, gamma))
    if as_json:
        click.echo(to_json(report))
    else:
        click.echo(
            f"{report.documents:,} documents, {report.passages:,} passages, {report.files} files of {report.bytes / 1e6:.1f} MB "
            f"in {output}. Load them with: {output}/load.sh URL INDEX"
        )


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(path_type=Path))
@query_argument
@path_option("--from", "exported", required=True, help="The folder that `export` made.")
@k_option
@passages_option
@filter_option
def query(model: Path, query: str, exported: Path, k: int, passages: int, expression: str | None) -> None:
    """Print the request body that finds QUERY in an exported index.

    MODEL is the index that was exported, or only its model folder (then a filter cannot name a family).

    \b
    Example:
      sparse-coverage engine query my-index @claim.txt --from files | curl -H 'Content-Type: application/json' \\
        localhost:9200/patents/_search --data-binary @-
    """
    from sparse_coverage.engines.bulk import MOST_CLAUSES, facts_in, read_export, search_body
    from sparse_coverage.engines.conditions import condition_of
    from sparse_coverage.engines.retriever import load_model
    from sparse_coverage.index import open_store
    from sparse_coverage.index.manifest import MANIFEST
    from sparse_coverage.search import parse_filter
    from sparse_coverage.search.building import vocabulary_digest

    def unknown(id_: str) -> list[str]:
        raise InputError(f"{model} is not an index, so the family of {id_} cannot be looked up. Give the index itself.")

    text = read_query(query)
    flavor, known = read_export(exported)
    loaded = load_model(model)
    known.require(vocabulary_digest(loaded), str(exported))
    condition = None
    if expression is not None:
        facts = facts_in(open_store(model)) if (model / MANIFEST).is_file() else unknown
        condition = condition_of(parse_filter(expression), facts)
    vector = loaded.encode_query(text)
    centers, factors = known.scored(known.scoring).factors(vector.centers, vector.weights)
    if len(centers) > MOST_CLAUSES:
        click.echo(
            f"Note: the query has {len(centers):,} centers; a server may refuse more than {MOST_CLAUSES:,} clauses until "
            "indices.query.bool.max_clause_count is raised.",
            err=True,
        )
    body = search_body(flavor, centers, factors, k, passages=passages, condition=condition)
    click.echo(to_json(body))
