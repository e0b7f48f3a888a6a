from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import CENTERS, vector

from sparse_coverage.errors import IndexStoreError
from sparse_coverage.index.postings import (
    FAR_SPAN,
    WEIGHT_SCALE,
    Postings,
    PostingsBuffer,
    live_frequencies,
    merge_postings,
)

Weights = dict[int, float]
weights = st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-20, 1, width=32), max_size=8)
units = st.lists(weights, max_size=12)


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


def expected(documents: list[Weights], numbers: list[int]) -> dict[int, list[tuple[int, int, int]]]:
    lists: dict[int, list[tuple[int, int, int]]] = {}
    for number, document in zip(numbers, documents, strict=True):
        if number >= 0:
            for center in document:
                fixed = max(1, round(float(np.float32(document[center])) * WEIGHT_SCALE))
                lists.setdefault(center, []).append((number, fixed, center % 5))
    return lists


@given(documents=units)
def test_lists_hold_every_weight_with_its_unit_and_span(documents: list[Weights]) -> None:
    assert as_lists(inverted(documents)) == expected(documents, list(range(len(documents))))


@given(parts=st.lists(units, min_size=1, max_size=4), data=st.data())
def test_merged_lists_are_those_of_the_units_that_stay(parts: list[list[Weights]], data: st.DataObject) -> None:
    joined, documents, numbers, count = [], [], [], 0
    for part in parts:
        stays = data.draw(st.lists(st.booleans(), min_size=len(part), max_size=len(part)))
        mine = []
        for stay in stays:
            mine.append(count if stay else -1)
            count += stay
        joined.append((inverted(part), np.asarray(mine, dtype=np.int64)))
        documents += part
        numbers += mine
    assert as_lists(merge_postings(joined, CENTERS)) == expected(documents, numbers)


@given(documents=units, data=st.data())
def test_frequencies_count_live_units_only(documents: list[Weights], data: st.DataObject) -> None:
    live = data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)))
    counted = live_frequencies(inverted(documents), np.asarray(live, dtype=bool)).tolist()
    assert counted == [
        sum(stays for document, stays in zip(documents, live, strict=True) if c in document) for c in range(CENTERS)
    ]


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
