from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from sparse_coverage.kernels import compiled, prefetch


def test_kernels_work_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose file system is read-only: Numba then refuses to cache."""
    really = numba.njit

    def read_only(*arguments: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return really(*arguments, **options)

    monkeypatch.setattr(numba, "njit", read_only)

    @compiled
    def doubled(value: int) -> int:
        return 2 * value

    assert doubled(21) == 42


def test_fetching_ahead_changes_nothing_even_past_the_end() -> None:
    @compiled
    def total(values: np.ndarray) -> int:
        found = 0
        for place in range(len(values)):
            prefetch(values, place + 1_000_000)
            found += values[place]
        return found

    assert total(np.arange(1000)) == 499_500
