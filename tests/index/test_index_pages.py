from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.pages import GuardedArray, page_sums
from sparse_coverage.kernels.postings import PAGE


def plain_sum(page: bytes) -> int:
    return sum(byte * ((2 * place + 1) * 0x9E3779B1 % 2**32) for place, byte in enumerate(page)) % 2**32


def guarded(data: np.ndarray, sums: np.ndarray) -> GuardedArray:
    return GuardedArray(data, sums, Path("postings.bin"))


@given(st.integers(0, 5000), st.integers(0, 2**32 - 1))
def test_a_page_sum_is_what_its_description_says(length: int, seed: int) -> None:
    data = np.random.default_rng(seed).integers(0, 2**32, length, dtype=np.uint32)
    content = data.tobytes()
    assert page_sums(data).tolist() == [plain_sum(content[left : left + PAGE]) for left in range(0, len(content), PAGE)]


def test_an_array_that_does_not_fit_its_sums_is_refused() -> None:
    array = np.arange(5000, dtype=np.uint32)
    with pytest.raises(IndexStoreError, match="do not fit"):
        guarded(array[:-2000], page_sums(array))


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="large pages are asked for on Linux alone")
def test_large_pages_are_asked_for_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "postings.bin"
    np.arange(2**20, dtype=np.uint32).tofile(path)
    array = np.memmap(path, np.uint32, "r", offset=PAGE)
    opened = guarded(array, page_sums(array))
    opened.use_large_pages()
    mapped = Path("/proc/self/smaps").read_text().partition(str(path))[2]
    flags = mapped.partition("VmFlags:")[2].partition("\n")[0].split()
    assert "hg" in flags or not Path("/sys/kernel/mm/transparent_hugepage").exists()
    opened.check_all()


def test_an_array_in_memory_needs_no_large_pages() -> None:
    array = np.arange(5000, dtype=np.uint32)
    opened = guarded(array, page_sums(array))
    opened.use_large_pages()
    opened.check_all()
