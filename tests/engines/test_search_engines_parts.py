"""The parts that all engines share: points, conditions, statistics and retries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import engine_claims
import numpy as np
import pytest
from engine_collection import PATENTS, assert_same_ranking
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage import Index, ScoringConfig, SparseCoverage
from sparse_coverage.engines.engine import (
    NOWHERE,
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
    batches,
    condition_of,
    document_facts,
)
from sparse_coverage.engines.points import LocalDocument, Statistics, read_documents
from sparse_coverage.engines.retriever import EngineRetriever
from sparse_coverage.engines.sync import push, sync
from sparse_coverage.errors import InputError
from sparse_coverage.index import (
    DocumentRecord,
    Filter,
    IndexedPassage,
    IndexStore,
    IndexWriter,
    PassageRecord,
    open_store,
)
from sparse_coverage.index.filters import classified, country, kind
from sparse_coverage.search import Retriever
from sparse_coverage.vectors import SparseVector


class MemoryCollection:
    """A collection in memory: the plainest engine there can be, which the shared parts are held against."""

    name = "memory"
    limit = 16

    def __init__(self) -> None:
        self.points: dict[str, Point] = {}
        self.statistics: str | None = None
        self.requests: list[PointQuery] = []
        self.fails_after: int | None = None

    def health(self) -> EngineHealth:
        return EngineHealth("1", 1, 1, ())

    def exists(self) -> bool:
        return True

    def create(self, dimension: int) -> None: ...

    def drop(self) -> None: ...

    def inventory(self) -> Iterator[tuple[str, str]]:
        yield from ((point.document, point.digest) for point in self.points.values())

    def upload(self, points: Sequence[Point]) -> None:
        if self.fails_after is not None and len(self.points) >= self.fails_after:
            raise EngineError("away")
        self.points |= {point.id: point for point in points}

    def delete(self, documents: Sequence[str], keep: Collection[str] = ()) -> None:
        gone = [p.id for p in self.points.values() if p.document in documents and p.digest not in keep]
        for id_ in gone:
            del self.points[id_]

    def write_statistics(self, text: str, dimension: int) -> None:
        self.statistics = text

    def read_statistics(self) -> str | None:
        return self.statistics

    def search(self, requests: Sequence[PointQuery]) -> list[list[FoundPoint]]:
        self.requests += requests
        return [self._search(request) for request in requests]

    def _search(self, request: PointQuery) -> list[FoundPoint]:
        assert request.limit <= self.limit
        scored = []
        for point in self.points.values():
            if request.condition is None or met(request.condition, point):
                score = product(request.vector, point.vectors[request.part])
                scored.append(FoundPoint(point.id, point.document, score))
        ranked = sorted((found for found in scored if found.score > 0), key=lambda found: -found.score)
        return ranked[: request.limit]

    def show(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        return {id_: self.points[id_].payload() for id_ in ids if id_ in self.points}

    def scores(self, ids: Sequence[str], request: PointQuery) -> dict[str, float]:
        among = replace(request, limit=self.limit, condition=AnyOf("id", tuple(ids)))
        return {found.id: found.score for found in self._search(among)}

    def sizes(self, documents: Sequence[str], condition: Condition | None) -> dict[str, int]:
        chosen = [p for p in self.points.values() if p.document in documents and (not condition or met(condition, p))]
        return dict(Counter(point.document for point in chosen))

    def facts_of(self, document: str) -> list[str]:
        return next((list(point.facts) for point in self.points.values() if point.document == document), [])

    def size(self) -> int:
        return len(self.points)


def product(one: Vector, other: Vector) -> float:
    if isinstance(one, dict):
        assert isinstance(other, dict)
        return sum(weight * other.get(place, 0.0) for place, weight in one.items())
    assert isinstance(other, list)
    return sum(first * second for first, second in zip(one, other, strict=True))


def met(condition: Condition, point: Point) -> bool:
    if isinstance(condition, AnyOf):
        held = getattr(point, condition.field)
        return bool({held} & set(condition.values) if isinstance(held, str) else set(held) & set(condition.values))
    if isinstance(condition, Between):
        return bool(condition.first <= getattr(point, condition.field) <= condition.last)
    if isinstance(condition, AllOf):
        return all(met(part, point) for part in condition.parts)
    if isinstance(condition, OneOf):
        return any(met(part, point) for part in condition.parts)
    assert isinstance(condition, NoneOf)
    return not met(condition.part, point)


def documents_of(store: IndexStore) -> Iterator[LocalDocument]:
    return read_documents(store, Statistics.of(store, ScoringConfig()))


@pytest.fixture
def memory(local: Index) -> MemoryCollection:
    collection = MemoryCollection()
    push(collection, local.store)
    return collection


def test_points_hold_what_the_dot_product_needs(local: Index, engine_model: SparseCoverage, queries: list[str]) -> None:
    vector = engine_model.encode_query(queries[0])
    centers, factors = local.statistics.factors(vector.centers, vector.weights)
    whole = dict(zip(centers.tolist(), factors.tolist(), strict=True))
    scores = {}
    for document in documents_of(local.store):
        for point in document.points():
            scores[point.passage] = product(whole, point.vectors["centers"])
    expected = local.search_passages(queries[0], 1000)
    assert len(scores) == len(local)
    for hit in expected:
        assert scores[hit.id] == pytest.approx(hit.score, rel=2e-6)
    assert sum(score > 0 for score in scores.values()) == len(expected)


def test_the_parts_of_a_point_add_up_to_the_combined_ranking(
    local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    collection = MemoryCollection()
    collection.limit = 10_000
    engine_claims.combines_as_the_index_does(collection, local, engine_model, queries)


def test_a_unit_without_centers_is_kept_but_never_found(tmp_path: Path) -> None:
    nothing = np.zeros(0)
    empty = SparseVector(*(nothing.astype(kind) for kind in "ifiii"), 4, 4)
    one = np.zeros(1, np.int32)
    full = SparseVector(one + 2, np.ones(1, np.float32), one, one, one + 1, 4, 0)
    with IndexWriter.create(tmp_path / "index", 10, {}) as writer:
        units = [
            IndexedPassage(PassageRecord(f"d/{n}", "d", "s", "t"), vector) for n, vector in enumerate([empty, full])
        ]
        writer.add(DocumentRecord("d", "", {}), units)
        writer.commit()
    first, second = next(documents_of(open_store(tmp_path / "index"))).points()
    assert first.vectors == {"centers": {NOWHERE: 1.0}}  # a dimension that no query has
    assert second.vectors == {"centers": {2: 0.5}}


def test_ids_and_digests_do_not_depend_on_the_segments(local: Index) -> None:
    def everything() -> dict[str, tuple[str, str]]:
        return {p.passage: (p.id, p.digest) for d in documents_of(local.store) for p in d.points()}

    before = everything()
    local.merge()
    assert everything() == before
    assert len({id_ for id_, _ in before.values()}) == len(local)


def test_documents_are_found_however_few_passages_an_engine_returns(
    memory: MemoryCollection, local: Index, engine_model: SparseCoverage, queries: list[str]
) -> None:
    retriever: Retriever = EngineRetriever(memory, engine_model, ranking="centers")
    for query in queries:
        for k in (1, 7, 30, 100):  # one request returns 16 passages at most
            found, expected = retriever.search(query, k), local.search(query, k)
            assert_same_ranking(found, expected)
            for one, other in zip(found, expected, strict=True):
                if one.document == other.document:
                    assert_same_ranking(one.passages, other.passages)
    with pytest.raises(InputError, match="at most 16 passages"):
        EngineRetriever(memory, engine_model).search_passages(queries[0], 17)
    with pytest.raises(InputError, match="k must be at least 1"):
        retriever.search(queries[0], 0)


def test_an_interrupted_push_goes_on(local: Index) -> None:
    collection = MemoryCollection()
    collection.fails_after = 0
    with pytest.raises(EngineError, match="away"):
        push(collection, local.store)
    assert collection.statistics is None
    first = next(documents_of(local.store))
    collection.points = {point.id: point for point in list(first.points())[:-1]}
    collection.fails_after = None
    assert (
        push(collection, local.store).uploaded == local.store.state.documents
    )  # a half-sent document counts as missing
    assert len(collection.points) == len(local)


def test_a_document_that_lost_passages_leaves_none_behind(memory: MemoryCollection, local: Index) -> None:
    local.add([replace(PATENTS[6], claims=())], replace=True)
    assert sync(memory, local.store).uploaded == local.store.state.documents
    left = [point.passage for point in memory.points.values() if point.document == PATENTS[6].id]
    assert len(left) == 1
    assert len(memory.points) == len(local)


def test_a_listing_that_came_out_short_is_made_good(memory: MemoryCollection, local: Index) -> None:
    local.delete([PATENTS[10].id])
    whole = list(memory.inventory())
    listings = [[row for row in whole if row[0] != PATENTS[10].id], whole]
    memory.inventory = lambda: iter(listings.pop(0))  # type: ignore[method-assign]
    assert sync(memory, local.store).deleted == 1
    assert not listings
    assert len(memory.points) == len(local)


def test_a_stranger_who_writes_at_the_same_time_is_noticed(memory: MemoryCollection, local: Index) -> None:
    before = memory.statistics
    memory.size = lambda: 7  # type: ignore[method-assign]
    with pytest.raises(EngineError, match="holds 7 passages where the index has"):
        sync(memory, local.store)
    assert memory.statistics == before


@given(
    st.lists(st.from_regex(r"[A-H][0-9]{2}[A-Z] [1-9][0-9]?/[0-9]{2,4}", fullmatch=True), max_size=3),
    st.sampled_from(["A1", "A2", "B1", "T", ""]),
    st.sampled_from(["A", "H", "H04", "H04N", "H04N 5", "H04N 5/4", "H04N 5/44", "B", "B1"]),
)
def test_beginnings_are_met_as_in_the_index(symbols: list[str], code: str, wanted: str) -> None:
    from sparse_coverage.index.stored_fields import collect_columns

    record = DocumentRecord("X", "", {"ipc": [*symbols, "H04N 5/44"][: len(symbols) + 1], "kind": code})
    facts = collect_columns([record])
    terms, _, _ = document_facts(record)
    filter_: Filter = kind(wanted) if wanted in ("A", "B", "B1") else classified(wanted, scheme="ipc")

    class Part:
        def __init__(self) -> None:
            self.facts = facts

    expected = bool(filter_.mask(Part())[0][0])  # type: ignore[arg-type]
    condition = condition_of(filter_, lambda id_: [])
    assert isinstance(condition, AnyOf)
    assert bool(set(condition.values) & set(terms)) == expected


def test_a_filter_of_ones_own_is_a_clear_error() -> None:
    class Mine(Filter):
        def mask(self, segment: object) -> tuple[np.ndarray, bool]:
            return np.ones(1, dtype=bool), False

    with pytest.raises(InputError, match="cannot be said to an engine"):
        condition_of(country("EP") & ~Mine(), lambda id_: [])


def test_statistics_come_back_as_they_were(local: Index) -> None:
    known = Statistics.from_text(Statistics.of(local.store, ScoringConfig()).to_text())
    assert np.array_equal(known.frequencies, local.store.frequencies)
    assert (known.passages, known.documents) == (len(local), local.store.state.documents)
    assert np.array_equal(known.scored(ScoringConfig()).worth, local.statistics.worth)
    with pytest.raises(EngineError, match="format 99"):
        Statistics.from_text('{"format": 99}')


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 9), st.integers(1, 100))
def test_batches_keep_everything_and_their_bounds(sizes: list[int], most_points: int, most_postings: int) -> None:
    points = [
        Point(str(n), "", "", "", "", "", {}, [], 0, 0, "", {"centers": dict.fromkeys(range(size), 1.0)})
        for n, size in enumerate(sizes)
    ]
    made = list(batches(points, most_points, most_postings))
    assert [point.id for batch in made for point in batch] == [point.id for point in points]
    for batch in made:
        assert len(batch) <= most_points
        assert len(batch) == 1 or sum(len(point.vectors["centers"]) for point in batch) <= most_postings


def _failover(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[object]], patience: float = 10.0
) -> tuple[Failover[str], list[float]]:
    now, pauses = [0.0], []
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def sleep(seconds: float) -> None:
        pauses.extend([seconds] if seconds else [])
        now[0] += seconds

    nodes = [(name, name) for name in answers]
    return Failover(nodes, lambda e: isinstance(e, OSError), patience, sleep=sleep), pauses


def test_the_next_node_is_asked_at_once_and_pauses_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: dict[str, list[object]] = {"a": [OSError("x")] * 3, "b": [OSError("y"), OSError("y"), "fine", "again"]}

    def ask(node: str) -> object:
        answer = answers[node].pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    failover, pauses = _failover(monkeypatch, answers)
    assert failover.call("Asking", ask) == "fine"
    assert pauses == [0.1, 0.2]
    assert failover.call("Asking", ask) == "again"  # it stays with the node that answered


def test_patience_ends_with_what_each_node_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(node: str) -> object:
        raise OSError(f"{node} is away")

    failover, pauses = _failover(monkeypatch, {"a": [], "b": []}, patience=3.0)
    with pytest.raises(EngineError, match=r"Asking failed \d+ times in \d s \(a: a is away; b: b is away\)"):
        failover.call("Asking", ask)
    assert sum(pauses) <= 3.0


def test_an_error_that_cannot_pass_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(node: str) -> object:
        asked.append(node)
        raise ValueError("wrong")

    failover, _ = _failover(monkeypatch, {"a": [], "b": []})
    with pytest.raises(ValueError, match="wrong"):
        failover.call("Asking", ask)
    assert asked == ["a"]
