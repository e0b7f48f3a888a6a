"""The sparse autoencoder that the method is compared with: it learns, and its index ranks what shares latents."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_an_autoencoder_finds_the_directions_that_tokens_are_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from autoencoder import LatentIndex, trained

    draw = np.random.default_rng(0)
    directions = np.linalg.qr(draw.normal(size=(12, 12)))[0].astype(np.float32)
    made = np.stack([directions[draw.choice(12, 2, replace=False)].sum(axis=0) for _ in range(600)])
    begun, done = trained(made, 24, k=3, steps=1), trained(made, 24, k=3, steps=400)
    assert done.left < 0.3 < begun.left
    assert (done.latents(made) > 0).sum(axis=1).max() <= 3
    # Passages of one direction each; the query is one of them.
    passages = np.repeat(directions, 2, axis=0)
    index = LatentIndex(done, passages, np.arange(0, 26, 2))
    query = directions[3:4]
    scores = index.scores(query)
    assert int(np.argmax(scores)) == 3
    assert 0 < index.cost(query) <= index.postings
    sys.modules.pop("autoencoder")
