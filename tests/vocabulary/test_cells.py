"""Nearest centers, radii and statistics of cells, for one size or several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import all_distances, unit

from sparse_coverage.errors import InputError
from sparse_coverage.vocabulary import nearest as nearest_module
from sparse_coverage.vocabulary.nearest import FLOOR, cell_radii, nearest_centers


@settings(max_examples=examples(40))
@given(
    seed=st.integers(0, 2**32),
    total=st.integers(1, 900),
    centers=st.integers(1, 50),
    dimension=st.integers(2, 40),
    threads=st.sampled_from([1, 2]),
)
def test_the_nearest_center_is_exact_for_every_size(
    seed: int, total: int, centers: int, dimension: int, threads: int
) -> None:
    random = np.random.default_rng(seed)
    points = unit(random.standard_normal((total, dimension)))
    chosen = points[random.integers(0, total, centers)]  # with repetitions: the lowest center must win
    sizes = sorted({1, max(1, centers // 2), centers})
    found = nearest_centers(points, chosen, sizes=sizes, threads=threads)
    table = all_distances(points, chosen)
    assert list(found) == sizes
    for size in sizes:
        assert found[size].nearest.tolist() == table[:, :size].argmin(axis=1).tolist()
        assert found[size].distances.tolist() == table[:, :size].min(axis=1).tolist()


@given(
    cells=st.lists(st.tuples(st.integers(0, 4), st.floats(0, 2, width=32)), min_size=1, max_size=60),
    tau=st.floats(0.1, 100),
)
def test_radii_are_the_percentiles_of_numpy(cells: list[tuple[int, float]], tau: float) -> None:
    nearest = np.array([cell for cell, _ in cells], np.int32)
    distances = np.array([distance for _, distance in cells], np.float32)
    radii = cell_radii(nearest, distances, 5, tau)
    for cell in range(5):
        inside = distances[nearest == cell].astype(np.float64)
        expected = max(np.float32(np.percentile(inside, tau)), FLOOR) if len(inside) else FLOOR
        assert radii[cell] == pytest.approx(expected, rel=3e-7)


@pytest.mark.parametrize("tau", [0.0, -1.0, 100.1])
def test_a_percentile_outside_its_range_is_refused(tau: float) -> None:
    with pytest.raises(InputError, match="percentile"):
        cell_radii(np.zeros(1, np.int32), np.zeros(1, np.float32), 1, tau)


def test_finished_blocks_are_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_module, "BLOCKS_PER_SAVE", 1)
    random = np.random.default_rng(0)
    points, centers = unit(random.standard_normal((2000, 16))), unit(random.standard_normal((40, 16)))
    saved = tmp_path / "cells.bin"
    whole = nearest_centers(points, centers, sizes=[10, 40], checkpoint=saved)
    content = saved.read_bytes()
    block = nearest_module.BLOCK * 8 * 2
    saved.write_bytes(content[: 3 * block + 17])  # a kill in the middle of the fourth block
    computed: list[int] = []
    assign = nearest_module._assign

    def watched(reader, centers, numbers, found) -> None:  # type: ignore[no-untyped-def]
        computed.append(int(numbers[0]))
        assign(reader, centers, numbers, found)

    monkeypatch.setattr(nearest_module, "_assign", watched)
    again = nearest_centers(points, centers, sizes=[10, 40], checkpoint=saved)
    assert sorted(computed) == list(range(3 * nearest_module.BLOCK, 2000, nearest_module.BLOCK))
    assert saved.read_bytes() == content
    for size in (10, 40):
        assert again[size].nearest.tolist() == whole[size].nearest.tolist()
        assert again[size].distances.tolist() == whole[size].distances.tolist()
