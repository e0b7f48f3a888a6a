"""What is told about a query in another language than the index."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sparse_coverage.index import IndexStore
from sparse_coverage.patents.language_guess import NAMES, guess_language

_LOOKED_AT = 24


def language_warning(store: IndexStore, query: str) -> str:
    """Warn where a query is in a language that hardly anything in the index is in: texts of two languages do not match."""
    asked = guess_language(query)
    live = np.flatnonzero(store.live_passages)
    if not asked or not len(live):
        return ""
    places = np.unique(np.linspace(0, len(live) - 1, _LOOKED_AT).astype(np.int64))
    found = Counter(guess_language(store.passage(number).text) for number in live[places].tolist())
    del found[""]
    if not found or found[asked] > found.total() / 10:
        return ""
    here = found.most_common(1)[0][0]
    return (
        f"Warning: the query seems to be in {NAMES[asked]}, and the index in {NAMES[here]}. Texts in two languages hardly match: "
        f"translate the query into {NAMES[here]}."
    )
