"""Screening and the lists of followers, each against a plain reference in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.kernels import LONGEST, NARROW, PANEL, SCALE, TILE
from sparse_coverage.kernels.compiling import compiled
from sparse_coverage.kernels.dense import quantise_rows
from sparse_coverage.kernels.instructions import row_product
from sparse_coverage.kernels.screening import ALWAYS, NEVER, Panels, byte_step, narrow, passing, screen, screening
from sparse_coverage.vocabulary.points import Centers, margin, quantise


@compiled
def product_of(quantised: np.ndarray, a: int, b: int) -> int:
    return row_product(quantised, a, quantised, b, quantised.shape[1])


def unit_rows(random: np.random.Generator, count: int, dimension: int, tail: float = 0.0) -> np.ndarray:
    rows = random.normal(size=(count, dimension))
    rows *= np.exp(tail * random.random(size=(count, 1)) * random.normal(size=(count, dimension)))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def plain_products(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """The products of quantised vectors, exactly."""
    whole = [np.rint(matrix * np.float32(SCALE)).astype(np.int64) for matrix in (rows, centers)]
    return whole[0] @ whole[1].T


@pytest.mark.parametrize("in_bytes", [False, True], ids=["16 bits", "bytes first"])
@given(
    rows=st.integers(1, 20), centers=st.integers(1, 50), dimension=st.integers(2, 400), limited=st.booleans(), seed=st.integers(0, 999),
    tail=st.sampled_from([0.0, 1.0, 4.0]),
)  # fmt: skip
def test_what_passes_the_screen_is_what_reaches_floor_and_limit(
    in_bytes: bool, rows: int, centers: int, dimension: int, limited: bool, seed: int, tail: float
) -> None:
    """Whatever the vectors are like: a `tail` gives them coordinates that 8 bits express badly."""
    random = np.random.default_rng(seed)
    points = unit_rows(random, rows, dimension, tail)
    packed = Centers.of(unit_rows(random, centers, dimension, tail), in_bytes=in_bytes)
    quantised = quantise(points)
    tiles, panels = len(quantised) // TILE, len(packed.panels.pairs)
    floors = np.full(len(quantised), NEVER, dtype=np.int32)
    floors[:rows] = screen(0.9, 0.0)
    limits = random.integers(screen(1.1, 0.0), screen(0.7, 0.0), (panels if limited else 1) * PANEL, dtype=np.int32)
    starts = random.integers(0, panels + 1, tiles)
    products = np.zeros((rows, panels * PANEL), dtype=np.int64)  # places after the last center hold zeros
    products[:, :centers] = plain_products(points, packed.rows)
    expected = [
        (row, center, products[row, center])
        for panel in range(panels)
        for row in range(rows)
        for center in range(panel * PANEL, (panel + 1) * PANEL)
        if panel >= starts[row // TILE] and products[row, center] >= max(floors[row], limits[center % len(limits)])
    ]
    _, _, narrowed, tile, found = screening(quantised, len(quantised), packed.panels)
    passed: list[tuple[int, ...]] = []
    for panel in range(panels):
        count = passing(quantised, narrowed, packed.panels, panel, floors, limits, starts, tile, found)
        passed += map(tuple, found[:count].tolist())
    assert passed == expected


@given(dimension=st.integers(2, 70), seed=st.integers(0, 999))
def test_quantised_rows_are_rounded_and_their_products_stay_within_the_margin(dimension: int, seed: int) -> None:
    rows = unit_rows(np.random.default_rng(seed), 7, dimension)
    quantised = quantise(rows)
    assert np.array_equal(quantised[:7, :dimension], np.rint(rows * np.float32(SCALE)))
    assert not quantised[7:].any()
    assert not quantised[:, dimension:].any()
    exact = rows.astype(np.float64) @ rows.astype(np.float64).T
    for i in range(7):
        for j in range(7):
            product = product_of(quantised, i, j)
            assert product == plain_products(rows, rows)[i, j]
            assert product >= screen(1 - exact[i, j], margin(dimension))
            assert abs(product / SCALE**2 - exact[i, j]) <= margin(dimension)


@given(dimension=st.integers(2, 400), tail=st.sampled_from([0.0, 1.0, 4.0]), seed=st.integers(0, 999))
def test_rows_in_bytes_say_how_far_they_are_off(dimension: int, tail: float, seed: int) -> None:
    quantised = quantise(unit_rows(np.random.default_rng(seed), 7, dimension, tail))
    narrowed, lost = np.empty(quantised.shape, np.int8), np.empty(len(quantised))
    narrow(quantised, narrowed, lost)
    step = float(byte_step(quantised.shape[1]))
    assert np.array_equal(narrowed, np.clip(np.rint(quantised / np.float32(step)), -NARROW, NARROW))
    off = np.linalg.norm(quantised - step * narrowed.astype(np.float64), axis=1) / SCALE
    assert (off <= lost).all()
    assert (lost <= off + 1e-6).all()
    assert (np.linalg.norm(quantised.astype(np.float64), axis=1) <= LONGEST * SCALE).all()


def test_centers_are_kept_in_bytes_where_wanted() -> None:
    rows = unit_rows(np.random.default_rng(0), 40, 9)
    with_bytes, without = (Centers.of(rows, in_bytes=wanted).panels for wanted in (True, False))
    assert isinstance(with_bytes, Panels)
    assert with_bytes.fours.shape == (3, 8, PANEL, 4)
    assert len(without.fours) == 0
    assert np.array_equal(with_bytes.pairs, without.pairs)


def test_a_row_that_cannot_be_quantised_is_named() -> None:
    rows = unit_rows(np.random.default_rng(0), 4, 9)
    out = np.zeros((6, 32), dtype=np.int16)
    assert quantise_rows(rows, out, 0.999) == -1
    for bad in (np.nan, np.inf, 1.5):
        broken = rows.copy()
        broken[2, 3] = bad
        assert quantise_rows(broken, out, 0.0) == 2
    rows[1] *= 0.5
    assert quantise_rows(rows, out, 0.0) == -1
    assert quantise_rows(rows, out, 0.999) == 1


@pytest.mark.parametrize(
    ("distance", "expected"), [(np.float32(np.inf), ALWAYS), (-np.float32(np.inf), NEVER), (0.0, 1_024_000_000)]
)
def test_the_screen_of_extreme_distances(distance: float, expected: int) -> None:
    assert screen(distance, 0.0) == expected
