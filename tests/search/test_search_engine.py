"""The ranker against the formula, computed the slow way in float64."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "index"))
from made_up import CENTERS, Made, build, random_document, vector
from waiting import SECONDS

from sparse_coverage.aggregation import Aggregation, Best, TopMean, parse_aggregation
from sparse_coverage.errors import IndexStoreError, InputError
from sparse_coverage.index import IndexStore, IndexWriter, allowed_passages, open_store, parse_filter
from sparse_coverage.index.postings import PostingsScorer
from sparse_coverage.search.ranking import Ranker, ScoringConfig

RANDOM = np.random.default_rng(7)
DOCUMENTS = [random_document(f"D{n}", RANDOM, country="EP" if n % 3 else "US") for n in range(60)]
queries = st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-7, 1, width=32), max_size=12)
scorings = st.builds(ScoringConfig, alpha=st.sampled_from([0.0, 1.0, 2.0]), gamma=st.sampled_from([0.0, 0.5, 1.0]),
                     rho=st.sampled_from([0.0, 0.05, 0.3]))  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> IndexStore:
    """Several segments, some documents deleted."""
    folder = tmp_path_factory.mktemp("ranker") / "index"
    build(folder, DOCUMENTS[:10])
    with IndexWriter.open(folder) as writer:
        for number, made in enumerate(DOCUMENTS[10:]):
            writer.add(made.record, made.indexed)
            if number in (20, 33, 40, 45):
                writer.flush()
        for number in (3, 17, 59):
            writer.delete(f"D{number}")
        writer.commit()
    opened = open_store(folder)
    assert len(opened.segments) > 2
    return opened


LIVE = [made for number, made in enumerate(DOCUMENTS) if number not in (3, 17, 59)]


def slow_scores(query: dict[int, float], scoring: ScoringConfig, documents: list[Made]) -> dict[str, float]:
    """Score of each passage, straight from METHOD: raw weights, idf, stop centers, |S|^gamma."""
    units = {f"{made.id}/{n}": unit for made in documents for n, unit in enumerate(made.units)}
    frequency = [sum(c in weights for weights, _ in units.values()) for c in range(CENTERS)]
    count = int(np.floor(scoring.rho * CENTERS + 0.5))
    stop = sorted(range(CENTERS), key=lambda c: (-frequency[c], c))[:count]
    idf = [np.log((len(units) + 1) / (frequency[c] + 1)) + 1 for c in range(CENTERS)]
    return {
        name: sum(
            float(np.float32(query[c]))
            * (max(1, round(float(np.float32(w)) * 65535)) / 65535)
            * idf[c] ** scoring.alpha
            for c, w in weights.items()
            if c in query and c not in stop
        )
        / max(spans, 1) ** scoring.gamma
        for name, (weights, spans) in units.items()
    }


@given(query=queries, scoring=scorings, k=st.integers(1, 30), threads=st.sampled_from([1, 2, 3]))
def test_passages_are_ranked_as_the_formula_says(
    store: IndexStore, query: dict[int, float], scoring: ScoringConfig, k: int, threads: int
) -> None:
    ranking = Ranker(store, scoring, threads).rank_passages(vector(query), k, threads=threads)
    slow = slow_scores(query, scoring, LIVE)
    best = sorted((score for score in slow.values() if score > 0), reverse=True)[:k]
    np.testing.assert_allclose(ranking.scores, best, rtol=1e-5)
    for number, score in zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True):
        assert slow[store.passage(number).id] == pytest.approx(score, rel=1e-5)
    pairs = list(zip((-ranking.scores).tolist(), ranking.numbers.tolist(), strict=True))
    assert pairs == sorted(pairs), "higher score first, then corpus order"


@given(
    query=queries, k=st.integers(1, 10), filter_=st.sampled_from(["country:EP", "country:US", "country:EP country:US"])
)
def test_a_filter_gives_the_best_of_what_it_allows_not_the_allowed_of_the_best(
    store: IndexStore, query: dict[int, float], k: int, filter_: str
) -> None:
    ranker = Ranker(store, ScoringConfig(), 1)
    everything = ranker.rank_passages(vector(query), 10_000)
    allowed = allowed_passages(store, parse_filter(filter_))
    kept = everything.numbers[allowed[everything.numbers] > 0][:k]
    np.testing.assert_array_equal(ranker.rank_passages(vector(query), k, allowed).numbers, kept)


@given(
    query=queries,
    k=st.integers(1, 20),
    rank=st.sampled_from(["best", "top-mean:2", "top-mean:5"]),
    every=st.sampled_from([1, 2, 3]),
)
def test_documents_follow_from_those_of_their_passages_that_may_be_found(
    store: IndexStore, query: dict[int, float], k: int, rank: str, every: int
) -> None:
    allowed = (np.arange(store.size) % every == 0).astype(np.uint8)
    found = Ranker(store, ScoringConfig(rank=rank), 1).rank_documents(vector(query), k, allowed, 3)
    slow, aggregation = slow_scores(query, ScoringConfig(), LIVE), parse_aggregation(rank)
    may = {store.passage(number).id for number in np.flatnonzero(allowed).tolist()}

    def combined(made: Made) -> float:
        mine = [f"{made.id}/{n}" for n in range(len(made.units))]
        falling = sorted((slow[name] for name in mine if name in may), reverse=True) or [0.0]
        return sum(falling[: aggregation.m]) / len(falling[: aggregation.m])

    best = sorted((score for score in map(combined, LIVE) if score > 0), reverse=True)[:k]
    np.testing.assert_allclose([one.score for one in found], best, rtol=1e-5)
    for one in found:
        names = [store.passage(unit).id for unit in one.passages.tolist()]
        assert all(name.startswith(f"{store.document(one.number).id}/") for name in names)
        np.testing.assert_allclose(one.passage_scores, [slow[name] for name in names], rtol=1e-5)
        assert (np.diff(one.passage_scores) <= 0).all()


def test_the_cost_counts_the_lists_that_are_read(store: IndexStore) -> None:
    query = dict.fromkeys(range(CENTERS), 0.5)
    ranker = Ranker(store, ScoringConfig(rho=0.1), 1)
    centers, stop_centers, postings = ranker.lists_read(vector(query))
    stop = ranker.statistics.stop
    assert (centers, stop_centers) == (int((~stop).sum()), int(stop.sum())) == (21, 2)
    lists = sum(segment.postings.frequencies for segment in store.segments)
    assert postings == int(np.asarray(lists)[~stop].sum())


def test_a_search_that_fails_leaves_nothing_running(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    really, begun, ended = PostingsScorer.best, threading.Event(), []

    def damaged_first(scorer: PostingsScorer, query: Any, allowed: Any, segments: range, k: int) -> Any:
        if segments.start == 0:
            begun.wait(SECONDS)
            raise IndexStoreError("damaged")
        begun.set()
        time.sleep(0.2)
        ended.append(segments)
        return really(scorer, query, allowed, segments, k)

    monkeypatch.setattr(PostingsScorer, "best", damaged_first)
    with pytest.raises(IndexStoreError, match="damaged"):
        Ranker(store, ScoringConfig(), 2).rank_passages(vector({1: 0.5}), 5, threads=2)
    assert ended


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_searches_on_threads_of_its_own(store: IndexStore) -> None:
    ranker = Ranker(store, ScoringConfig(), 2)
    here = ranker.rank_passages(vector({1: 0.5, 2: 0.7}), 5, threads=2).numbers.tolist()
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def search() -> None:
        answers.put(ranker.rank_passages(vector({1: 0.5, 2: 0.7}), 5, threads=2).numbers.tolist())

    child = context.Process(target=search, daemon=True)
    child.start()
    child.join(SECONDS)
    assert child.exitcode == 0
    assert answers.get() == here


def test_an_index_without_documents_answers_nothing(tmp_path: Path) -> None:
    build(tmp_path / "index", [])
    ranker = Ranker(open_store(tmp_path / "index"), ScoringConfig(), 2)
    assert len(ranker.rank_passages(vector({1: 0.5}), 5, threads=2).numbers) == 0
    assert ranker.rank_documents(vector({1: 0.5}), 5, None, 3) == []


@pytest.mark.parametrize(("text", "meant"), [("best", Best()), ("top-mean:2", TopMean(2)), ("top-mean", TopMean(3))])
def test_aggregations_have_names(text: str, meant: Aggregation) -> None:
    assert parse_aggregation(text) == meant


@pytest.mark.parametrize("text", ["", "worst", "best:3", "top-mean:x", "top-mean:0", "decayed-sum:0.5"])
def test_an_aggregation_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_aggregation(text)
