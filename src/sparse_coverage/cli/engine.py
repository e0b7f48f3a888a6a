"""`sparse-coverage engine push | sync | status | search | export | query`: an index on engines that serve many machines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from sparse_coverage.cli.options import (
    NamesIn,
    count_option,
    index_argument,
    json_option,
    output_option,
    path_option,
    show,
)
from sparse_coverage.cli.options.engines import Server, server_options
from sparse_coverage.cli.options.filtering import filter_option
from sparse_coverage.cli.options.inputs import query_argument, read_query
from sparse_coverage.cli.options.searching import k_option, passages_option
from sparse_coverage.errors import InputError
from sparse_coverage.present.records import record, to_json

if TYPE_CHECKING:
    from sparse_coverage.engines.engine import RemoteCollection
    from sparse_coverage.engines.sync import SyncReport
    from sparse_coverage.search import ScoringConfig


model_argument = click.argument("model", type=click.Path(path_type=Path))
gamma_option = click.option(
    "--gamma",
    type=float,
    help="Exponent of the length normalisation, which becomes part of the vectors [that of the model].",
)


@click.group(no_args_is_help=True)
def command() -> None:
    """Serve an index on Qdrant, Milvus, OpenSearch or Elasticsearch, with the same scores.

    \b
    Example:
      sparse-coverage engine push my-index --to qdrant --url http://127.0.0.1:6333
      sparse-coverage engine search my-index "A valve ..." --to qdrant --url http://127.0.0.1:6333
      sparse-coverage engine sync my-index --to qdrant --url http://127.0.0.1:6333
      sparse-coverage engine export my-index --for elasticsearch -o files
    """


@command.command(no_args_is_help=True)
@index_argument
@server_options
@count_option("--shards", default=1, help="Parts, when it is made.")
@count_option("--replicas", default=1, help="Copies of each part.")
@gamma_option
@json_option
def push(index: Path, server: Server, shards: int, replicas: int, gamma: float | None, as_json: bool) -> None:
    """Put INDEX on an engine. After an interruption, the same command goes on where it stopped.

    \b
    Example:
      sparse-coverage engine push my-index --to milvus --url patents.db
      sparse-coverage engine push my-index --to qdrant --url http://a:6333 --url http://b:6333 --shards 4 --replicas 2
    """
    from sparse_coverage.engines.sync import push as push_index
    from sparse_coverage.index import open_store

    opened = server.open(shards, replicas, new=True)
    _tell(push_index(opened, open_store(index), scoring=_scoring(index, gamma)), opened, as_json)


@command.command(no_args_is_help=True)
@index_argument
@server_options
@gamma_option
@json_option
def sync(index: Path, server: Server, gamma: float | None, as_json: bool) -> None:
    """Bring a collection up to date with INDEX: only what is new, changed or gone is sent.

    \b
    Example:
      sparse-coverage index add my-index week-46/
      sparse-coverage engine sync my-index --to qdrant --url http://127.0.0.1:6333
    """
    from sparse_coverage.engines.sync import sync as sync_index
    from sparse_coverage.index import open_store

    opened = server.open()
    _tell(sync_index(opened, open_store(index), scoring=_scoring(index, gamma)), opened, as_json)


@command.command(no_args_is_help=True)
@server_options
@json_option
def status(server: Server, as_json: bool) -> int:
    """Say how an engine is and what the collection holds. The exit status is 1 if something is amiss.

    \b
    Example:
      sparse-coverage engine status --to qdrant --url http://127.0.0.1:6333
    """
    from sparse_coverage.engines.statistics import Statistics

    opened = server.open()
    health = opened.health()
    there = opened.exists()
    text = opened.read_statistics() if there else None
    known = Statistics.from_text(text) if text else None
    facts: dict[str, Any] = {
        **record(health),
        "collection": server.collection,
        "exists": there,
        "finished": known is not None,
        "points": opened.size() if there else 0,
        "passages": known.passages if known else None,
        "documents": known.documents if known else None,
        "scoring": record(known.scoring) if known else None,
    }
    table = Table("what", "how", title=f"{server.engine}, collection {server.collection}")
    for name, value in facts.items():
        shown = ("; ".join(value) or "none") if isinstance(value, list) else value
        table.add_row(name, f"{shown:,}" if isinstance(shown, int) and not isinstance(shown, bool) else str(shown))
    show(facts, as_json, lambda: table)
    return 0 if known is not None and not health.troubles and facts["points"] == known.passages else 1


@command.command(no_args_is_help=True)
@model_argument
@query_argument
@server_options
@k_option
@passages_option
@filter_option
@click.option(
    "--two-phase",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Let this share of the centers, the strongest, find candidates: quicker on some engines, not quite exact.",
)
@count_option("--candidates", default=500, help="How many are scored exactly then.")
@json_option
def search(
    model: Path,
    query: str,
    server: Server,
    k: int,
    passages: int,
    expression: str | None,
    two_phase: float | None,
    candidates: int,
    as_json: bool,
) -> None:
    """Find the prior art of QUERY on an engine. MODEL is the index that was pushed, or only its model folder.

    QUERY is the text of a claim, @FILE, or - for standard input. It may be of any length.

    \b
    Example:
      sparse-coverage engine search my-index @claim.txt --to qdrant --url http://127.0.0.1:6333 --filter "ipc:H04N"
    """
    from sparse_coverage.engines.retriever import EngineRetriever, load_model
    from sparse_coverage.engines.two_phase import TwoPhase
    from sparse_coverage.present.terminal import hits_text
    from sparse_coverage.search import parse_filter

    text = read_query(query).text
    condition = None if expression is None else parse_filter(expression)
    phases = None if two_phase is None else TwoPhase(two_phase, candidates)
    retriever = EngineRetriever(server.open(), load_model(model), two_phase=phases)
    hits = retriever.search(text, k, passages=passages, filter=condition)
    show(hits, as_json, lambda: hits_text(hits, {}, query=text))


@command.command(no_args_is_help=True)
@index_argument
@click.option(
    "--for", "flavor", type=NamesIn("engines.bulk:Flavor", what="engine"), required=True, help="Which engine."
)
@output_option("files")
@gamma_option
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

    report = export_bulk(open_store(index), flavor, output, scoring=_scoring(index, gamma))
    told = (
        f"{report.documents:,} documents, {report.passages:,} passages, {report.files} files of {report.bytes / 1e6:.1f} MB "
        f"in {output}. Load them with: {output}/load.sh URL INDEX"
    )
    click.echo(to_json(report) if as_json else told)


@command.command(no_args_is_help=True)
@model_argument
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
    from sparse_coverage.search.own_model import vocabulary_digest

    def unknown(id_: str) -> list[str]:
        raise InputError(f"{model} is not an index, so the family of {id_} cannot be looked up. Give the index itself.")

    text = read_query(query).text
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
    click.echo(to_json(search_body(flavor, centers, factors, k, passages=passages, condition=condition)))


def _scoring(index: Path, gamma: float | None) -> ScoringConfig:
    """Return how an index is scored by its model, but for a gamma that was asked for."""
    from sparse_coverage.model import scoring_of
    from sparse_coverage.search.own_model import MODEL_FOLDER

    scoring = scoring_of(index / MODEL_FOLDER)
    return scoring if gamma is None else replace(scoring, gamma=gamma)


def _tell(report: SyncReport, collection: RemoteCollection, as_json: bool) -> None:
    points = collection.size()
    told = (
        f"{report.uploaded:,} documents sent ({report.uploaded_passages:,} passages), {report.unchanged:,} unchanged, "
        f"{report.deleted:,} deleted. '{collection.name}' holds {points:,} passages."
    )
    click.echo(to_json({**record(report), "points": points}) if as_json else told)
