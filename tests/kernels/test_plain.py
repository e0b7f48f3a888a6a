"""NumPy in the place of machine code gives the same to the last bit, and a process takes what is sooner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.golden_rankings import FILE, results
from golden.golden_rankings import build as build_golden
from hash_encoder import HashEncoder
from hypothesis import given
from hypothesis import strategies as st
from index.made_up import build, random_document, vector

from sparse_coverage import Index
from sparse_coverage.aggregation import Best, TopMean
from sparse_coverage.errors import IndexStoreError, VocabularyError
from sparse_coverage.index import open_store
from sparse_coverage.index.pages import GuardedArray, page_sums
from sparse_coverage.index.postings import EVERYTHING, Lists, PostingsScorer
from sparse_coverage.kernels import choosing, plain
from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.kernels.postings import check_pages, check_runs, postings_of, spread, sum_pages
from sparse_coverage.kernels.scoring import best_documents, weigh
from sparse_coverage.kernels.shortlist import best_scores
from sparse_coverage.search.ranking import Ranker, ScoringConfig, plain_documents
from sparse_coverage.vectors import ActivationConfig, activate
from sparse_coverage.vocabulary import Anchor, Vocabulary, VocabularyConfig


@pytest.fixture(autouse=True)
def settled() -> Iterator[None]:
    """Whatever a test chooses, the next one runs machine code again."""
    yield
    choosing.use("machine")


def both(function: Any) -> tuple[Any, Any]:
    found = []
    for way in ("machine", "plain"):
        choosing.use(way)  # type: ignore[arg-type]
        found.append(function())
    return found[0], found[1]


def unit_rows(count: int, dimension: int, random: np.random.Generator) -> np.ndarray:
    rows = random.normal(size=(count, dimension)).astype(np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(seed=st.integers(0, 999), dimension=st.integers(1, 70))
def test_the_canonical_product_is_the_same(seed: int, dimension: int) -> None:
    rows = unit_rows(6, dimension, np.random.default_rng(seed))
    products = plain.row_dots(rows[:3], rows[3:])
    assert (1.0 - products).astype(np.float32).tolist() == [canonical_distance(rows[n], rows[n + 3]) for n in range(3)]


def made_vocabulary(centers: np.ndarray, radii: np.ndarray) -> Vocabulary:
    size = len(centers)
    config = VocabularyConfig("x", "x", "fp32", centers.shape[1], "token", size, 99.0, "random", 0, size)
    return Vocabulary(centers, radii, tuple(Anchor("", "", "") for _ in range(size)), config)


@given(
    seed=st.integers(0, 9999),
    k=st.integers(1, 7),
    assignment=st.sampled_from(["soft", "nearest", "hard"]),
    size=st.integers(1, 60),
)
def test_the_same_centers_are_active(seed: int, k: int, assignment: Any, size: int) -> None:
    random = np.random.default_rng(seed)
    centers = unit_rows(size, 24, random)[random.integers(0, size, size)]  # some twice: ties go to the lower number
    spans = np.concatenate([unit_rows(30, 24, random), centers[:5], np.zeros((1, 24), np.float32)])
    distances = 1 - spans @ centers.T
    radii = np.maximum(random.choice(distances.ravel(), size), 1e-6).astype(np.float32)  # some exactly at a border
    config = ActivationConfig(k, assignment)
    machine, numpy = both(lambda: activate(spans, made_vocabulary(centers, radii), config))
    np.testing.assert_array_equal(machine.centers, numpy.centers)
    np.testing.assert_array_equal(machine.similarities, numpy.similarities)


@pytest.mark.parametrize("broken", [np.nan, np.inf, 2.0])
def test_vectors_that_cannot_be_right_are_refused(broken: float) -> None:
    centers = unit_rows(5, 8, np.random.default_rng(0))
    spans = centers.copy()
    spans[3, 2] = broken
    choosing.use("plain")
    with pytest.raises(VocabularyError, match="Vector 3 cannot be used"):
        activate(spans, made_vocabulary(centers, np.ones(5, np.float32)), ActivationConfig())


@given(seed=st.integers(0, 999), k=st.integers(1, 30))
def test_the_same_scores_are_the_best(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.choice(np.array([0, 0.5, 0.25, 1.5, 2, 3], np.float32), 50)
    starts = np.unique(np.concatenate([[0], random.integers(0, 51, 12), [50]])).astype(np.int64)
    starts = np.sort(np.concatenate([starts, starts[2:4]]))  # documents without passages among them
    for one, other in zip(best_scores(scores, k), plain.best_scores(scores, k), strict=True):
        np.testing.assert_array_equal(one, other)
    allowed = random.integers(0, 2, 50).astype(np.uint8)
    for mask in (None, allowed):
        given = scores if mask is None else scores * mask
        for rule in (Best(), TopMean(2), TopMean(5)):
            mine = plain_documents(given, starts, rule, mask, k)
            theirs = best_documents(given, starts, rule.m, k, EVERYTHING if mask is None else mask)
            for one, other in zip(theirs, mine, strict=True):
                np.testing.assert_array_equal(one, other)


@given(seed=st.integers(0, 999), size=st.integers(1, 40_000), damage=st.booleans())
def test_the_same_pages_are_sound(seed: int, size: int, damage: bool) -> None:
    random = np.random.default_rng(seed)
    content = random.integers(0, 256, size).astype(np.uint8)
    sums, mine = np.zeros(-(-size // 4096), np.uint32), np.zeros(-(-size // 4096), np.uint32)
    sum_pages(content, sums)
    plain.sum_pages(content, mine)
    np.testing.assert_array_equal(sums, mine)
    if damage:
        content[random.integers(size)] ^= 7
    offsets = np.sort(np.concatenate([[0], random.integers(0, size + 1, 9), [size]])).astype(np.uint32)
    rows = np.sort(random.choice(10, 4, replace=False))
    for check, arguments in ((check_runs, (offsets, rows, 1)), (check_pages, (0, len(sums)))):
        sound, other = (np.zeros(len(sums), np.uint8) for _ in range(2))
        found = check(content, sums, sound, *arguments)
        assert (found >= 0) == (getattr(plain, check.__name__)(content, sums, other, *arguments) >= 0)
        if found < 0:
            np.testing.assert_array_equal(sound, other)


def test_a_damaged_page_is_named(tmp_path: Path) -> None:
    data = np.arange(9000, dtype=np.uint32)
    sums = page_sums(data)
    data[5000] = 1
    for way in ("machine", "plain"):
        choosing.use(way)  # type: ignore[arg-type]
        with pytest.raises(IndexStoreError, match="damaged at byte 16384"):
            GuardedArray(data, sums, tmp_path / "postings.bin").check_all()


@given(seed=st.integers(0, 999))
def test_small_steps_are_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    worth = np.maximum(random.normal(size=20), 0)
    centers = np.sort(random.choice(20, 8, replace=False)).astype(np.int32)
    weights = random.random(8).astype(np.float32)
    for one, other in zip(weigh(worth, centers, weights), plain.weigh(worth, centers, weights), strict=True):
        np.testing.assert_array_equal(one, other)
    packed = (random.integers(0, 6, 40).astype(np.uint32) << np.uint32(16)) | np.uint32(7)
    one, other = np.zeros(40, np.int64), np.zeros(40, np.int64)
    assert postings_of(packed, np.uint32(3), one) == plain.postings_of(packed, np.uint32(3), other)
    np.testing.assert_array_equal(one, other)
    starts = np.sort(np.concatenate([[0], random.integers(0, 31, 7), [30]])).astype(np.uint32)
    documents, passages, mine = random.random(8) < 0.5, np.zeros(30, bool), np.zeros(30, bool)
    spread(starts, documents, passages)
    plain.spread(starts, documents, mine)
    np.testing.assert_array_equal(passages, mine)


@pytest.mark.parametrize("memory", [2_000, 1 << 20])
def test_an_index_of_several_segments_answers_the_same(tmp_path: Path, memory: int) -> None:
    documents = [random_document(f"D{n}", np.random.default_rng(n)) for n in range(40)]
    build(tmp_path / "index", documents, memory=memory)
    store = open_store(tmp_path / "index")
    query = vector({center: 0.1 + center / 60 for center in range(0, 23, 2)})
    allowed = (np.arange(store.size) % 3 > 0).astype(np.uint8)

    def answers() -> list[Any]:
        ranker = Ranker(open_store(tmp_path / "index"), ScoringConfig(rho=0.1), 1)
        found = [ranker.rank_passages(query, k, mask, 1) for k in (1, 7, 200) for mask in (None, allowed)]
        return [ranker.scores(query).tolist(), *([one.numbers.tolist(), one.scores.tolist()] for one in found)]

    machine, numpy = both(answers)
    assert machine == numpy


def test_a_query_of_another_model_is_refused_in_the_same_words(tmp_path: Path) -> None:
    lists = [Lists(np.zeros(3, np.uint32), GuardedArray(np.zeros(0, np.uint32), np.zeros(0, np.uint32), tmp_path), 4)]
    scorer = PostingsScorer(lists, np.ones(2), np.ones(4, np.float32))
    said = []
    for way in ("machine", "plain"):
        choosing.use(way)  # type: ignore[arg-type]
        with pytest.raises(Exception, match="another model") as refused:
            scorer.best(vector({5: 1.0}), EVERYTHING, range(1), 3)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_rankings_explanations_and_filters_are_those_of_machine_code(tmp_path: Path) -> None:
    build_golden(tmp_path / "eight", "before", "token", count=8)
    choosing.use("plain")
    found = results(Index.open(tmp_path / "eight", encoder=HashEncoder()))
    wanted = json.loads(FILE.read_text(encoding="utf-8"))["eight patents"]
    assert json.loads(json.dumps(found)) == wanted


def test_numpy_is_used_until_it_has_cost_as_much_as_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(choosing, "_CHOICE", choosing._Choice())
    monkeypatch.setattr(choosing, "_LOOK_AGAIN", 0.0)
    monkeypatch.setattr(choosing, "_compile_in_background", lambda: started.append(1))
    compiled = [False]
    monkeypatch.setattr(choosing, "is_compiled", lambda: compiled[0])
    assert not choosing.machine_code(choosing.LOADING / 2)
    assert not started
    assert not choosing.machine_code(choosing.LOADING)
    assert not choosing.machine_code(choosing.LOADING)
    assert started == [1], "it is compiled elsewhere, once"
    compiled[0] = True
    assert choosing.machine_code(0.0)


def test_long_work_compiles_for_itself_where_nobody_else_gets_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "_CHOICE", choosing._Choice())
    monkeypatch.setattr(choosing, "_compile_in_background", lambda: None)
    monkeypatch.setattr(choosing, "is_compiled", lambda: False)
    assert not choosing.machine_code(choosing.LOADING)
    assert not choosing.machine_code(choosing.COMPILING)
    assert choosing.machine_code(0.1)


def test_where_nothing_can_be_kept_a_process_compiles_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "_CHOICE", choosing._Choice())
    monkeypatch.setattr(choosing, "is_compiled", lambda: False)
    monkeypatch.setattr(choosing, "can_keep", lambda: False)
    assert choosing.machine_code(2 * choosing.LOADING)
