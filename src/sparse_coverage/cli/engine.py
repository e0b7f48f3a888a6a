"""`sparse-coverage engine push | sync | status | search | export | query`: an index on engines that serve many machines."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from sparse_coverage.cli.engine_files import export, query, scoring_for
from sparse_coverage.cli.options import count_option, index_argument, json_option, query_argument, read_query
from sparse_coverage.cli.options.engines import baked_gamma_option, engine_options
from sparse_coverage.cli.options.searching import filter_option, k_option, passages_option
from sparse_coverage.errors import InputError
from sparse_coverage.present.records import record, to_json

if TYPE_CHECKING:
    from sparse_coverage.engines.engine import RemoteCollection
    from sparse_coverage.engines.sync import SyncReport


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
@engine_options
@count_option("--shards", default=1, help="Parts, when it is made.")
@count_option("--replicas", default=1, help="Copies of each part.")
@baked_gamma_option
@json_option
def push(
    index: Path,
    engine: str,
    urls: tuple[str, ...],
    collection: str,
    api_key: str | None,
    patience: float,
    shards: int,
    replicas: int,
    gamma: float | None,
    as_json: bool,
) -> None:
    """Put INDEX on an engine. After an interruption, the same command goes on where it stopped.

    \b
    Example:
      sparse-coverage engine push my-index --to milvus --url patents.db
      sparse-coverage engine push my-index --to qdrant --url http://a:6333 --url http://b:6333 --shards 4 --replicas 2
    """
    from sparse_coverage.engines.sync import push as push_index
    from sparse_coverage.index import open_store

    opened = _open(engine, urls, collection, api_key, patience, shards, replicas, new=True)
    _tell(push_index(opened, open_store(index), scoring=scoring_for(index, gamma)), opened, as_json)


@command.command(no_args_is_help=True)
@index_argument
@engine_options
@baked_gamma_option
@json_option
def sync(
    index: Path,
    engine: str,
    urls: tuple[str, ...],
    collection: str,
    api_key: str | None,
    patience: float,
    gamma: float | None,
    as_json: bool,
) -> None:
    """Bring a collection up to date with INDEX: only what is new, changed or gone is sent.

    \b
    Example:
      sparse-coverage index add my-index week-46/
      sparse-coverage engine sync my-index --to qdrant --url http://127.0.0.1:6333
    """
    from sparse_coverage.engines.sync import sync as sync_index
    from sparse_coverage.index import open_store

    opened = _open(engine, urls, collection, api_key, patience)
    _tell(sync_index(opened, open_store(index), scoring=scoring_for(index, gamma)), opened, as_json)


@command.command(no_args_is_help=True)
@engine_options
@json_option
def status(
    engine: str, urls: tuple[str, ...], collection: str, api_key: str | None, patience: float, as_json: bool
) -> int:
    """Say how an engine is and what the collection holds. The exit status is 1 if something is amiss.

    \b
    Example:
      sparse-coverage engine status --to qdrant --url http://127.0.0.1:6333
    """
    from sparse_coverage.engines.statistics import Statistics

    opened = _open(engine, urls, collection, api_key, patience)
    health = opened.health()
    there = opened.exists()
    text = opened.read_statistics() if there else None
    known = Statistics.from_text(text) if text else None
    facts: dict[str, Any] = {
        **record(health),
        "collection": collection,
        "exists": there,
        "finished": known is not None,
        "points": opened.size() if there else 0,
        "passages": known.passages if known else None,
        "documents": known.documents if known else None,
        "scoring": record(known.scoring) if known else None,
    }
    if as_json:
        click.echo(to_json(facts))
    else:
        table = Table("what", "how", title=f"{engine}, collection {collection}")
        for name, value in facts.items():
            shown = ("; ".join(value) or "none") if isinstance(value, list) else value
            table.add_row(name, f"{shown:,}" if isinstance(shown, int) and not isinstance(shown, bool) else str(shown))
        Console().print(table)
    return 0 if known is not None and not health.troubles and facts["points"] == known.passages else 1


@command.command(no_args_is_help=True)
@click.argument("model", type=click.Path(path_type=Path))
@query_argument
@engine_options
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
    engine: str,
    urls: tuple[str, ...],
    collection: str,
    api_key: str | None,
    patience: float,
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

    text = read_query(query)
    condition = None if expression is None else parse_filter(expression)
    opened = _open(engine, urls, collection, api_key, patience)
    phases = None if two_phase is None else TwoPhase(two_phase, candidates)
    retriever = EngineRetriever(opened, load_model(model), two_phase=phases)
    hits = retriever.search(text, k, passages=passages, filter=condition)
    if as_json:
        click.echo(to_json(hits))
    else:
        Console().print(hits_text(hits, {}))


command.add_command(export)
command.add_command(query)


def _open(
    engine: str,
    urls: tuple[str, ...],
    collection: str,
    api_key: str | None,
    patience: float,
    shards: int = 1,
    replicas: int = 1,
    *,
    new: bool = False,
) -> RemoteCollection:
    if engine == "qdrant":
        from sparse_coverage.engines.qdrant import QdrantCollection

        return QdrantCollection(urls, collection, shards=shards, replicas=replicas, api_key=api_key, patience=patience)
    from sparse_coverage.engines.milvus import MilvusCollection

    if len(urls) != 1:
        raise InputError(f"Milvus has one address, not {len(urls)}. Give --url once.")
    if not new and "://" not in urls[0] and not Path(urls[0]).exists():
        raise InputError(f"{urls[0]}: there is no such milvus-lite file. Make it with: sparse-coverage engine push")
    # Its client logs whole tracebacks of errors that are told here in one line.
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
    if replicas != 1:
        raise InputError("Milvus sets replicas when a collection is loaded, not here. Leave --replicas out.")
    return MilvusCollection(urls[0], collection, shards=shards, token=api_key or "", patience=patience)


def _tell(report: SyncReport, collection: RemoteCollection, as_json: bool) -> None:
    if as_json:
        click.echo(to_json({**record(report), "points": collection.size()}))
        return
    click.echo(
        f"{report.uploaded:,} documents sent ({report.uploaded_passages:,} passages), {report.unchanged:,} unchanged, "
        f"{report.deleted:,} deleted. '{collection.name}' holds {collection.size():,} passages."
    )
