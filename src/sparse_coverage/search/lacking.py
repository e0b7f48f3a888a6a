"""Which words of a query found nothing in a passage or a document.

Every span has some neighbour everywhere, so a shared center alone is no evidence. A word is found where it stands in the text
itself, or where one of its spans meets a span of the text in a center that is near to both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sparse_coverage.kernels import Mask
from sparse_coverage.search.reasons import content_words
from sparse_coverage.search.results import Place
from sparse_coverage.vectors import Activations

FOUND = 0.65
"""The least product of the two weights in a shared center that counts as found: 4 % of the words of a claim that an unrelated
document does not have reach it (benchmarks/explanations.py)."""


def lacking_words(
    query: str,
    spans: Sequence[Place],
    activations: Activations,
    stop: Mask,
    weights: Mapping[int, float],
    texts: Iterable[str],
) -> tuple[Place, ...]:
    """Return the words of a query, each once, that texts have nothing for.

    `spans` are those of the query and `activations` their centers; `weights` are the largest weights that the texts have for
    centers. Words that nothing can match, since their centers do not count, are left out.
    """
    there = {_root(word.text) for text in texts for word in content_words(text)}
    words = content_words(query)
    begins = [word.start for word in words]
    searched, evidence = np.zeros(len(words), bool), np.zeros(len(words))
    for place, centers, similarities in zip(
        spans, activations.centers.tolist(), activations.similarities.tolist(), strict=True
    ):
        first = max(bisect_right(begins, place.start) - 1, 0)
        for number in range(first, bisect_right(begins, place.end - 1)):
            if words[number].end <= place.start:
                continue
            for center, similarity in zip(centers, similarities, strict=True):
                if center >= 0 and similarity > 0 and not stop[center]:
                    searched[number] = True
                    evidence[number] = max(evidence[number], similarity * weights.get(center, 0.0))
    found = {
        _root(word.text)
        for word, value in zip(words, evidence.tolist(), strict=True)
        if value >= FOUND or _root(word.text) in there
    }
    lacking: dict[str, Place] = {}
    for word, looked_for in zip(words, searched.tolist(), strict=True):
        if looked_for and _root(word.text) not in found:
            lacking.setdefault(_root(word.text), word)
    return tuple(lacking.values())


def _root(word: str) -> str:
    """Return a word in small letters without the s of a plural.

    >>> _root("Springs"), _root("glass")
    ('spring', 'glass')
    """
    small = word.casefold()
    return small[:-1] if len(small) > 3 and small.endswith("s") and not small.endswith("ss") else small
