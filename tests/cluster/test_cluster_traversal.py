"""Farthest-first over shares of the points gives the sequence of one machine: always, and after the loss of a worker."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from made_collection import kill_one

from sparse_coverage.cluster import connect, traversal
from sparse_coverage.cluster.traversal import Candidates, PointsFile, Share
from sparse_coverage.errors import VocabularyError
from sparse_coverage.files import write_json
from sparse_coverage.vocabulary import SpanSample
from sparse_coverage.vocabulary.farthest_first import farthest_first


def write_sample(folder: Path, points: np.ndarray) -> SpanSample:
    (folder / "points.f16").write_bytes(points.astype(np.float16).tobytes())
    (folder / "anchors.jsonl").write_text("".join(json.dumps([str(row), "", ""]) + "\n" for row in range(len(points))))
    facts = {"spans": len(points), "dimension": points.shape[1], "documents": 1, "first": "", "seen": {}, "sha256": {}}
    write_json(folder / "sample.json", facts)
    return SpanSample(folder)


class InThisProcess:
    """The shares of a traversal without a cluster."""

    def __init__(self, sample: SpanSample, bounds: list[int], count: int) -> None:
        self.shares = [Share(PointsFile.of(sample), first, last, count, 1) for first, last in pairwise(bounds)]

    def meet(self, rows: np.ndarray, met: int) -> list[Candidates]:
        return [share.meet(rows[met:]) for share in self.shares]


@settings(max_examples=examples(20))
@given(
    total=st.integers(1, 400),
    grid=st.integers(1, 6),
    cuts=st.sets(st.integers(1, 399), max_size=4),
    seed=st.integers(0, 5),
    share=st.floats(0, 1),
)
def test_shares_choose_what_one_machine_chooses_ties_included(
    total: int, grid: int, cuts: set[int], seed: int, share: float
) -> None:
    random = np.random.default_rng(seed)
    # Points of a coarse grid: many are equal, and many equally far.
    points = random.integers(-grid, grid + 1, (total, 3)).astype(np.float32)
    points[~points.any(axis=1)] = 1
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Small blocks and pools, so that most points stay behind a threshold.
        patch.setattr("sparse_coverage.vocabulary.farthest_first.SMALLEST_BLOCK", 4)
        patch.setattr("sparse_coverage.vocabulary.farthest_first.BLOCKS_AHEAD", 2)
        patch.setattr("sparse_coverage.vocabulary.farthest_first.POOL", 2)
        sample = write_sample(Path(folder), points)
        most = len(np.unique(np.asarray(sample.points.rows(np.arange(total))), axis=0))
        count = 1 + int(share * (most - 1))
        try:
            expected = farthest_first(sample.points, count, seed=seed, threads=1)
        except VocabularyError:  # points that differ and still count as one
            return
        bounds = [0, *sorted(cut for cut in cuts if cut < total), total]
        chosen = traversal._Chosen(count, seed)
        shares: Any = InThisProcess(sample, bounds, count)
        traversal._walk(sample.points, chosen, shares, Path(folder) / "saved")
    np.testing.assert_array_equal(chosen.rows, expected.rows)
    np.testing.assert_array_equal(chosen.gaps, expected.distances)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SpanSample:
    random = np.random.default_rng(1)
    points = random.standard_normal((20_000, 24)) + 2 * random.standard_normal((30, 24))[random.integers(0, 30, 20_000)]
    points[5_000:5_500] = points[15_000:15_500]  # equal points in different shares
    return write_sample(tmp_path_factory.mktemp("points"), points / np.linalg.norm(points, axis=1, keepdims=True))


def test_a_traversal_loses_two_workers_and_stays_the_same(
    nodes: object, sample: SpanSample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met, killed = [], []
    meet, start = traversal._Shares.meet, traversal._Shares._start

    def kill_on_the_way(shares: traversal._Shares, rows: np.ndarray, known: int) -> list[Candidates]:
        met.append(len(rows))
        if len(met) in (3, 6):
            killed.append(kill_one("Share"))
        return meet(shares, rows, known)

    started = []

    def count_starts(shares: traversal._Shares, place: int) -> object:
        started.append(place)
        return start(shares, place)

    monkeypatch.setattr(traversal._Shares, "meet", kill_on_the_way)
    monkeypatch.setattr(traversal._Shares, "_start", count_starts)
    with connect() as cluster:
        found = traversal.traverse(cluster, PointsFile.of(sample), 2_000, 4, tmp_path / "saved")
    assert killed == [True, True]
    assert len(started) == 4  # two shares, and two that took their place
    assert met[5] < 2_000 - 100  # both were killed well before the end
    expected = farthest_first(sample.points, 2_000, seed=4, threads=1)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_a_traversal_goes_on_from_the_centers_that_were_saved(
    nodes: object, sample: SpanSample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect() as cluster:
        first = traversal.traverse(cluster, PointsFile.of(sample), 300, 4, tmp_path / "saved")
        longer = traversal.traverse(cluster, PointsFile.of(sample), 700, 4, tmp_path / "saved")
        monkeypatch.setattr(traversal, "_Shares", None)  # nobody is asked for what is known
        again = traversal.traverse(cluster, PointsFile.of(sample), 500, 4, tmp_path / "saved")
    expected = farthest_first(sample.points, 700, seed=4, threads=1)
    np.testing.assert_array_equal(first.rows, expected.rows[:300])
    np.testing.assert_array_equal(longer.rows, expected.rows)
    np.testing.assert_array_equal(longer.distances, expected.distances)
    np.testing.assert_array_equal(again.rows, expected.rows[:500])


def test_too_few_points_are_an_error_that_says_how_many(nodes: object, tmp_path: Path) -> None:
    points = np.eye(4, dtype=np.float32)[np.arange(9_000) % 4]
    with connect() as cluster, pytest.raises(VocabularyError, match="4 distinct points"):
        traversal.traverse(cluster, PointsFile.of(write_sample(tmp_path, points)), 5, 0, tmp_path / "saved")
