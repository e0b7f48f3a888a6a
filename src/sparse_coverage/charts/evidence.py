"""How much speaks for it that a window of a document discloses an element: a score, which a calibration turns into evidence.

The score adds up three things, in standard deviations above chance:

- how near the window's vector is to the element's (see `space.py`);
- the share of the element's words that stand in the window, rare words counting more: it tells windows of one document apart;
- twice the mean of the three elements of the claim that the document has best: a document that clearly has some elements of a claim
  is about the claimed thing, and its "housing" is that of the claim.
"""

from __future__ import annotations

import numpy as np

from sparse_coverage.charts.space import Space
from sparse_coverage.kernels import Floats

_CLAIM = 2.0
_BEST = 3


def window_scores(space: Space, elements: Floats, windows: Floats, shares: Floats) -> Floats:
    """Return the score of each window of a document for each element of a claim, an element a row.

    `elements` and `windows` are placed in the space; `shares` are those of the elements' words in the windows.
    """
    if not len(windows) or not len(elements):
        return np.zeros((len(elements), len(windows)), np.float32)
    near = space.scores(elements, windows)
    claim = np.sort(near.max(1))[-_BEST:].mean()
    scores: Floats = (near + shares + _CLAIM * claim).astype(np.float32)
    return scores
