"""Qdrant as a cluster of two real nodes: the same ids and scores as the local index, filters and updates included."""

from __future__ import annotations

from collections.abc import Iterator

import engine_claims
import pytest
from engine_collection import PATENTS, assert_same_ranking
from qdrant_server import Node

from sparse_coverage import Index, ScoringConfig, SparseCoverage
from sparse_coverage.engines.engine import EngineError
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.engines.sync import push, sync
from sparse_coverage.errors import InputError, MismatchError


@pytest.fixture
def collection(cluster: list[Node], request: pytest.FixtureRequest) -> Iterator[QdrantCollection]:
    urls = [node.url for node in cluster]
    opened = QdrantCollection(urls, request.node.name, shards=3, replicas=2, patience=20)
    yield opened
    opened.drop()
    opened.close()


def test_a_cluster_ranks_as_the_local_index_does(
    collection: QdrantCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.ranks_as_the_index_does(collection, local, engine_model, queries)
    health = collection.health()
    assert (health.nodes, health.replicas, health.troubles) == (2, 6, ())


def test_a_cluster_combines_as_the_local_index_does(
    collection: QdrantCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.combines_as_the_index_does(collection, local, engine_model, queries)


def test_filters_mean_the_same(
    collection: QdrantCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.filters_mean_the_same(collection, local, engine_model, queries[0])


def test_an_update_sends_only_what_changed(
    collection: QdrantCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.updates_send_only_what_changed(collection, local, engine_model, queries)


def test_what_was_lost_is_found_and_sent_again(collection: QdrantCollection, local: Index) -> None:
    engine_claims.what_was_lost_is_sent_again(collection, local)


def test_an_unfinished_upload_is_not_searched(
    collection: QdrantCollection, local: Index, engine_model: SparseCoverage
) -> None:
    with pytest.raises(EngineError, match="no finished index"):
        EngineRetriever(collection, engine_model, ranking="centers")
    collection.create(local.store.state.dimension)
    with pytest.raises(EngineError, match="no finished index"):
        EngineRetriever(collection, engine_model, ranking="centers")
    push(collection, local.store)
    EngineRetriever(collection, engine_model, ranking="centers")


def test_what_does_not_fit_is_refused(collection: QdrantCollection, local: Index, engine_model: SparseCoverage) -> None:
    with pytest.raises(InputError, match="no collection"):
        sync(collection, local.store)
    push(collection, local.store, scoring=ScoringConfig(gamma=0.25))
    with pytest.raises(MismatchError, match=r"gamma 0\.25"):
        push(collection, local.store)
    with pytest.raises(MismatchError, match=r"gamma 0\.25"):
        EngineRetriever(collection, engine_model, scoring=ScoringConfig(gamma=0.5))
    other = SparseCoverage.fit(PATENTS[:20], encoder=engine_model.encoder, size=50)
    with pytest.raises(MismatchError, match="made with vocabulary"):
        EngineRetriever(collection, other)


def test_gamma_is_in_the_vectors(
    collection: QdrantCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    push(collection, local.store, scoring=ScoringConfig(gamma=0.25))
    scoring = ScoringConfig(gamma=0.25)
    expected = Index.open(local.store.folder, encoder=engine_model.encoder, scoring=scoring, ranking="centers")
    assert_same_ranking(
        EngineRetriever(collection, engine_model, ranking="centers").search(queries[1]), expected.search(queries[1])
    )


def test_nobody_at_the_address_is_a_clear_error() -> None:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed (extra [qdrant])")
    nobody = QdrantCollection(["http://127.0.0.1:9"], "x", patience=0.3)
    with pytest.raises(EngineError, match=r"failed . times in 0 s \(http://127.0.0.1:9: .*Connection refused"):
        nobody.health()
    nobody.close()
