"""Which centers each span activates: all within their radius, then the K most similar. Exact, for millions of spans.

Products of 16-bit vectors screen, a tile at a time, so nothing as wide as the vocabulary is ever written to memory; every
pair that passes is decided by the canonical distance. The result depends on no block, thread or BLAS.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import compiled
from sparse_coverage.vectors.sparse_vector import ActivationConfig
from sparse_coverage.vocabulary.canonical import row_distance
from sparse_coverage.vocabulary.nearest import BLOCK, nearest_centers
from sparse_coverage.vocabulary.products import PANEL, TILE, tile_products
from sparse_coverage.vocabulary.quantised import SCALE, Centers, quantise, screen
from sparse_coverage.vocabulary.vocabulary import Vocabulary
from sparse_coverage.vocabulary.workers import Workers

Matrix = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
_EVERYWHERE = 3.0
"""A radius that covers everything: no two directions are farther apart than 2."""


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """For each span its active centers, most similar first, padded with -1, and their cosine similarities."""

    centers: Ints
    similarities: Matrix

    def uncovered(self) -> int:
        """Return how many spans activate nothing."""
        return int((self.centers[:, 0] < 0).sum())


def activate(
    vectors: Matrix, vocabulary: Vocabulary, config: ActivationConfig, *, threads: int | None = 1
) -> Activations:
    """Return the centers that each span vector activates. The vectors are L2-normalised rows."""
    if config.k < 1:
        raise InputError(f"K, the number of centers a span may activate, must be at least 1, not {config.k}.")
    if vectors.shape[1] != vocabulary.centers.shape[1]:
        raise InputError(
            f"The span vectors have {vectors.shape[1]} dimensions, the centers {vocabulary.centers.shape[1]}. "
            "They come from different encoders."
        )
    vectors = vocabulary.prepared(vectors)
    packed = vocabulary.packed
    k = 1 if config.assignment == "hard" else config.k
    centers = np.full((len(vectors), k), -1, dtype=np.int32)
    distances = np.full((len(vectors), k), np.inf, dtype=np.float32)
    if config.assignment != "hard":
        everywhere = config.assignment == "nearest"
        radii = np.full(len(vocabulary), _EVERYWHERE, dtype=np.float32) if everywhere else vocabulary.radii
        _cover(vectors, packed, radii, centers, distances, threads)
    if config.assignment == "hard" or config.uncovered == "nearest":
        empty = np.flatnonzero(centers[:, 0] < 0)
        if len(empty):
            found = nearest_centers(vectors[empty], packed, threads=threads, quiet=True)[packed.count]
            centers[empty, 0] = found.nearest
            distances[empty, 0] = found.distances
    return Activations(centers, np.float32(1) - distances)


def count_covering(vectors: Matrix, vocabulary: Vocabulary, *, threads: int | None = None) -> npt.NDArray[np.int64]:
    """Return how many centers cover each span, before any cap: the number within whose radius it lies."""
    vectors = vocabulary.prepared(vectors)
    counts = np.zeros(len(vectors), dtype=np.int64)
    packed, radii = vocabulary.packed, vocabulary.radii
    limits = _limits(radii, packed)

    def work(top: int) -> None:
        rows = vectors[top : top + BLOCK]
        part = counts[top : top + BLOCK]
        _count_block(rows, quantise(rows), packed.rows, packed.panels, radii, limits, packed.margin, part)

    with Workers(threads) as workers:
        workers.each(work, range(0, len(vectors), BLOCK))
    return counts


def _cover(
    vectors: Matrix, packed: Centers, radii: Matrix, centers: Ints, distances: Matrix, threads: int | None
) -> None:
    limits = _limits(radii, packed)

    def work(top: int) -> None:
        part = slice(top, top + BLOCK)
        rows = vectors[part]
        quantised = quantise(rows)
        _cover_block(
            rows, quantised, packed.rows, packed.panels, radii, limits, packed.margin, centers[part], distances[part]
        )

    with Workers(threads) as workers:
        workers.each(work, range(0, len(vectors), BLOCK))


def _limits(radii: Matrix, packed: Centers) -> Ints:
    """Return the product that every span within a center's radius reaches; places after the last center are never reached."""
    limits = np.full(len(packed.panels) * PANEL, 2**31 - 1, dtype=np.int32)
    _fill_limits(radii, packed.margin, limits)
    return limits


@compiled
def _fill_limits(radii: Matrix, margin: float, limits: Ints) -> None:
    for center in range(len(radii)):
        limits[center] = screen(radii[center], margin)


@compiled
def _cover_block(
    rows: Matrix,
    quantised: npt.NDArray[np.int16],
    centers: Matrix,
    panels: npt.NDArray[np.int16],
    radii: Matrix,
    limits: Ints,
    margin: float,
    active: Ints,
    distances: Matrix,
) -> None:
    """Fill `active` and `distances`. Centers come in rising order, so that a tie keeps the lower one."""
    width = quantised.shape[1]
    k = active.shape[1]
    floors = np.full(quantised.shape[0], 2**31 - 1, dtype=np.int32)  # rows that only fill up a tile reach nothing
    floors[: rows.shape[0]] = -(2**31)
    out = np.empty((TILE, PANEL), dtype=np.int32)
    for panel in range(panels.shape[0]):
        for top in range(0, quantised.shape[0], TILE):
            hits = tile_products(quantised, top, panels, panel, floors, limits, panel, out, width)
            if hits == 0:
                continue
            for r in range(TILE):
                if not (hits >> r) & 1:
                    continue
                row = top + r
                for lane in range(PANEL):
                    center = panel * PANEL + lane
                    if out[r, lane] < limits[center] or out[r, lane] < floors[row]:
                        continue
                    distance = row_distance(rows, row, centers, center)
                    if distance <= radii[center] and distance < distances[row, k - 1]:
                        place = k - 1
                        while place > 0 and distance < distances[row, place - 1]:
                            distances[row, place] = distances[row, place - 1]
                            active[row, place] = active[row, place - 1]
                            place -= 1
                        distances[row, place] = distance
                        active[row, place] = center
                        floors[row] = screen(distances[row, k - 1], margin)


@compiled
def _count_block(
    rows: Matrix,
    quantised: npt.NDArray[np.int16],
    centers: Matrix,
    panels: npt.NDArray[np.int16],
    radii: Matrix,
    limits: Ints,
    margin: float,
    counts: npt.NDArray[np.int64],
) -> None:
    width = quantised.shape[1]
    twice = np.int64(2.0 * margin * SCALE * SCALE) + 2
    floors = np.full(quantised.shape[0], 2**31 - 1, dtype=np.int32)
    floors[: rows.shape[0]] = -(2**31)
    out = np.empty((TILE, PANEL), dtype=np.int32)
    for panel in range(panels.shape[0]):
        for top in range(0, quantised.shape[0], TILE):
            hits = tile_products(quantised, top, panels, panel, floors, limits, panel, out, width)
            if hits == 0:
                continue
            for r in range(TILE):
                if not (hits >> r) & 1:
                    continue
                for lane in range(PANEL):
                    center = panel * PANEL + lane
                    if out[r, lane] < limits[center]:
                        continue
                    sure = np.int64(out[r, lane]) >= np.int64(limits[center]) + twice
                    if sure or row_distance(rows, top + r, centers, center) <= radii[center]:
                        counts[top + r] += 1
