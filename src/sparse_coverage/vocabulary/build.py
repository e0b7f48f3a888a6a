"""From a sample of spans to a vocabulary: centers are chosen by a selection of a name, the radii are measured alike for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.encoding.encoder import Encoder
from sparse_coverage.errors import InputError, VocabularyError
from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s, Workers
from sparse_coverage.kernels.dense import canonical_distance, meet
from sparse_coverage.progress import progress_bar
from sparse_coverage.vocabulary.farthest_first import farthest_first
from sparse_coverage.vocabulary.nearest import measure_cells, nearest_centers
from sparse_coverage.vocabulary.points import (
    BLOCK,
    Centers,
    CommonPart,
    PointReader,
    Points,
    check_enough,
    distinct_rows,
    quantise,
    too_few,
)
from sparse_coverage.vocabulary.span_sample import SpanSample
from sparse_coverage.vocabulary.vocabulary import Vocabulary, VocabularyConfig

DEFAULT_SIZE = 10_000
SPANS_PER_CENTER = 10
"""Where no size is asked for, a small collection gets one center for this many spans."""


def check_settings(
    *,
    size: int | None = None,
    sizes: Sequence[int] = (),
    tau: float = 99.0,
    seed: int = 0,
    selection: str = "farthest-first",
    max_spans: int | None = None,
) -> None:
    """Refuse what no sample could satisfy, before one is drawn: encoding may take hours."""
    if not 0 < tau <= 100:
        raise InputError(f"tau is a percentile: above 0, at most 100, not {tau}.")
    if seed < 0:
        raise InputError(f"A seed is a whole number from 0 on, not {seed}.")
    if selection not in SELECTIONS:
        raise InputError(f"There is no selection '{selection}'. The selections are: {', '.join(SELECTIONS)}.")
    largest = max((*sizes, 1)) if size is None else size
    if largest < 1:
        raise InputError(f"A vocabulary needs at least one center, not {largest}.")
    if not all(1 <= smaller <= largest for smaller in sizes):
        raise InputError(
            f"Smaller sizes must lie between 1 and the size {largest:,}, not {', '.join(map(str, sizes))}."
        )
    if len({*sizes, *([] if size is None else [size])}) > 1 and selection not in NESTED:
        raise InputError(f"The selection '{selection}' is not nested: fit each size by itself, without smaller sizes.")
    if max_spans is not None and largest > max_spans:
        raise InputError(f"{largest:,} centers cannot be chosen from at most {max_spans:,} spans: sample more spans.")


def build_vocabulary(
    sample: SpanSample,
    encoder: Encoder,
    unit: str,
    *,
    size: int | None = None,
    sizes: Sequence[int] = (),
    tau: float = 99.0,
    seed: int = 0,
    selection: str = "farthest-first",
    common: int | None = None,
    threads: int | None = None,
    checkpoints: Path | None = None,
    only: str = "",
) -> Vocabulary:
    """Choose centers among the sampled spans and give each its radius.

    Without a `size`: 10,000 centers, or a tenth of the spans where that is fewer. `sizes` are smaller sizes to measure
    radii for in the same pass, for `Vocabulary.truncate`. `common`: remove the mean of the vectors and this many of their
    strongest common directions first. In the folder `checkpoints` an interrupted run leaves its state.
    `only` says in words which documents the sample was drawn from.
    """
    if size is None:
        size = max((*sizes, max(1, min(DEFAULT_SIZE, len(sample) // SPANS_PER_CENTER))))
    levels = sorted({*sizes, size})
    check_settings(size=size, sizes=sizes, tau=tau, seed=seed, selection=selection)
    part = None if common is None else CommonPart.of(sample.points, common)
    sample = sample if part is None else sample.without(part)

    def checkpoint(name: str) -> Path | None:
        return None if checkpoints is None else checkpoints / name

    saved = checkpoint(f"traversal-{seed}{sample.variant}.npz")
    chosen = SELECTIONS[selection](sample, Choice(size, seed, threads, saved))
    saved = checkpoint(f"cells-{selection}-{seed}-{'-'.join(map(str, levels))}{sample.variant}.bin")
    assigned = nearest_centers(
        sample.points, Centers.of(chosen.centers), sizes=levels, threads=threads, checkpoint=saved
    )
    cells = {level: measure_cells(assignment, level, tau) for level, assignment in assigned.items()}
    config = VocabularyConfig(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        precision=encoder.precision,
        dimension=encoder.dimension,
        unit=unit,
        size=size,
        tau=tau,
        selection=selection,
        seed=seed,
        spans=len(sample),
        documents=sample.documents,
        common=common,
        only=only,
    )
    return Vocabulary(chosen.centers, cells[size].radii, sample.anchors(chosen.rows), config, cells, chosen.gaps, part)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a selection is asked for: how many centers, from which seed, with how many threads, saving where."""

    size: int
    seed: int = 0
    threads: int | None = None
    checkpoint: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ChosenCenters:
    """Chosen centers: the row of the span behind each, its vector, and for farthest-first its distance when chosen."""

    rows: Int64s
    centers: Floats
    gaps: Floats


