"""Which centers each span activates: all within their radius, then the K most similar. Exact, in blocks both ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import compiled
from sparse_coverage.vectors.types import ActivationConfig
from sparse_coverage.vocabulary.types import Vocabulary

ROWS = 512
COLUMNS = 4096

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """For each span its active centers, most similar first, padded with -1, and their cosine similarities."""

    centers: npt.NDArray[np.int32]
    similarities: npt.NDArray[np.float32]

    def uncovered(self) -> int:
        """Return how many spans activate nothing."""
        return int((self.centers[:, 0] < 0).sum())


def activate(vectors: Matrix, vocabulary: Vocabulary, config: ActivationConfig) -> Activations:
    """Return the centers that each span vector activates."""
    if config.k < 1:
        raise InputError(f"K, the number of centers a span may activate, must be at least 1, not {config.k}.")
    hard = config.assignment == "hard"
    k = 1 if hard else config.k
    centers = np.full((len(vectors), k), -1, dtype=np.int32)
    similarities = np.full((len(vectors), k), -np.inf, dtype=np.float32)
    nearest = np.full(len(vectors), -1, dtype=np.int32)
    nearest_similarity = np.full(len(vectors), -np.inf, dtype=np.float32)
    thresholds = np.full(len(vocabulary), -np.inf, np.float32) if hard else np.float32(1) - vocabulary.radii
    for top in range(0, len(vectors), ROWS):
        rows = slice(top, top + ROWS)
        for left in range(0, len(vocabulary), COLUMNS):
            block = vectors[rows] @ vocabulary.centers[left : left + COLUMNS].T
            _select(
                block,
                thresholds[left : left + COLUMNS],
                left,
                centers[rows],
                similarities[rows],
                nearest[rows],
                nearest_similarity[rows],
            )
    if config.uncovered == "nearest":
        empty = centers[:, 0] < 0
        centers[empty, 0] = nearest[empty]
        similarities[empty, 0] = nearest_similarity[empty]
    return Activations(centers, similarities)


@compiled
def _select(
    block: Matrix,
    thresholds: Matrix,
    offset: int,
    centers: npt.NDArray[np.int32],
    similarities: Matrix,
    nearest: npt.NDArray[np.int32],
    nearest_similarity: Matrix,
) -> None:
    """Merge a block of similarities into each row's best list. Columns come in rising order, so ties keep the lowest center."""
    k = centers.shape[1]
    for row in range(block.shape[0]):
        for column in range(block.shape[1]):
            value = block[row, column]
            if value > nearest_similarity[row]:
                nearest_similarity[row] = value
                nearest[row] = offset + column
            if value >= thresholds[column] and value > similarities[row, k - 1]:
                place = k - 1
                while place > 0 and value > similarities[row, place - 1]:
                    similarities[row, place] = similarities[row, place - 1]
                    centers[row, place] = centers[row, place - 1]
                    place -= 1
                similarities[row, place] = value
                centers[row, place] = offset + column
