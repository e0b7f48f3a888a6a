"""The lazy traversal chooses exactly what the plain one does, whatever the data, the blocks and the threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import plain_farthest_first, unit

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels.dense import canonical_distance
from sparse_coverage.vocabulary import farthest_first as farthest_first_module
from sparse_coverage.vocabulary.build import seed_by_distance
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.points import Points


@st.composite
def clouds(draw: st.DrawFn) -> np.ndarray:
    """Unit vectors with clusters, exact duplicates and near ties (neighbours in float32, far below any screen's error)."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    total, dimension = draw(st.integers(2, 260)), draw(st.integers(2, 70))
    kind = draw(st.sampled_from(["gaussian", "clusters", "grid", "lattice", "onehot"]))
    if kind == "gaussian":
        vectors = random.standard_normal((total, dimension))
    elif kind == "clusters":
        heart = random.standard_normal((draw(st.integers(1, 8)), dimension))
        vectors = heart[random.integers(0, len(heart), total)] + 0.1 * random.standard_normal((total, dimension))
    elif kind == "grid":
        vectors = random.integers(-1, 2, (total, dimension)).astype(np.float64)
        vectors[~vectors.any(axis=1), 0] = 1
    elif kind == "lattice":  # few directions in few dimensions: equal distances everywhere, at every stage
        dimension = min(dimension, 5)
        vectors = random.integers(-2, 3, (total, dimension)).astype(np.float64)
        vectors[~vectors.any(axis=1), 0] = 1
    else:
        vectors = np.eye(dimension)[random.integers(0, dimension, total)]
    points = unit(vectors)
    copies = random.integers(0, total, (2, draw(st.integers(0, total // 2))))
    points[copies[0]] = points[copies[1]]
    near = random.integers(0, total, draw(st.integers(0, total // 3)))
    points[near] = np.nextafter(points[near], np.float32(1))
    return points


@settings(max_examples=examples(50))
@given(
    points=clouds(),
    share=st.floats(0, 1),
    seed=st.integers(0, 10),
    block=st.sampled_from([1, 3, 17, 64, None]),
    threads=st.sampled_from([1, 2]),
)
def test_the_sequence_is_that_of_the_plain_algorithm(
    points: np.ndarray, share: float, seed: int, block: int | None, threads: int
) -> None:
    first = int(np.random.default_rng(seed).integers(len(points)))
    rows, gaps = plain_farthest_first(points, len(points), first)
    count = max(1, round(share * len(rows)))
    found = farthest_first(points, count, seed=seed, block=block, threads=threads)
    assert found.rows.tolist() == rows[:count]
    assert found.distances.tolist() == gaps[:count]


@settings(max_examples=examples(15))
@given(points=clouds(), seed=st.integers(0, 3))
def test_too_few_distinct_points_is_an_error_that_counts_them(points: np.ndarray, seed: int) -> None:
    first = int(np.random.default_rng(seed).integers(len(points)))
    rows, _ = plain_farthest_first(points, len(points) + 1, first)
    with pytest.raises(VocabularyError, match=f"hold only {len(rows):,} distinct"):
        farthest_first(points, len(rows) + 1, seed=seed)


@pytest.mark.parametrize("asked", [31, 101, 10_000])
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_more_centers_than_different_rows_fail_before_the_walk_begins(
    asked: int, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = unit(np.random.default_rng(0).standard_normal((30, 8)))[np.arange(100) % 30].astype(kind)
    assert len(farthest_first(Points(points), 30).rows) == 30
    monkeypatch.setattr(farthest_first_module, "Walk", None)
    with pytest.raises(
        VocabularyError, match=f"{asked:,} centers .* the 100 spans hold only 30 distinct points at most"
    ):
        farthest_first(Points(points), asked)
    with pytest.raises(VocabularyError, match="only 30 distinct points at most"):
        seed_by_distance(Points(points), asked)


@settings(max_examples=examples(15))
@given(points=clouds(), seed=st.integers(0, 3), threads=st.sampled_from([1, 2]))
def test_float16_points_stand_for_unit_vectors(points: np.ndarray, seed: int, threads: int) -> None:
    packed = points.astype(np.float16)
    rows = Points(packed).rows(np.arange(len(packed)))
    np.testing.assert_allclose(rows, unit(packed.astype(np.float64)), rtol=2e-7, atol=1e-9)
    expected, _ = plain_farthest_first(rows, 20, int(np.random.default_rng(seed).integers(len(rows))))
    found = farthest_first(Points(packed), len(expected), seed=seed, threads=threads)
    assert found.rows.tolist() == expected


def test_a_saved_state_is_taken_up_and_extended(tmp_path: Path) -> None:
    points = unit(np.random.default_rng(1).standard_normal((4000, 32)))
    whole = farthest_first(points, 500, seed=3)
    checkpoint = tmp_path / "state.npz"
    farthest_first(points, 120, seed=3, checkpoint=checkpoint)
    longer = farthest_first(points, 500, seed=3, checkpoint=checkpoint)
    shorter = farthest_first(points, 60, seed=3, checkpoint=checkpoint)
    assert longer.rows.tolist() == whole.rows.tolist()
    longest = farthest_first(points, 500, seed=3, checkpoint=checkpoint)
    assert shorter.rows.tolist() == whole.rows[:60].tolist()
    assert longest.rows.tolist() == whole.rows.tolist()


def test_a_state_of_other_points_or_another_seed_is_ignored(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    ours, others = (unit(random.standard_normal((4000, 32))) for _ in range(2))
    checkpoint = tmp_path / "state.npz"
    farthest_first(others, 100, seed=3, checkpoint=checkpoint)
    found = farthest_first(ours, 100, seed=3, checkpoint=checkpoint)
    assert found.rows.tolist() == farthest_first(ours, 100, seed=3).rows.tolist()
    found = farthest_first(ours, 100, seed=4, checkpoint=checkpoint)
    assert found.rows.tolist() == farthest_first(ours, 100, seed=4).rows.tolist()


@pytest.mark.parametrize(
    "damage", [lambda content: content[: len(content) // 2], lambda content: b"", lambda content: b"?" * 99]
)
def test_a_damaged_state_is_ignored(tmp_path: Path, damage) -> None:
    points = unit(np.random.default_rng(1).standard_normal((500, 16)))
    checkpoint = tmp_path / "state.npz"
    expected = farthest_first(points, 50, checkpoint=checkpoint).rows.tolist()
    checkpoint.write_bytes(damage(checkpoint.read_bytes()))
    assert farthest_first(points, 50, checkpoint=checkpoint).rows.tolist() == expected


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 3.0, 0.0])
@pytest.mark.parametrize("row", [1031, 3015])
def test_vectors_that_cannot_be_points_are_refused_by_their_number(bad: float, row: int) -> None:
    """Row 3015 is the first center of seed 2."""
    points = unit(np.random.default_rng(0).standard_normal((3600, 8)))
    assert farthest_first(points, 1, seed=2).rows.tolist() == [3015]
    points[row] *= 0 if bad == 0 else 1
    points[row, 2] = bad
    with pytest.raises(VocabularyError, match=f"Vector {row} .* not a number, or its length is not one"):
        farthest_first(points, 5, seed=2)
    if bad != 3.0:  # a float16 row of any length stands for its direction
        with pytest.raises(VocabularyError, match=f"Vector {row} .* not a number, or its length is not one"):
            farthest_first(Points(points.astype(np.float16)), 5, seed=2)


def test_large_float16_values_are_numbers_like_others() -> None:
    points = np.array([[65504, 65504], [0, -65504], [1e-7, 0]], np.float16)
    expected = unit(points.astype(np.float64))
    np.testing.assert_allclose(Points(points).rows(np.arange(3)), expected, rtol=2e-7)
    assert sorted(farthest_first(Points(points), 3).rows.tolist()) == [0, 1, 2]


def test_nothing_to_choose_from_is_said() -> None:
    with pytest.raises(VocabularyError, match="no spans"):
        farthest_first(np.empty((0, 8), np.float32), 1)
    with pytest.raises(VocabularyError, match="at least one center"):
        farthest_first(np.eye(3, dtype=np.float32), 0)


def test_the_canonical_distance_is_symmetric_and_exact_on_simple_vectors() -> None:
    a, b = np.array([1, 0, 0], np.float32), np.array([0.6, 0.8, 0], np.float32)
    assert canonical_distance(a, b) == canonical_distance(b, a) == np.float32(1.0 - np.float64(np.float32(0.6)))
