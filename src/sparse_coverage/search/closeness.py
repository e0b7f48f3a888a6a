"""How close a document is to a query, in absolute terms: close, related or weak.

Scores of a ranking cannot say that: the best of nothing is still first. Two figures of a document are weighed, by the rule that makes
documents of passages: the cosine of its passages and the query as wholes, and the share of the query's words that they hold, rare words
counting more (the BM25 score divided by what all words of the query are worth).
`benchmarks/closeness.py` fits the scale: claims of patents against the papers about the same inventions, and against the nearest others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Closeness = Literal["close", "related", "weak"]
LEVELS: tuple[Closeness, ...] = ("close", "related", "weak")
"""From the nearest to the farthest."""


@dataclass(frozen=True, slots=True)
class ClosenessScale:
    """What both figures weigh, and from which sum on a document is close or related."""

    cosine: float
    words: float
    close: float
    related: float

    def level(self, cosine: float, words: float) -> Closeness:
        """Return how close a document with these figures is.

        >>> SCALES["minilm"].level(0.6, 0.3), SCALES["minilm"].level(0.4, 0.15), SCALES["minilm"].level(0.2, 0.05)
        ('close', 'related', 'weak')
        """
        value = self.cosine * cosine + self.words * words
        return "close" if value >= self.close else "related" if value >= self.related else "weak"


SCALES = {"minilm": ClosenessScale(cosine=17.61, words=17.47, close=12.34, related=9.24)}
"""By the name of the encoder. On the half of the claims that it was fitted on, one in twenty of the nearest papers about something else is
called close, and nineteen of twenty papers about the invention are at least related; docs/results.md has the other half."""


def at_least(level: str, wanted: str) -> bool:
    """Tell whether one level is another one, or nearer.

    >>> at_least("close", "related"), at_least("weak", "related")
    (True, False)
    """
    return LEVELS.index(level) <= LEVELS.index(wanted)
