"""Sparse Coverage beyond one machine: the same vocabulary and the same scores on engines that people already run.

An engine is one file with a collection class and one row of `ENGINES`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparse_coverage.engines.engine import RemoteCollection
from sparse_coverage.errors import InputError, require_package


@dataclass(frozen=True, slots=True)
class CollectionAddress:
    """Where a collection is, or is to be made: addresses, name, key, parts and copies, and how long nodes are waited for."""

    urls: Sequence[str]
    collection: str
    api_key: str | None = None
    patience: float = 60.0
    shards: int = 1
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine by its name, with a label for people, the client that it needs (its extra has the engine's name), and what opens it.

    The last argument of `open` tells whether the collection may be new.
    """

    name: str
    label: str
    client: str
    open: Callable[[CollectionAddress, bool], RemoteCollection]


def _qdrant(place: CollectionAddress, new: bool) -> RemoteCollection:
    from sparse_coverage.engines.qdrant import QdrantCollection

    return QdrantCollection(
        place.urls,
        place.collection,
        shards=place.shards,
        replicas=place.replicas,
        api_key=place.api_key,
        patience=place.patience,
    )


def _milvus(place: CollectionAddress, new: bool) -> RemoteCollection:
    from sparse_coverage.engines.milvus import MilvusCollection

    if len(place.urls) != 1:
        raise InputError(f"Milvus has one address, not {len(place.urls)}. Give --url once.")
    (url,) = place.urls
    if not new and "://" not in url and not Path(url).exists():
        raise InputError(f"{url}: there is no such milvus-lite file. Make it with: sparse-coverage engine push")
    if place.replicas != 1:
        raise InputError("Milvus sets replicas when a collection is loaded, not here. Leave --replicas out.")
    # Its client logs whole tracebacks of errors that are told here in one line.
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
    token = place.api_key or ""
    return MilvusCollection(url, place.collection, shards=place.shards, token=token, patience=place.patience)


ENGINES = {
    one.name: one
    for one in (
        Engine("qdrant", "Qdrant", "qdrant_client", _qdrant),
        Engine("milvus", "Milvus", "pymilvus", _milvus),
    )
}


def open_collection(engine: str, place: CollectionAddress, *, new: bool = False) -> RemoteCollection:
    """Connect to a collection on an engine; only a `new` one may be in a file that is not there yet."""
    if engine not in ENGINES:
        raise InputError(f"There is no engine '{engine}'. The engines are: {', '.join(ENGINES)}.")
    row = ENGINES[engine]
    require_package(row.client, row.label, engine)
    return row.open(place, new)
