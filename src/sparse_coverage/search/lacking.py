"""Which words of a query found nothing in a passage or a document.

Every span has some neighbour everywhere, so a shared center alone is no evidence. A word is found where it stands in the text
itself, or where one of its spans meets a span of the text in a center that is near to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sparse_coverage.kernels import Int64s, Mask
from sparse_coverage.search.phrases import content_words
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
    numbers, rows = _words_of_spans(words, spans)
    centers, similarities = activations.centers[rows], activations.similarities[rows]
    counts = (centers >= 0) & (similarities > 0) & ~stop[centers]
    heaviest = np.zeros(len(stop))
    heaviest[list(weights)] = list(weights.values())
    products = np.where(counts, similarities, 0.0).astype(np.float64) * heaviest[centers]
    searched, evidence = np.zeros(len(words), bool), np.zeros(len(words))
    np.logical_or.at(searched, numbers, counts.any(axis=1))
    np.maximum.at(evidence, numbers, products.max(axis=1, initial=0.0))
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


def _words_of_spans(words: Sequence[Place], spans: Sequence[Place]) -> tuple[Int64s, Int64s]:
    """Return pairs of a word and a span that lies over it, by their numbers."""
    starts, ends = (np.asarray([getattr(one, side) for one in spans], dtype=np.int64) for side in ("start", "end"))
    begins, stops = (np.asarray([getattr(one, side) for one in words], dtype=np.int64) for side in ("start", "end"))
    first = np.maximum(np.searchsorted(begins, starts, side="right") - 1, 0)
    counts = np.maximum(np.searchsorted(begins, ends - 1, side="right") - first, 0)
    rows = np.repeat(np.arange(len(spans)), counts)
    numbers = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    over = stops[numbers] > starts[rows]
    return numbers[over], rows[over]


def _root(word: str) -> str:
    """Return a word in small letters without the s of a plural.

    >>> _root("Springs"), _root("glass")
    ('spring', 'glass')
    """
    small = word.casefold()
    return small[:-1] if len(small) > 3 and small.endswith("s") and not small.endswith("ss") else small