def by_farthest_first(sample: SpanSample, choice: Choice) -> ChosenCenters:
    """Cover the space: each center is the span farthest from those before it (the paper's choice)."""
    found = farthest_first(
        sample.points, choice.size, seed=choice.seed, threads=choice.threads, checkpoint=choice.checkpoint
    )
    return ChosenCenters(found.rows, sample.points.rows(found.rows), found.distances)


def by_kmeans(sample: SpanSample, choice: Choice) -> ChosenCenters:
    """Follow density and distance: Lloyd's steps from k-means++ seeds, over random parts of the spans (spherical k-means).

    A center is then no span; its anchor is the nearest of the spans it was moved by, or its seed.
    """
    rows = seed_by_distance(sample.points, choice.size, seed=choice.seed, threads=choice.threads)
    centers, anchors = refine(sample.points, rows, seed=choice.seed, threads=choice.threads)
    return ChosenCenters(anchors, centers, np.empty(0, dtype=np.float32))


def by_chance(sample: SpanSample, choice: Choice) -> ChosenCenters:
    """Draw spans uniformly, no two alike."""
    order = np.random.default_rng([choice.seed, 2]).permutation(len(sample))
    rows = _first_distinct(sample, order, choice.size)
    return ChosenCenters(rows, sample.points.rows(rows), np.empty(0, dtype=np.float32))


SELECTIONS: dict[str, Callable[[SpanSample, Choice], ChosenCenters]] = {
    "farthest-first": by_farthest_first,
    "kmeans": by_kmeans,
    "random": by_chance,
}
NESTED = frozenset(SELECTIONS) - {"kmeans"}
"""Selections whose first V' centers are what they would choose for size V'."""


def _first_distinct(sample: SpanSample, order: Int64s, size: int) -> Int64s:
    """Return the first `size` rows of an order, leaving out those that equal an earlier one bit by bit."""
    rows = distinct_rows(sample.points, order, size)
    if len(rows) < size:
        raise VocabularyError(
            f"{size:,} centers were asked for, but there are only {len(rows):,} distinct candidates. "
            f"Choose a vocabulary size of at most {len(rows):,}, or give more text."
        )
    return rows


DRAWS = 4096
STEPS = 10
BATCH_PER_CENTER = 10


def seed_by_distance(points: Points, count: int, *, seed: int = 0, threads: int | None = None) -> Int64s:
    """Draw `count` distinct rows, each with a chance proportional to its distance from the rows before (k-means++).

    Distances are brought up to date only now and then. In between a row drawn with its old distance is accepted with the
    chance new / old, which gives exactly the distribution of the new distances.
    """
    check_enough(points, count)
    random = np.random.default_rng([seed, 4])
    centers = Centers(count, points.dimension)
    chosen: list[int] = []
    nearest = np.zeros(len(points), dtype=np.int32)
    distances = np.full(len(points), np.inf, dtype=np.float32)
    met = 0
    with Workers(threads) as workers, progress_bar("Drawing centers", count) as advance:
        _add(points, centers, chosen, int(random.integers(len(points))))
        while len(chosen) < count:
            _update(points, centers, nearest, distances, met, workers)
            met = centers.count
            weights = np.maximum(distances.astype(np.float64), 0.0)
            weights[distances <= 1e-6] = 0.0
            cumulated = np.cumsum(weights)
            if cumulated[-1] <= 0.0:
                raise too_few(count, len(points), len(chosen))
            drawn = np.searchsorted(cumulated, random.random(DRAWS) * cumulated[-1], side="right")
            accepted = _accept(points, centers, chosen, drawn, weights, random.random(DRAWS), met, count)
            advance(accepted)
    return np.array(chosen, dtype=np.int64)


