"""Milvus, through its own client and milvus-lite: the same ids and scores as the local index, filters and updates included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import engine_claims
import numpy as np
import pytest
from engine_collection import PATENTS

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.engines.engine import EngineError, Point
from sparse_coverage.engines.milvus import MilvusCollection
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.engines.sync import push
from sparse_coverage.errors import InputError
from sparse_coverage.patents import Paragraph


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[MilvusCollection]:
    pytest.importorskip("milvus_lite", reason="milvus-lite is not installed (extra [milvus])")
    opened = MilvusCollection(str(tmp_path / "milvus.db"), "patents")
    yield opened
    opened.close()


def test_milvus_ranks_as_the_local_index_does(
    collection: MilvusCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.ranks_as_the_index_does(collection, local, engine_model, queries)
    assert collection.health().troubles == ()


def test_milvus_combines_as_the_local_index_does(
    collection: MilvusCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.combines_as_the_index_does(collection, local, engine_model, queries)


def test_filters_mean_the_same(
    collection: MilvusCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.filters_mean_the_same(collection, local, engine_model, queries[0])


def test_an_update_sends_only_what_changed(
    collection: MilvusCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    engine_claims.updates_send_only_what_changed(collection, local, engine_model, queries)


def test_what_was_lost_is_found_and_sent_again(collection: MilvusCollection, local: Index) -> None:
    engine_claims.what_was_lost_is_sent_again(collection, local)


def test_statistics_of_any_length_come_back(collection: MilvusCollection) -> None:
    collection.create(0)
    assert collection.read_statistics() is None
    random = np.random.default_rng(0)
    for length in (200_000, 70_000, 10):
        text = "".join(map(chr, random.integers(97, 123, length)))
        collection.write_statistics(text, 0)
        assert collection.read_statistics() == text
    assert collection.size() == 0


def test_a_text_beyond_what_milvus_keeps_is_shown_without_its_end(
    collection: MilvusCollection, local: Index, engine_model: SparseCoverage
) -> None:
    # Cut between characters, although one of them would straddle the limit.
    long = "The valve seals a pump. " + "ü" * 40_000
    local.add([replace(PATENTS[0], id="XX-long-A1", abstract=(Paragraph(long, "/patent-document/abstract/p[1]"),))])
    push(collection, local.store)
    hits = EngineRetriever(collection, engine_model, ranking="centers").search_passages("The valve seals a pump", 500)
    (text,) = (hit.text for hit in hits if hit.document == "XX-long-A1" and hit.section == "abstract")
    assert long.startswith(text)
    assert len(text.encode()) == 65_534


def test_names_that_milvus_cannot_keep_are_refused(collection: MilvusCollection) -> None:
    collection.create(0)
    point = Point("0", "u" * 2000, "d", "s", "t", "t", {}, [], 0, 0, "", {"centers": {0: 1.0}})
    with pytest.raises(InputError, match="1024 bytes"):
        collection.upload([point])
    with pytest.raises(InputError, match="Milvus keeps 4,096"):
        collection.upload([replace(point, passage="u", facts=["a=b"] * 5000)])


def test_nobody_at_the_address_is_a_clear_error() -> None:
    pytest.importorskip("pymilvus", reason="pymilvus is not installed (extra [milvus])")
    with pytest.raises(EngineError, match="cannot be opened"):
        MilvusCollection("http://127.0.0.1:9", "x", timeout=0.5)
