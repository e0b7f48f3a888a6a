"""Products with vectors of passages: whole numbers, the same by machine code and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from sparse_coverage.kernels import plain
from sparse_coverage.kernels.dense import best_products


@pytest.mark.parametrize("dimension", [32, 384, 1024])
@pytest.mark.parametrize("queries", [1, 3])
@pytest.mark.parametrize("filtered", [False, True])
def test_machine_code_and_numpy_give_the_exact_product(dimension: int, queries: int, filtered: bool) -> None:
    random = np.random.default_rng(dimension + queries)
    rows = random.integers(-127, 128, (5_000, dimension)).astype(np.int8)
    scales = random.random(5_000).astype(np.float32)
    asked = random.integers(-2047, 2048, (queries, dimension)).astype(np.int16)
    allowed = random.integers(0, 2, 5_000 if filtered else 0).astype(np.uint8)
    exact = (rows.astype(np.int64) @ asked.T.astype(np.int64)).max(axis=1)
    expected = (scales.astype(np.float64) * 0.001 * exact).astype(np.float32)
    if filtered:
        expected[allowed == 0] = -np.inf
    for products in (best_products, plain.best_products):
        found = np.empty(5_000, np.float32)
        products(rows, scales, asked, 0.001, allowed, found)
        np.testing.assert_array_equal(found, expected)


def test_the_largest_numbers_do_not_overflow() -> None:
    rows, asked = np.full((1, 4096), 127, np.int8), np.full((1, 4096), -2047, np.int16)
    for products in (best_products, plain.best_products):
        found = np.empty(1, np.float32)
        products(rows, np.ones(1, np.float32), asked, 1.0, np.zeros(0, np.uint8), found)
        assert found[0] == np.float32(-127 * 2047 * 4096)
