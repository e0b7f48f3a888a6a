"""PLAID against exact MaxSim: the same where nothing is pruned and hardly anything lost, an approximation elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparse_coverage.index.sides import Block
from sparse_coverage.retrievers.colbert import PlaidConfig, PlaidScorer, PlaidTokens, max_sim


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def tokens() -> tuple[np.ndarray, np.ndarray]:
    """300 texts about 30 topics: the tokens of a topic lie around its direction."""
    random = np.random.default_rng(0)
    topics = random.normal(size=(30, 16))
    sizes = random.integers(0, 20, 300)
    rows = [topics[text % 30] + 0.6 * random.normal(size=(size, 16)) for text, size in enumerate(sizes)]
    return unit(np.concatenate(rows)).astype(np.float16), np.cumsum([0, *sizes])


def query(tokens: tuple[np.ndarray, np.ndarray], text: int) -> np.ndarray:
    vectors, offsets = tokens
    noise = np.random.default_rng(text).normal(size=(offsets[text + 1] - offsets[text], 16))
    return unit(vectors[offsets[text] : offsets[text + 1]].astype(np.float32) + 0.05 * noise)


def test_with_everything_looked_at_it_is_max_sim_of_compressed_vectors(tokens) -> None:
    vectors, offsets = tokens
    found = PlaidTokens(vectors, offsets, PlaidConfig(probes=10_000, threshold=-2.0, candidates=10_000, bits=8))
    asked = query(tokens, 4)
    compressed = found.decompressed(np.arange(len(vectors)))
    everything = np.ones(len(offsets) - 1, bool)
    scores = found.scores(asked)
    assert np.array_equal(np.isinf(scores), np.diff(offsets) == 0)
    np.testing.assert_allclose(scores, max_sim([asked], compressed, offsets, everything), rtol=1e-4, atol=1e-4)
    exact, there = max_sim([asked], vectors, offsets, everything), np.isfinite(scores)
    assert np.corrcoef(scores[there], exact[there])[0, 1] > 0.999
    assert (compressed * vectors.astype(np.float32)).sum(axis=1).mean() > 0.999


def test_it_prunes_and_loses_precision_and_still_finds_the_text_itself(tokens) -> None:
    vectors, offsets = tokens
    found = PlaidTokens(vectors, offsets, PlaidConfig(probes=1, candidates=40, bits=1, centroids=32))
    pruned = 0
    for text in range(1, 60):
        if offsets[text + 1] - offsets[text] < 5:
            continue
        asked = query(tokens, text)
        scores, exact = found.scores(asked), max_sim([asked], vectors, offsets, np.ones(len(offsets) - 1, bool))
        pruned += int(np.isinf(scores).sum())
        assert np.isfinite(scores).sum() <= 10
        assert not np.allclose(scores[np.isfinite(scores)], exact[np.isfinite(scores)], rtol=1e-4)
        assert text in np.argsort(-scores)[:5]
    assert pruned > 1000


def test_a_scorer_takes_the_best_chunk_and_leaves_out_what_is_not_allowed(tokens) -> None:
    vectors, offsets = tokens
    block = Block(Path(), {"vectors": vectors, "offsets": offsets}, np.ones(len(offsets) - 1, bool))
    chunks = {"both": [query(tokens, 4), query(tokens, 7)], "one": [query(tokens, 4)], "none": []}
    scorer = PlaidScorer(chunks.__getitem__, [block, block])
    both, one = scorer.scores("both"), scorer.scores("one")
    assert len(both) == 2 * (len(offsets) - 1)
    assert (both >= one).all()
    assert np.isinf(scorer.scores("none")).all()
    allowed = np.zeros(len(both), bool)
    allowed[4] = True
    assert np.flatnonzero(np.isfinite(scorer.scores("one", allowed))).tolist() == [4]
    assert scorer.cost("both") == scorer.cost("one") * (len(chunks["both"][0]) + len(chunks["both"][1])) // len(
        chunks["one"][0]
    )


def test_texts_without_tokens_have_no_score() -> None:
    nothing = PlaidTokens(np.zeros((0, 16), np.float16), np.zeros(4, np.int64))
    assert np.isinf(nothing.scores(np.ones((2, 16), np.float32))).all()
    assert np.isinf(
        PlaidTokens(np.eye(16, dtype=np.float16), np.asarray([0, 16])).scores(np.zeros((0, 16), np.float32))
    ).all()
