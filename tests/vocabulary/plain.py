"""The plain algorithms in NumPy, as references. Slow and obvious."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


def distances(points: Matrix, center: Matrix) -> Matrix:
    """float32(1 - dot): exact products in float64, eight interleaved lanes summed from the left, then across lanes."""
    products = points.astype(np.float64) * center.astype(np.float64)
    whole = products.shape[1] - products.shape[1] % 8
    lanes = np.zeros((len(points), 8))
    for start in range(0, whole, 8):
        lanes += products[:, start : start + 8]
    for column in range(whole, products.shape[1]):
        lanes[:, 0] += products[:, column]
    total = ((lanes[:, 0] + lanes[:, 4]) + (lanes[:, 2] + lanes[:, 6])) + (
        (lanes[:, 1] + lanes[:, 5]) + (lanes[:, 3] + lanes[:, 7])
    )
    return (1.0 - total).astype(np.float32)


def all_distances(points: Matrix, centers: Matrix) -> Matrix:
    return np.stack([distances(points, center) for center in centers], axis=1)


def plain_farthest_first(points: Matrix, count: int, first: int) -> tuple[list[int], list[float]]:
    """Choose up to `count` rows; stop when the farthest point is no farther than 1e-6."""
    bound = np.full(len(points), np.inf, dtype=np.float32)
    rows, gaps = [first], [float("inf")]
    while True:
        bound = np.minimum(bound, distances(points, points[rows[-1]]))
        bound[rows[-1]] = -np.inf
        if len(rows) == count:
            return rows, gaps
        best = int(np.argmax(bound))
        if bound[best] <= np.float32(1e-6):
            return rows, gaps
        rows.append(best)
        gaps.append(float(bound[best]))


def unit(vectors: npt.NDArray[np.floating]) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
