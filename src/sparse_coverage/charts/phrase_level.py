"""How alike two phrases must be to mean the same: more than chance makes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparse_coverage.charts.phrases import noun_phrases, phrase_vectors
from sparse_coverage.charts.space import Space
from sparse_coverage.encoding import Encoder

_CHANCE = 0.9
_TEXTS = 100


def phrase_level(encoder: Encoder, space: Space, elements: Sequence[str], prose: Sequence[str]) -> float:
    """Return the likeness that the best phrase of a text stays below for 9 of 10 phrases of an element.

    `elements` and `prose` go together pair by pair: an element, and a passage of a near document that does not disclose it.
    """
    pairs = list(zip(elements, prose, strict=False))[:_TEXTS]
    best: list[float] = []
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    places = [noun_phrases(texts) for texts in sides]
    vectors = [list(encoder.encode(texts)) for texts in sides]
    for number in range(len(pairs)):
        ours, theirs = (
            phrase_vectors(sides[side][number], vectors[side][number], places[side][number], space.prose)
            for side in (0, 1)
        )
        if len(ours) and len(theirs):
            best += (ours @ theirs.T).max(1).tolist()
    return float(np.quantile(best, _CHANCE)) if best else 1.0
