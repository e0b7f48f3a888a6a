"""Serving on Qdrant (extra [qdrant]): one node or a cluster with shards and replicas."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sparse_coverage.engines.engine import (
    NOWHERE,
    SHOWN,
    AllOf,
    AnyOf,
    Between,
    Condition,
    EngineError,
    EngineHealth,
    Failover,
    FoundPoint,
    NoneOf,
    OneOf,
    Point,
    PointQuery,
    Vector,
    all_of,
    documents_but,
    first_line,
)
from sparse_coverage.errors import InputError, require_package

R = TypeVar("R")
_PAGE = 4096
_PASSAGES = NoneOf(AnyOf("document", ("",)))  # everything but the statistics
# The one point that is no passage; its id is the smallest there is.
_STATISTICS = "00000000-0000-0000-0000-000000000000"


class QdrantCollection:
    """A collection on Qdrant.

    `urls` are the nodes of one cluster: when one does not answer, the next is asked. `shards` and `replicas` count when the
    collection is made; a write is safe when all replicas have it (`write_consistency_factor` = replicas). `patience` is how
    long, in seconds, a request is tried again while nodes are away.
    """

    limit = 100_000
    """The most points that one request can return."""

    def __init__(
        self,
        urls: Sequence[str],
        name: str,
        *,
        shards: int = 1,
        replicas: int = 1,
        on_disk: bool = False,
        api_key: str | None = None,
        timeout: int = 60,
        patience: float = 60.0,
    ) -> None:
        if not urls:
            raise InputError("Qdrant needs the address of at least one node, such as http://127.0.0.1:6333.")
        require_package("qdrant_client", "Qdrant", "qdrant")
        import qdrant_client

        self.name = name
        self._models: Any = qdrant_client.models
        self._shards, self._replicas, self._on_disk = shards, replicas, on_disk
        clients = [
            # Its own check warns of any difference; `health` tells the version instead.
            (url, qdrant_client.QdrantClient(url=url, api_key=api_key, timeout=timeout, check_compatibility=False))
            for url in urls
        ]
        self._clients = clients
        self._nodes = Failover(clients, _passes, patience)

    def health(self) -> EngineHealth:
        """Ask for the version, the peers, and the state of each replica of the collection."""
        version = str(self._ask("Asking for the version", lambda client: client.info()).version)
        status = self._ask("Asking for the cluster", lambda client: client.cluster_status())
        peers = getattr(status, "peers", None) or {"": None}
        troubles = [
            f"peer {peer} does not answer ({failure.latest_error or 'no reason given'})"
            for peer, failure in (getattr(status, "message_send_failures", None) or {}).items()
        ]
        replicas = 0
        if self.exists():
            shards = self._ask("Asking for the shards", lambda client: client.collection_cluster_info(self.name))
            for shard in [*shards.local_shards, *shards.remote_shards]:
                replicas += 1
                state = getattr(shard.state, "value", str(shard.state))
                if state != "Active":
                    where = getattr(shard, "peer_id", shards.peer_id)
                    troubles.append(f"shard {shard.shard_id} on peer {where} is {state}")
            troubles += [f"shard {move.shard_id} is being copied" for move in shards.shard_transfers]
        return EngineHealth(version, len(peers), replicas, tuple(troubles))

    def exists(self) -> bool:
        """Tell whether the collection is there."""
        return bool(self._ask("Looking for the collection", lambda client: client.collection_exists(self.name)))

    def create(self, dimension: int) -> None:
        """Make the collection and the indexes of what filters look up; what is there already stays."""
        models = self._models
        if not self.exists():
            index = models.SparseVectorParams(index=models.SparseIndexParams(on_disk=self._on_disk))
            # Without a graph: dense vectors are compared one by one, exactly.
            plain = models.HnswConfigDiff(m=0)
            dense = models.VectorParams(
                size=dimension or 1, distance=models.Distance.DOT, hnsw_config=plain, on_disk=self._on_disk
            )
            self._ask(
                "Making the collection",
                lambda client: client.create_collection(
                    self.name,
                    vectors_config={"vectors": dense} if dimension else {},
                    sparse_vectors_config={"centers": index, "words": index},
                    shard_number=self._shards,
                    replication_factor=self._replicas,
                    write_consistency_factor=self._replicas,
                    on_disk_payload=True,
                ),
            )
        fields = {"facts": "keyword", "document": "keyword", "published": "integer", "priority": "integer"}
        for field, kind in fields.items():
            schema = models.PayloadSchemaType(kind)
            self._ask(
                "Making an index for filters",
                lambda client, field=field, schema=schema: client.create_payload_index(self.name, field, schema),  # type: ignore[misc]
            )

    def drop(self) -> None:
        """Delete the collection with everything in it."""
        self._ask("Deleting the collection", lambda client: client.delete_collection(self.name))

    def inventory(self) -> Iterator[tuple[str, str]]:
        """Yield document and digest of every point that all replicas hold: one that only some hold must be sent again."""
        everything = self._models.ReadConsistencyType.ALL
        offset: Any = None
        while True:
            records, offset = self._ask(
                "Listing what is there",
                lambda client, offset=offset: client.scroll(  # type: ignore[misc]
                    self.name,
                    scroll_filter=self._filter(_PASSAGES),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=["document", "digest"],
                    consistency=everything,
                ),
            )
            for record in records:
                yield record.payload["document"], record.payload["digest"]
            if offset is None:
                return

    def upload(self, points: Sequence[Point]) -> None:
        """Write points; returns when every replica has them."""
        made = [self._point(point.id, point.vectors, point.payload()) for point in points]
        self._ask("Uploading", lambda client: client.upsert(self.name, made, wait=True))

    def delete(self, documents: Sequence[str], keep: Collection[str] = ()) -> None:
        """Delete the points of some documents, those with a digest in `keep` excepted."""
        chosen = self._models.FilterSelector(filter=self._filter(documents_but(documents, keep)))
        self._ask("Deleting", lambda client: client.delete(self.name, chosen, wait=True))

    def write_statistics(self, text: str, dimension: int) -> None:
        """Keep the statistics as the payload of one point without a document."""
        point = self._point(_STATISTICS, {"centers": {NOWHERE: 1.0}}, {"document": "", "statistics": text})
        self._ask("Writing the statistics", lambda client: client.upsert(self.name, [point], wait=True))

    def read_statistics(self) -> str | None:
        """Return the statistics, or None where none were written yet."""
        found = self._ask("Reading the statistics", lambda client: client.retrieve(self.name, [_STATISTICS]))
        return str(found[0].payload["statistics"]) if found else None

    def search(self, requests: Sequence[PointQuery]) -> list[list[FoundPoint]]:
        """Return the best points of each request, exactly."""
        made = [
            self._models.QueryRequest(
                query=self._vector(request.vector),
                using=request.part,
                params=_exact(self._models),
                limit=request.limit,
                filter=None if request.condition is None else self._filter(request.condition),
                with_payload=["document"],
            )
            for request in requests
        ]
        answers = self._ask("Searching", lambda client: client.query_batch_points(self.name, made))
        return [
            [FoundPoint(str(one.id), one.payload["document"], one.score) for one in answer.points if one.score > 0]
            for answer in answers
        ]

    def show(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """Return what points are shown with, by id."""
        found = self._ask("Reading passages", lambda client: client.retrieve(self.name, list(ids), with_payload=SHOWN))
        return {str(point.id): point.payload for point in found}

    def scores(self, ids: Sequence[str], request: PointQuery) -> dict[str, float]:
        """Return the exact scores of some points: a search among these alone, which costs Qdrant less than sending them."""
        models = self._models
        answer = self._ask(
            "Scoring",
            lambda client: client.query_points(
                self.name,
                query=self._vector(request.vector),
                using=request.part,
                search_params=_exact(models),
                query_filter=models.Filter(must=[models.HasIdCondition(has_id=list(ids))]),
                limit=len(ids),
                with_payload=False,
            ),
        )
        return {str(point.id): point.score for point in answer.points if point.score > 0}

    def facts_of(self, document: str) -> list[str]:
        """Return the facts of a document; none if it is not there."""
        condition = self._filter(AnyOf("document", (document,)))
        records, _ = self._ask(
            "Looking a document up",
            lambda client: client.scroll(self.name, scroll_filter=condition, limit=1, with_payload=["facts"]),
        )
        return [str(fact) for fact in records[0].payload["facts"]] if records else []

    def sizes(self, documents: Sequence[str], condition: Condition | None) -> dict[str, int]:
        """Return how many points each of some documents has, or how many of them meet a condition."""
        chosen = self._filter(all_of([condition, AnyOf("document", tuple(documents))]) or _PASSAGES)
        counted = self._ask(
            "Counting",
            lambda client: client.facet(
                self.name, "document", facet_filter=chosen, limit=max(1, len(documents)), exact=True
            ),
        )
        return {str(hit.value): int(hit.count) for hit in counted.hits}

    def size(self) -> int:
        """Return how many points the collection holds, the statistics left out."""
        passages = self._filter(_PASSAGES)
        return int(self._ask("Counting", lambda client: client.count(self.name, passages, exact=True)).count)

    def information(self) -> Any:
        """Return what Qdrant says of the collection; `status` is green when it has nothing left to rearrange."""
        return self._ask("Asking for the collection", lambda client: client.get_collection(self.name))

    def close(self) -> None:
        """Close the connections."""
        for _, client in self._clients:
            client.close()

    def _ask(self, what: str, ask: Callable[[Any], R]) -> R:
        """Ask a node; what it refuses becomes an error that says what was asked for."""
        try:
            return self._nodes.call(what, ask)
        except EngineError:
            raise
        except Exception as error:
            raise EngineError(f"{what} in '{self.name}' failed: Qdrant says {first_line(error)}") from error

    def _filter(self, condition: Condition) -> Any:
        """Return a condition as Qdrant's filter."""
        part = self._part(condition)
        return part if isinstance(part, self._models.Filter) else self._models.Filter(must=[part])

    def _part(self, condition: Condition) -> Any:
        models = self._models
        if isinstance(condition, AnyOf):
            return models.FieldCondition(key=condition.field, match=models.MatchAny(any=list(condition.values)))
        if isinstance(condition, Between):
            bounds = models.Range(gte=condition.first, lte=condition.last)
            return models.FieldCondition(key=condition.field, range=bounds)
        if isinstance(condition, AllOf):
            return models.Filter(must=[self._part(part) for part in condition.parts])
        if isinstance(condition, OneOf):
            return models.Filter(should=[self._part(part) for part in condition.parts])
        return models.Filter(must_not=[self._part(condition.part)])

    def _point(self, id_: str, vectors: Mapping[str, Vector], payload: dict[str, Any]) -> Any:
        made = {part: self._vector(vector) for part, vector in vectors.items()}
        return self._models.PointStruct(id=id_, vector=made, payload=payload)

    def _vector(self, vector: Vector) -> Any:
        if isinstance(vector, list):
            return vector
        return self._models.SparseVector(indices=list(vector), values=list(vector.values()))


def _exact(models: Any) -> Any:
    """Return the settings of a search that leaves nothing out."""
    return models.SearchParams(exact=True)


def _passes(error: Exception) -> bool:
    """Tell whether an error may pass: nobody answers, or the server itself is in trouble."""
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        return error.status_code is None or error.status_code >= 500 or error.status_code in (408, 429)
    return isinstance(error, ResponseHandlingException)
