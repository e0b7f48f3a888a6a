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
from sparse_coverage.index.postings import EVERYTHING, WEIGHT_SCALE, Lists, PostingsBuffer, PostingsScorer
from sparse_coverage.kernels.scoring import best_documents, normalise
from sparse_coverage.kernels.shortlist import COLUMNS, ROWS, best_scores, new_shortlist, note_maxima, offer, ranked

weights = st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-10, 1, width=32), max_size=8)
# Few values, so that ties are common.
scores = hnp.arrays(np.float32, st.integers(0, 700), elements=st.sampled_from([0.0, 0.5, 1.0, 1.25, 7.0]))


@given(
    segments=st.lists(st.lists(weights, max_size=8), max_size=4),
    query=st.dictionaries(st.integers(0, CENTERS - 1), st.floats(2**-6, 50, width=32), max_size=10),
    filtered=st.booleans(),
    k=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_scores_are_sums_of_products(
    segments: list[list[dict[int, float]]], query: dict[int, float], filtered: bool, k: int, seed: int
) -> None:
    lists = [packed(documents) for documents in segments]
    documents = [document for part in segments for document in part]
    random = np.random.default_rng(seed)
    norms = random.random(len(documents)).astype(np.float32)
    allowed = random.integers(0, 2, len(documents), dtype=np.uint8) if filtered else EVERYTHING
    worth = random.integers(0, 3, CENTERS).astype(np.float64)
    scale, asked, everything = WEIGHT_SCALE, vector(query), range(len(segments))
    sums = np.asarray([
        sum(float(np.float32(query[c])) * worth[c] * max(1, round(float(np.float32(w)) * scale)) / scale
            for c, w in document.items() if c in query)
        for document in documents
    ])  # fmt: skip
    expected = sums * norms * (allowed if filtered else 1)
    scorer = PostingsScorer(lists, worth, norms)
    for _ in range(2):  # once with pages that were never checked, once with checked ones
        found = np.full(len(documents), 99, dtype=np.float32)
        scorer.score(asked, allowed, everything, found)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    for again in ([packed(documents) for documents in segments], lists):  # again: never checked, and checked
        numbers, scores = PostingsScorer(again, worth, norms).best(asked, allowed, everything, k)
        assert list(zip(numbers.tolist(), scores.tolist(), strict=True)) == plain_best(found, k)


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


@given(scores=scores, seed=st.integers(0, 99), filtered=st.booleans())
def test_norms_and_masks_multiply(scores: np.ndarray, seed: int, filtered: bool) -> None:
    random = np.random.default_rng(seed)
    norms = random.random(len(scores)).astype(np.float32)
    allowed = random.integers(0, 2, len(scores), dtype=np.uint8) if filtered else np.zeros(0, np.uint8)
    expected = scores * norms * (allowed if filtered else 1)
    normalise(scores, norms, allowed)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


@given(length=st.integers(0, 3 * COLUMNS * ROWS), seed=st.integers(0, 99))
def test_the_largest_of_each_column_is_noted(length: int, seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2**31, length, dtype=np.int32)
    maxima = np.full(COLUMNS * -(-length // (COLUMNS * ROWS)), 99, np.int32)
    note_maxima(bits, maxima)
    plain = [0] * len(maxima)  # straight from the description: rows of 64, tiles of 32 rows
    for place, value in enumerate(bits.tolist()):
        column = place // (COLUMNS * ROWS) * COLUMNS + place % COLUMNS
        plain[column] = max(plain[column], value)
    assert maxima.tolist() == plain


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


@given(
    seed=st.integers(0, 999),
    sizes=st.lists(st.sampled_from([0, 1, 63, 2_047, 2_048, 2_049, 9_000]), max_size=5),
    k=st.sampled_from([1, 7, 64, 500, 3_000]),
    different=st.sampled_from([2, 50, 20_000]),
)
def test_a_shortlist_is_filled_and_cut_in_any_part(seed: int, sizes: list[int], k: int, different: int) -> None:
    random = np.random.default_rng(seed)
    values = np.concatenate([[0.0], random.exponential(size=different)]).astype(np.float32)
    parts = [random.choice(values, size) for size in sizes]
    (keys, state), first = new_shortlist(k), 0
    for part in parts:
        offer(part, first, k, keys, state)
        first += len(part)
    everything = np.concatenate([np.zeros(0, np.float32), *parts])
    order = np.lexsort((np.arange(len(everything)), -everything))[:k]
    numbers, found = ranked(k, keys, state)
    assert numbers.tolist() == order[everything[order] > 0].tolist()
    assert found.tolist() == everything[numbers].tolist()


@given(
    seed=st.integers(0, 999),
    k=st.integers(1, 3000),
    spread=st.sampled_from([1e-30, 1.0, 1e30]),
    order=st.sampled_from(["any", "rising", "falling"]),
    different=st.sampled_from([3, 20_000]),
)
def test_the_best_of_many_scores_are_found(seed: int, k: int, spread: float, order: str, different: int) -> None:
    random = np.random.default_rng(seed)
    values = random.choice(random.exponential(size=different) * spread, 20_000).astype(np.float32)
    if order != "any":
        values = np.sort(values) if order == "rising" else np.sort(values)[::-1].copy()
    assert best_scores(values, k)[0].tolist() == [place for place, _ in plain_best(values, k)]


def plain_document(values: list[float], taken: int) -> float:
    top = sorted(values, reverse=True)[:taken]
    return sum(top) / len(top) if top else 0.0


@settings(max_examples=examples(50))
@given(
    values=scores,
    cuts=st.lists(st.integers(0, 700), max_size=40),
    taken=st.sampled_from([1, 2, 3, 7]),
    k=st.integers(1, 20),
)
def test_documents_are_ranked_by_what_their_passages_make(
    values: np.ndarray, cuts: list[int], taken: int, k: int
) -> None:
    starts = np.asarray(sorted({0, len(values), *(cut for cut in cuts if cut < len(values))}), dtype=np.int64)
    numbers, found = best_documents(values, starts, taken, k, EVERYTHING)
    pairs = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    plain = np.asarray([plain_document(values[a:b].tolist(), taken) for a, b in pairs], dtype=np.float32)
    assert list(zip(numbers.tolist(), found.tolist(), strict=True)) == plain_best(plain, k)