def _accept(
    points: Points,
    centers: Centers,
    chosen: list[int],
    drawn: Int64s,
    weights: Doubles,
    chances: Doubles,
    met: int,
    count: int,
) -> int:
    """Go through the draws until half of the last hundred were refused; return how many were accepted."""
    before, refused = len(chosen), 0
    for tried, (row, chance) in enumerate(zip(drawn.tolist(), chances.tolist(), strict=True)):
        if len(chosen) == count or (tried >= 100 and refused > tried // 2):
            break
        vector = points.rows(np.array([row]))
        now = np.full(1, weights[row], dtype=np.float32)
        meet(
            vector, quantise(vector), np.zeros(1, np.int32), now, centers.rows, centers.panels, met, centers.count, centers.margin
        )  # fmt: skip
        if now[0] > 1e-6 and chance * weights[row] < now[0]:
            _add(points, centers, chosen, row)
        else:
            refused += 1
    return len(chosen) - before


def _add(points: Points, centers: Centers, chosen: list[int], row: int) -> None:
    centers.append(points.rows(np.array([row])))
    chosen.append(row)


def _update(points: Points, centers: Centers, nearest: Int32s, distances: Floats, met: int, workers: Workers) -> None:
    """Bring the distances of all points up to date with the centers they have not met."""
    reader = PointReader(points, BLOCK)

    def work(top: int) -> None:
        part = slice(top, min(top + BLOCK, len(points)))
        rows, quantised = reader.read(np.arange(part.start, part.stop))
        known = nearest[part], distances[part]
        meet(rows, quantised, *known, centers.rows, centers.panels, met, centers.count, centers.margin)

    workers.each(work, range(0, len(points), BLOCK))


def refine(points: Points, rows: Int64s, *, seed: int = 0, threads: int | None = None) -> tuple[Floats, Int64s]:
    """Move the centers to the directions of their cells' means, batch by batch; return them and their anchors' rows.

    Each batch weighs as much as the points a center has met so far. A center that nothing comes near stays where it is.
    """
    random = np.random.default_rng([seed, 5])
    centers = points.rows(rows).astype(np.float64)
    weights = np.ones(len(rows))
    anchors = rows.copy()
    with progress_bar("Moving centers", STEPS) as advance:
        for _ in range(STEPS):
            size = min(len(points), BATCH_PER_CENTER * len(rows))
            batch = np.sort(random.choice(len(points), size, replace=False))
            vectors = points.rows(batch)
            current = _unit(centers)
            found = nearest_centers(vectors, current, threads=threads, quiet=True)[len(rows)]
            order = np.argsort(found.nearest, kind="stable")
            cells, firsts, counts = np.unique(found.nearest[order], return_index=True, return_counts=True)
            sums = np.add.reduceat(vectors[order].astype(np.float64), firsts, axis=0)
            centers[cells] = (current[cells] * weights[cells, None] + sums) / (weights[cells] + counts)[:, None]
            weights[cells] += counts
            advance()
    final = _unit(centers)
    found = nearest_centers(vectors, final, threads=threads, quiet=True)[len(rows)]
    best = np.array([canonical_distance(points.rows(anchors[i : i + 1])[0], final[i]) for i in range(len(rows))])
    for place in np.lexsort((batch, found.distances)):
        cell = found.nearest[place]
        if found.distances[place] < best[cell]:
            anchors[cell], best[cell] = batch[place], found.distances[place]
    return final, anchors


def _unit(vectors: Doubles) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = (vectors / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)
    return unit
