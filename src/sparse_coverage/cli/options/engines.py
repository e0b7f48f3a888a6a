"""Options of `engine`: which foreign search server, and where it is."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import gathered
from sparse_coverage.errors import InputError

if TYPE_CHECKING:
    from sparse_coverage.engines.engine import RemoteCollection


@dataclass(frozen=True, slots=True)
class Server:
    """A collection on an engine: which engine, where it is, and how long it is waited for."""

    engine: str
    urls: tuple[str, ...]
    collection: str
    api_key: str | None
    patience: float

    def open(self, shards: int = 1, replicas: int = 1, *, new: bool = False) -> RemoteCollection:
        """Connect to it; only a `new` collection may be in a file that is not there yet."""
        how: dict[str, Any] = {"shards": shards, "patience": self.patience}
        if self.engine == "qdrant":
            from sparse_coverage.engines.qdrant import QdrantCollection

            return QdrantCollection(self.urls, self.collection, replicas=replicas, api_key=self.api_key, **how)
        from sparse_coverage.engines.milvus import MilvusCollection

        if len(self.urls) != 1:
            raise InputError(f"Milvus has one address, not {len(self.urls)}. Give --url once.")
        (url,) = self.urls
        if not new and "://" not in url and not Path(url).exists():
            raise InputError(f"{url}: there is no such milvus-lite file. Make it with: sparse-coverage engine push")
        # Its client logs whole tracebacks of errors that are told here in one line.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        if replicas != 1:
            raise InputError("Milvus sets replicas when a collection is loaded, not here. Leave --replicas out.")
        return MilvusCollection(url, self.collection, token=self.api_key or "", **how)


server_options = gathered(
    "server",
    Server,
    click.option(
        "--to",
        "engine",
        type=click.Choice(["qdrant", "milvus"]),
        required=True,
        help="Which engine: an extra of the same name installs its client.",
    ),
    click.option(
        "--url",
        "urls",
        multiple=True,
        required=True,
        help="Its address, or a milvus-lite file (*.db). Repeat it for the nodes of a Qdrant cluster.",
    ),
    click.option("--collection", default="patents", help="The name of the collection there."),
    click.option("--api-key", envvar="SPARSE_COVERAGE_ENGINE_KEY", help="The key or token, where one is needed."),
    click.option("--patience", default=60.0, help="Seconds to go on trying while a node is away."),
)
