"""Late interaction against its definition, token by token. Needs no model."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.retrievers import colbert
from sparse_coverage.retrievers.colbert import max_sim


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 5), max_size=8), st.lists(st.integers(1, 4), max_size=3))
def test_max_sim_is_its_definition(seed: int, sizes: list[int], chunk_sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(sum(sizes), 3)).astype(np.float16)
    offsets = np.cumsum([0, *sizes])
    chunks = [random.normal(size=(size, 3)).astype(np.float32) for size in chunk_sizes]
    wanted = random.random(len(sizes)) < 0.8
    found = max_sim(chunks, vectors, offsets, wanted)
    for text, size in enumerate(sizes):
        tokens = vectors[offsets[text] : offsets[text + 1]].astype(np.float32)
        if not (size and chunks and wanted[text]):
            assert found[text] == -np.inf
            continue
        sums = [sum(max(float(token @ word) for token in tokens) for word in chunk) for chunk in chunks]
        np.testing.assert_allclose(found[text], max(sums), rtol=1e-5, atol=1e-6)


def test_texts_that_do_not_fit_into_one_comparison_are_all_scored(monkeypatch) -> None:
    monkeypatch.setattr(colbert, "_TOKENS", 4)
    random = np.random.default_rng(0)
    offsets = np.asarray([0, 3, 9, 10, 12])
    vectors = random.normal(size=(12, 3)).astype(np.float16)
    chunks = [random.normal(size=(2, 3)).astype(np.float32)]
    small = max_sim(chunks, vectors, offsets, np.ones(4, bool))
    monkeypatch.undo()
    np.testing.assert_allclose(small, max_sim(chunks, vectors, offsets, np.ones(4, bool)), rtol=1e-6)
