"""The unit `token`: every encoder token that holds a letter or a digit is a span."""

from __future__ import annotations

import numpy as np

from sparse_coverage.spans.pooling import Index
from sparse_coverage.spans.span import SpanUnit
from sparse_coverage.spans.token_places import TokenPlaces


class TokenUnit(SpanUnit):
    """Each encoder token is a span, unless it is punctuation only."""

    name = "token"

    def runs(self, text: str, places: TokenPlaces) -> tuple[Index, Index]:
        """Return a run of one for each token."""
        first = np.flatnonzero(places.lexical)
        return first, first + 1
