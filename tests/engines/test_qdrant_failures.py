"""A node of a real Qdrant cluster is killed while it is searched and while it is written to: nothing wrong, nothing lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from engine_collection import assert_same_ranking
from qdrant_server import REASON, Node, binary, running
from waiting import wait_until

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.engines import sync as sync_module
from sparse_coverage.engines.engine import EngineError, Point, batches
from sparse_coverage.engines.qdrant import QdrantCollection
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.engines.sync import push
from sparse_coverage.search.explaining import trace_query


@pytest.fixture
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """Two nodes of their own for each test, since a test kills them."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed (extra [qdrant])")
    if binary() is None:
        pytest.skip(REASON)
    with running(tmp_path_factory.mktemp("qdrant"), nodes=2) as started:
        yield started


class Watched(QdrantCollection):
    """Tells how many batches were begun, so that a test can strike in the midst of an upload."""

    uploads = 0
    on_upload: Callable[[int], None] = staticmethod(lambda count: None)

    def upload(self, points: Sequence[Point]) -> None:
        self.uploads += 1
        self.on_upload(self.uploads)
        super().upload(points)


def _open(nodes: Sequence[Node], patience: float = 60.0, shards: int = 2) -> Watched:
    return Watched([node.url for node in nodes], "patents", shards=shards, replicas=2, patience=patience, timeout=10)


def _wait_until_whole(collection: QdrantCollection) -> None:
    wait_until(lambda: not collection.health().troubles, "both nodes hold everything")


def _assert_each_node_holds_all(nodes: list[Node], local: Index, model: SparseCoverage, queries: list[str]) -> None:
    for node in nodes:
        alone = _open([node])
        assert alone.size() == len(local)
        retriever = EngineRetriever(alone, model, ranking="centers")
        for query in queries:
            assert_same_ranking(retriever.search(query, 20), local.search(query, 20))
        alone.close()


def test_a_node_killed_under_load_changes_no_answer(
    nodes: list[Node], local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    collection = _open(nodes)
    push(collection, local.store)
    retriever = EngineRetriever(collection, engine_model, ranking="centers")
    traced = [trace_query(engine_model, query) for query in queries]
    expected = [local.search(query, 20) for query in queries]
    stop, answered, wrong = threading.Event(), [0], []

    def client(first: int) -> None:
        place = first
        while not stop.is_set():
            try:
                hits = retriever._hits(retriever.ranker.rank_documents(traced[place], 20, 3))
                assert_same_ranking(hits, expected[place])
            except BaseException as error:
                wrong.append(error)
                return
            answered[0] += 1
            place = (place + 1) % len(queries)

    threads = [threading.Thread(target=client, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for act in (lambda: None, nodes[1].kill, nodes[1].start, nodes[0].kill, nodes[0].start):
        act()
        before = answered[0]
        wait_until(lambda before=before: answered[0] >= before + 20 or wrong, "answers with a node away")
    stop.set()
    for thread in threads:
        thread.join()
    collection.close()
    assert not wrong  # and answers went on in every phase, with either node away


def test_of_three_nodes_any_one_may_be_lost_and_come_back(
    tmp_path: Path, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    if binary() is None:
        pytest.skip(REASON)
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed (extra [qdrant])")
    expected = [local.search(query, 20) for query in queries]
    combined = [{hit.document for hit in local.search(query, 20, ranking="combined")} for query in queries]
    with running(tmp_path / "nodes", nodes=3) as nodes:
        collection = _open(nodes, shards=3)
        push(collection, local.store)
        health = collection.health()
        assert (health.nodes, health.replicas, health.troubles) == (3, 6, ())  # two copies of three shards
        for lost in nodes:
            lost.kill()
            for asked in (node for node in nodes if node is not lost):
                alone = _open([asked])
                by_centers = EngineRetriever(alone, engine_model, ranking="centers")
                by_all = EngineRetriever(alone, engine_model)
                for query, hits, documents in zip(queries, expected, combined, strict=True):
                    assert_same_ranking(by_centers.search(query, 20), hits)
                    assert {hit.document for hit in by_all.search(query, 20)} == documents
                alone.close()
            lost.start()
            _wait_until_whole(collection)
        assert collection.size() == len(local)
        collection.close()


def test_a_node_killed_during_an_upload_loses_nothing(
    nodes: list[Node],
    local: Index,
    engine_model: SparseCoverage,
    queries: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sync_module, "batches", partial(batches, most_points=8))
    collection = _open(nodes)
    away: list[threading.Timer] = []

    def strike(count: int) -> None:
        if count == 3:  # while the request is under way
            away.append(threading.Timer(0.005, nodes[1].kill))
            away.append(threading.Timer(2.0, nodes[1].start))
            for timer in away:
                timer.start()

    collection.on_upload = strike
    report = push(collection, local.store)
    for timer in away:
        timer.join()
    assert report.uploaded_passages == len(local)
    assert collection.uploads > 5
    _wait_until_whole(collection)
    _assert_each_node_holds_all(nodes, local, engine_model, queries)
    collection.close()


def test_an_upload_that_gave_up_is_finished_by_the_next(
    nodes: list[Node],
    local: Index,
    engine_model: SparseCoverage,
    queries: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sync_module, "batches", partial(batches, most_points=8))
    collection = _open(nodes, patience=2.0)
    # Four batches are under way at a time: when the twelfth begins, eight are there for good.
    collection.on_upload = lambda count: nodes[1].kill() if count == 12 else None
    with pytest.raises(EngineError, match="goes on where it stopped"):
        push(collection, local.store)
    collection.on_upload = lambda count: None
    with pytest.raises(EngineError, match=r"not whole|failed"):
        push(collection, local.store)
    nodes[1].start()
    _wait_until_whole(collection)
    report = push(collection, local.store)
    assert 0 < report.unchanged < local.store.state.documents
    _assert_each_node_holds_all(nodes, local, engine_model, queries)
    collection.close()
