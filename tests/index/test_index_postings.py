from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from made_up import CENTERS, vector

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.postings import (
    FAR_SPAN,
    Postings,
    PostingsBuffer,
    merge_postings,
)

Weights = dict[int, float]
weights = st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-20, 1, width=32), max_size=8)


def inverted(documents: list[Weights], spans: dict[int, int] | None = None) -> Postings:
    buffer = PostingsBuffer(CENTERS)
    for document in documents:
        buffer.add(buffer.prepare(vector(document, spans)))
    return buffer.build()


def as_lists(postings: Postings) -> dict[int, list[tuple[int, int, int]]]:
    """Center -> (unit, fixed-point weight, span), read without any of the code under test."""
    packed = postings.packed.tolist()
    far = {(row[0], row[1]): row[2] for row in postings.far.tolist()}
    lists: dict[int, list[tuple[int, int, int]]] = {}
    for center in range(CENTERS):
        for place in range(int(postings.offsets[center]), int(postings.offsets[center + 1])):
            unit, span = packed[place] >> 16, int(postings.spans[place])
            true_span = far[center, unit] if span == FAR_SPAN else span
            lists.setdefault(center, []).append((unit, packed[place] & 0xFFFF, true_span))
    return lists


def test_a_span_far_into_a_long_text_is_kept_exactly() -> None:
    far = {1: FAR_SPAN - 1, 2: FAR_SPAN, 3: FAR_SPAN + 1, 4: 3_000_000}
    postings = inverted([{1: 0.5}, dict.fromkeys(far, 0.5)], spans=far)
    assert {center: lists[-1][2] for center, lists in as_lists(postings).items()} == far
    merged = merge_postings([(postings, np.asarray([-1, 0])), (postings, np.asarray([1, 2]))], CENTERS)
    assert [entry[2] for entry in as_lists(merged)[4]] == [3_000_000, 3_000_000]


@pytest.mark.parametrize("wrong", [{CENTERS: 0.5}, {1: 0.0}, {1: 1.5}, {1: float("nan")}])
def test_what_cannot_be_a_weight_is_refused(wrong: Weights) -> None:
    with pytest.raises(IndexStoreError):
        inverted([wrong])
