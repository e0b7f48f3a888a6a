"""With products from torch the results are the same bits. The CPU stands in for a GPU: only the device's name differs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from plain import all_distances, unit

from sparse_coverage.errors import MissingExtraError
from sparse_coverage.vocabulary import nearest as on_gpu
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.nearest import nearest_centers
from sparse_coverage.vocabulary.points import Points


@pytest.fixture(params=["float32", "bfloat16"])
def torch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """torch, in small blocks, with products as exact as float32 and as coarse as a GPU may make them.

    On one thread: more of them spin while they wait for each other.
    """
    torch = pytest.importorskip("torch", reason="needs the extra [torch]")

    def coarse(block: Any, centers: Any) -> Any:
        return block.to(torch.bfloat16).to(torch.float32) @ centers.to(torch.bfloat16).to(torch.float32).T

    if request.param == "bfloat16":
        monkeypatch.setattr(on_gpu.CentersOnGpu, "_products", staticmethod(coarse))
    monkeypatch.setattr(on_gpu, "ROWS", 700)
    monkeypatch.setattr(on_gpu, "COLUMNS", 130)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield torch
    torch.set_num_threads(threads)


def clusters(total: int, dimension: int = 48) -> np.ndarray:
    """Tight clusters with exact copies and neighbours that float32 can hardly tell apart."""
    random = np.random.default_rng(5)
    hearts = random.standard_normal((60, dimension))
    points = unit(hearts[random.integers(0, 60, total)] + 0.15 * random.standard_normal((total, dimension)))
    points[: total // 10] = points[total // 10 : 2 * (total // 10)]
    points[-total // 10 :] = np.nextafter(points[: total // 10], np.float32(1))
    return points


@pytest.mark.torch
@pytest.mark.parametrize("block", [None, 64])
def test_the_traversal_is_the_same_bits(torch: Any, block: int | None) -> None:
    points = Points(clusters(5000).astype(np.float16))
    expected = farthest_first(points, 900, seed=3)
    found = farthest_first(points, 900, seed=3, block=block, device="cpu")
    assert found.rows.tolist() == expected.rows.tolist()
    assert found.distances.tolist() == expected.distances.tolist()


@pytest.mark.torch
def test_one_may_go_on_where_the_other_stopped(torch: Any, tmp_path: Path) -> None:
    points, state = clusters(3000), tmp_path / "state.npz"
    expected = farthest_first(points, 600).rows.tolist()
    farthest_first(points, 150, checkpoint=state)
    farthest_first(points, 300, checkpoint=state, device="cpu")
    assert farthest_first(points, 600, checkpoint=state).rows.tolist() == expected


@pytest.mark.torch
def test_nearest_centers_are_the_same_bits_for_every_size(torch: Any) -> None:
    points = clusters(3000)
    centers = points[np.random.default_rng(0).integers(0, 3000, 400)]  # with repetitions: the lowest must win
    found = nearest_centers(points, centers, sizes=[1, 150, 400], device="cpu")
    table = all_distances(points, centers)
    for size in (1, 150, 400):
        assert found[size].nearest.tolist() == table[:, :size].argmin(axis=1).tolist()
        assert found[size].distances.tolist() == table[:, :size].min(axis=1).tolist()


@pytest.mark.torch
def test_products_coarser_than_the_bound_would_be_noticed(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    points = clusters(5000)
    monkeypatch.setattr(
        on_gpu.CentersOnGpu, "_products", staticmethod(lambda block, centers: ((block @ centers.T) * 16).round() / 16)
    )
    wrong = farthest_first(points, 900, device="cpu")
    assert wrong.rows.tolist() != farthest_first(points, 900).rows.tolist()


@pytest.mark.parametrize("dimension", [2, 384, 1024])
def test_the_error_bound_holds_for_factors_of_eight_bits(dimension: int) -> None:
    random = np.random.default_rng(dimension)
    a, b = (unit(random.standard_normal((300, dimension))) for _ in range(2))
    b[:150] = a[:150]  # parallel vectors have the largest products
    coarse = [((x.view(np.uint32) + np.uint32(0x8000)) & np.uint32(0xFFFF0000)).view(np.float32) for x in (a, b)]
    errors = np.abs((coarse[0].astype(np.float64) * coarse[1]).sum(1) - (a.astype(np.float64) * b).sum(1))
    assert 1e-4 < errors.max() < on_gpu.margin(dimension)


@pytest.mark.parametrize(("points", "cuda", "device"), [(10**6, True, "cuda"), (10**6, False, None), (999, True, None)])
def test_a_gpu_is_used_where_there_is_one_and_enough_work(
    points: int, cuda: bool, device: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: cuda))
    monkeypatch.setitem(sys.modules, "torch", fake)
    monkeypatch.setattr(on_gpu, "find_spec", lambda name: name)
    assert on_gpu.find_gpu(points, 10_000) == device


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(on_gpu, "find_spec", lambda name: None)
    assert on_gpu.find_gpu(10**9, 10**6) is None
    with pytest.raises(MissingExtraError, match=r"\[torch\]"):
        farthest_first(clusters(100), 5, device="cuda")
