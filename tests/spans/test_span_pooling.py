"""Pooling against a plain reference, and phrases that a chunk border cuts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.encoding import Tokens
from sparse_coverage.spans.span import normalise, pool_runs
from sparse_coverage.spans.units import PhraseUnit


def plain_pool(vectors, first, last):
    """The same, one span after the other, in double precision."""
    rows = []
    for a, b in zip(first, last, strict=True):
        mean = vectors[a:b].astype(np.float64).mean(axis=0)
        length = np.linalg.norm(mean)
        rows.append(mean / length if length else mean)
    return np.array(rows).reshape(len(first), vectors.shape[1])


@given(st.lists(st.integers(1, 9), max_size=30), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_runs_are_pooled_as_the_plain_reference_does(sizes, gap, seed):
    random = np.random.default_rng(seed)
    first, last, here = [], [], 0
    for size in sizes:
        here += int(random.integers(0, gap + 1))
        first.append(here)
        here += size
        last.append(here)
    vectors = random.normal(size=(here + 3, 6)).astype(np.float32)
    got = pool_runs(vectors, np.array(first, dtype=np.intp), np.array(last, dtype=np.intp))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, plain_pool(vectors, first, last), atol=2e-6)


def test_a_vector_of_zeros_stays_one():
    assert normalise(np.zeros((2, 3), dtype=np.float32)).tolist() == [[0, 0, 0], [0, 0, 0]]


class OnePhrase:
    """An extractor that finds one phrase: the whole text."""

    name = "whole"

    def extract(self, texts):
        for text in texts:
            yield np.array([0], dtype=np.int32), np.array([len(text)], dtype=np.int32)


@pytest.mark.parametrize(
    ("chunks", "pooled_tokens"),
    [
        ([0, 0, 0, 0, 0], slice(0, 5)),
        ([0, 0, 0, 1, 1], slice(0, 3)),
        ([0, 0, 1, 1, 1], slice(2, 5)),
        ([0, 1, 1, 1, 2], slice(1, 4)),
        ([0, 0, 1, 2, 2], slice(0, 2)),  # equal shares: the first
    ],
)
def test_a_phrase_cut_by_a_chunk_is_pooled_from_the_chunk_that_holds_most_of_it(vectors_for, chunks, pooled_tokens):
    text = "a b c d e"
    starts = np.arange(0, 9, 2, dtype=np.int32)
    tokens = Tokens(ids=starts, starts=starts, ends=starts + 1)
    vectors = vectors_for(tokens, chunks)
    spans = PhraseUnit(OnePhrase(), rest=True).pool(text, vectors)
    assert (spans.starts.tolist(), spans.ends.tolist()) == ([0], [9])  # the span itself stays whole
    np.testing.assert_allclose(spans.vectors[0], plain_pool(vectors.vectors[pooled_tokens], [0], [5])[0], atol=1e-6)
