"""Every kernel against a plain reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from made_up import CENTERS, vector

from sparse_coverage.index.accumulate import accumulate
from sparse_coverage.index.pages import GuardedArray, page_sums
from sparse_coverage.index.postings import PostingsBuffer, WeightBits, weight_scale
from sparse_coverage.index.selection import (
    BEST,
    COLUMNS,
    DECAYED_SUM,
    ROWS,
    TOP_MEAN,
    best_documents,
    best_scores,
    columns_of,
    normalise,
    note_maxima,
)

weights = st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-10, 1, width=32), max_size=8)
# Few values, so that ties are common.
scores = hnp.arrays(np.float32, st.integers(0, 700), elements=st.sampled_from([0.0, 0.5, 1.0, 1.25, 7.0]))


@given(
    documents=st.lists(weights, max_size=12),
    query=st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-6, 50, width=32), max_size=10),
    bits=st.sampled_from([8, 16]),
)
def test_scores_are_sums_of_products(
    documents: list[dict[int, float]], query: dict[int, float], bits: WeightBits
) -> None:
    buffer = PostingsBuffer(CENTERS, bits)
    for document in documents:
        buffer.add(buffer.prepare(vector(document)))
    centers = np.asarray(sorted(query), dtype=np.int64)
    factors = np.asarray([query[center] for center in sorted(query)], dtype=np.float32)
    found = np.full(len(documents), 99, dtype=np.float32)
    postings = buffer.build()
    guarded = GuardedArray(postings.packed, page_sums(postings.packed), Path("postings.bin"))
    for _ in range(2):  # once with pages that were never checked, once with checked ones
        accumulate(postings.offsets, guarded, centers, factors, found)
    scale = weight_scale(bits)
    expected = [
        sum(float(np.float32(query[c])) * max(1, round(float(np.float32(w)) * scale)) for c, w in document.items() if c in query)
        for document in documents
    ]  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@given(scores=scores, seed=st.integers(0, 99), filtered=st.booleans())
def test_norms_and_masks_multiply(scores: np.ndarray, seed: int, filtered: bool) -> None:
    random = np.random.default_rng(seed)
    norms = random.random(len(scores)).astype(np.float32)
    allowed = random.integers(0, 2, len(scores), dtype=np.uint8) if filtered else np.zeros(0, np.uint8)
    expected = scores * norms * (allowed if filtered else 1)
    maxima = np.full(columns_of(len(scores)), 99, np.float32)
    normalise(scores, norms, allowed, maxima)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)
    assert maxima.tolist() == plain_maxima(scores)


def plain_maxima(scores: np.ndarray) -> list[float]:
    """The largest of each column, straight from the description: rows of 64, tiles of 32 rows."""
    maxima = [0.0] * columns_of(len(scores))
    for place, score in enumerate(scores.tolist()):
        column = place // (COLUMNS * ROWS) * COLUMNS + place % COLUMNS
        maxima[column] = max(maxima[column], score)
    return maxima


@given(length=st.integers(0, 3 * COLUMNS * ROWS), seed=st.integers(0, 99))
def test_the_largest_of_each_column_is_noted(length: int, seed: int) -> None:
    scores = np.random.default_rng(seed).random(length).astype(np.float32)
    maxima = np.full(columns_of(length), 99, np.float32)
    note_maxima(scores, maxima)
    assert maxima.tolist() == plain_maxima(scores)


def plain_best(values: np.ndarray, k: int) -> list[tuple[int, float]]:
    order = sorted(range(len(values)), key=lambda place: (-values[place], place))
    return [(place, float(values[place])) for place in order if values[place] > 0][:k]


@settings(max_examples=200)
@given(parts=st.lists(scores, max_size=5), k=st.integers(1, 50))
def test_the_best_are_those_of_a_full_sort_ties_in_order(parts: list[np.ndarray], k: int) -> None:
    everything = np.concatenate([np.zeros(0, np.float32), *parts])
    maxima = np.asarray([value for part in parts for value in plain_maxima(part)], dtype=np.float32)
    numbers, found = best_scores(everything, maxima, [len(part) for part in parts], k)
    assert list(zip(numbers.tolist(), found.tolist(), strict=True)) == plain_best(everything, k)


@given(seed=st.integers(0, 999), k=st.integers(1, 300), spread=st.sampled_from([1e-30, 1.0, 1e30]))
def test_the_best_of_many_different_scores_are_found(seed: int, k: int, spread: float) -> None:
    values = (np.random.default_rng(seed).exponential(size=20_000) * spread).astype(np.float32)
    numbers, _ = best_scores(values, np.asarray(plain_maxima(values), dtype=np.float32), [len(values)], k)
    assert numbers.tolist() == [place for place, _ in plain_best(values, k)]


def plain_document(values: list[float], rule: int, parameter: float) -> float:
    falling = sorted(values, reverse=True)
    if rule == BEST:
        return max(falling, default=0.0)
    if rule == TOP_MEAN:
        top = falling[: int(parameter)]
        return sum(top) / len(top) if top else 0.0
    return sum(value * parameter**place for place, value in enumerate(falling))


@settings(max_examples=200)
@given(
    values=scores,
    cuts=st.lists(st.integers(0, 700), max_size=40),
    rule=st.sampled_from([(BEST, 0.0), (TOP_MEAN, 1.0), (TOP_MEAN, 3.0), (DECAYED_SUM, 0.0), (DECAYED_SUM, 0.5)]),
    k=st.integers(1, 20),
)
def test_documents_are_ranked_by_what_their_passages_make(
    values: np.ndarray, cuts: list[int], rule: tuple[int, float], k: int
) -> None:
    starts = np.asarray(sorted({0, len(values), *(cut for cut in cuts if cut < len(values))}), dtype=np.int64)
    numbers, found = best_documents(values, starts, *rule, k)
    pairs = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    plain = np.asarray([plain_document(values[a:b].tolist(), *rule) for a, b in pairs], dtype=np.float32)
    assert list(zip(numbers.tolist(), found.tolist(), strict=True)) == plain_best(plain, k)
