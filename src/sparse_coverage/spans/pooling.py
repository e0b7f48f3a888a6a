"""From token vectors to span vectors: runs of tokens, averaged and normalised without a Python loop per span."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sparse_coverage.encoding.encoder import FloatMatrix, IntArray

Index = npt.NDArray[np.intp]


def normalise(vectors: FloatMatrix) -> FloatMatrix:
    """Return the rows at length one; a row of zeros stays as it is, since it has no direction."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0.0] = 1.0
    unit: FloatMatrix = vectors / lengths[:, None]
    return unit


def pool_runs(vectors: FloatMatrix, first: Index, last: Index) -> FloatMatrix:
    """Return the normalised mean of the rows `first[i]:last[i]` of each run; no run is empty."""
    if len(first) == 0:
        return np.empty((0, vectors.shape[1]), dtype=np.float32)
    sizes = last - first
    if sizes.max() == 1:
        return normalise(vectors[first])
    borders = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.repeat(first - borders[:-1], sizes) + np.arange(borders[-1])
    means = np.add.reduceat(vectors[rows], borders[:-1], axis=0)
    means /= sizes[:, None]
    return normalise(means)


def largest_chunk(first: Index, last: Index, chunks: IntArray) -> tuple[Index, Index]:
    """Narrow each run to its tokens of one chunk: the one with most of them. One step for every chunk a run can touch."""
    if len(chunks) == 0 or chunks[0] == chunks[-1]:
        return first, last
    best_first, best_last = first.copy(), first.copy()
    left = first.copy()
    while (left < last).any():
        inside = np.minimum(left, len(chunks) - 1)
        right = np.minimum(np.searchsorted(chunks, chunks[inside], side="right"), last)
        better = right - left > best_last - best_first
        best_first, best_last = np.where(better, left, best_first), np.where(better, right, best_last)
        left = np.maximum(right, left)
    return best_first, best_last
