"""NumPy's products on one thread: for all who are within, and no longer."""

from __future__ import annotations

import sys

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sparse_coverage.encoding.one_thread import OneThread


def threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.mark.skipif(sys.platform == "darwin", reason="the NumPy of macOS uses a library that cannot be limited")
def test_products_are_on_one_thread_until_the_last_who_asked_for_it_has_left() -> None:
    one_thread = OneThread()
    with threadpool_limits(2, user_api="blas"):
        assert threads() == {2}
        one_thread.__enter__()
        with one_thread:
            assert threads() == {1}
        assert threads() == {1}
        one_thread.__exit__(None, None, None)
        assert threads() == {2}
