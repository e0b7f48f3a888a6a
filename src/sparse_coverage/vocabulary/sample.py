"""A uniform sample of a stream of spans, reproducible from the seed, in flat memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.spans.types import Spans
from sparse_coverage.vocabulary.types import Anchor


class SpanSample:
    """Keeps up to `limit` spans of a stream, each with equal chance (reservoir sampling), and their anchors.

    Every span of every section has the same chance, so the sample is proportional across sections and documents.
    """

    def __init__(self, limit: int, dimension: int, seed: int) -> None:
        self._limit = limit
        self._random = np.random.default_rng([seed, 1])
        self._vectors = np.empty((0, dimension), dtype=np.float32)
        self._anchors: list[Anchor] = []
        self.seen = 0

    def add(self, spans: Spans, text: str, document: str, passage: str) -> None:
        """Offer the spans of one text."""
        for row, place in self._places(len(spans)):
            anchor = Anchor(text[spans.starts[row] : spans.ends[row]], document, passage)
            if place == len(self._anchors):
                self._anchors.append(anchor)
                self._grow()
            else:
                self._anchors[place] = anchor
            self._vectors[place] = spans.vectors[row]

    def points(self) -> npt.NDArray[np.float32]:
        """Return the sampled vectors, one row a span."""
        return self._vectors[: len(self._anchors)]

    def anchor(self, row: int) -> Anchor:
        """Return the text and origin of a sampled span."""
        return self._anchors[row]

    def __len__(self) -> int:
        return len(self._anchors)

    def _places(self, count: int) -> list[tuple[int, int]]:
        """Return which of the next `count` spans are kept, and where."""
        room = max(0, min(count, self._limit - self.seen))
        places = [(row, self.seen + row) for row in range(room)]
        if room < count:
            drawn = self._random.integers(0, np.arange(self.seen + room + 1, self.seen + count + 1))
            places += [(room + offset, int(drawn[offset])) for offset in np.flatnonzero(drawn < self._limit)]
        self.seen += count
        return places

    def _grow(self) -> None:
        if len(self._anchors) > len(self._vectors):
            larger = np.empty((min(self._limit, max(1024, 2 * len(self._vectors))), self._vectors.shape[1]), np.float32)
            larger[: len(self._vectors)] = self._vectors
            self._vectors = larger
