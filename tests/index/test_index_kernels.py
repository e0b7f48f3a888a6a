"""Every kernel against a plain reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawing import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from made_up import CENTERS, vector

from sparse_coverage.errors import IndexStoreError, MismatchError
from sparse_coverage.index.pages import GuardedArray, page_sums
from sparse_coverage.index.postings import EVERYTHING, Lists, PostingsBuffer, PostingsScorer
from sparse_coverage.kernels.shortlist import new_shortlist, offer, ranked

weights = st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-10, 1, width=32), max_size=8)
# Few values, so that ties are common.
scores = hnp.arrays(np.float32, st.integers(0, 700), elements=st.sampled_from([0.0, 0.5, 1.0, 1.25, 7.0]))


@pytest.mark.parametrize("center", [-1, CENTERS])
def test_a_center_that_does_not_exist_is_refused(center: int) -> None:
    scorer = PostingsScorer([packed([{1: 0.5}])], np.ones(CENTERS), np.ones(1, np.float32))
    with pytest.raises(MismatchError, match="names a center that the vocabulary does not have"):
        scorer.best(vector({1: 0.5, center: 0.5}), EVERYTHING, range(1), 1)


def test_lists_that_do_not_fit_are_refused() -> None:
    wide, norms = packed([{1: 0.5}]), np.ones(2, np.float32)
    with pytest.raises(IndexStoreError, match="do not fit one another"):
        PostingsScorer([wide, wide], np.ones(CENTERS + 1), norms)
    with pytest.raises(IndexStoreError, match="do not fit one another"):
        PostingsScorer([wide], np.ones(CENTERS), norms)
    with pytest.raises(ValueError, match="1 marks of what may be found do not fit 2 passages"):
        PostingsScorer([wide, wide], np.ones(CENTERS), norms).best(vector({1: 0.5}), np.ones(1, np.uint8), range(2), 1)


def test_pages_of_what_may_not_be_found_are_not_read() -> None:
    sound, damaged = packed([{1: 0.5}]), packed([{1: 0.5}])
    damaged.packed.data[0] ^= 1
    scorer = PostingsScorer([sound, damaged], np.ones(CENTERS), np.ones(2, np.float32))
    numbers, _ = scorer.best(vector({1: 0.5}), np.asarray([1, 0], np.uint8), range(2), 5)
    assert numbers.tolist() == [0]
    with pytest.raises(IndexStoreError, match="damaged"):
        scorer.best(vector({1: 0.5}), EVERYTHING, range(2), 5)


def packed(documents: list[dict[int, float]]) -> Lists:
    buffer = PostingsBuffer(CENTERS)
    for document in documents:
        buffer.add(buffer.prepare(vector(document)))
    postings = buffer.build()
    guarded = GuardedArray(postings.packed, page_sums(postings.packed), Path("postings.bin"))
    return Lists(postings.offsets, guarded, len(documents))


def plain_best(values: np.ndarray, k: int) -> list[tuple[int, float]]:
    order = sorted(range(len(values)), key=lambda place: (-values[place], place))
    return [(place, float(values[place])) for place in order if values[place] > 0][:k]


@settings(max_examples=examples(50))
@given(parts=st.lists(scores, max_size=5), k=st.integers(1, 50))
def test_the_best_are_those_of_a_full_sort_ties_in_order(parts: list[np.ndarray], k: int) -> None:
    everything = np.concatenate([np.zeros(0, np.float32), *parts])
    (keys, state), first = new_shortlist(k), 0
    for part in parts:
        offer(part, first, k, keys, state)
        first += len(part)
    numbers, found = ranked(k, keys, state)
    assert list(zip(numbers.tolist(), found.tolist(), strict=True)) == plain_best(everything, k)
