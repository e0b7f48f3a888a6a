"""How centers are chosen, by name. One function each; the radii are measured alike for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparse_coverage.errors import VocabularyError
from sparse_coverage.kernels import Floats, Int64s
from sparse_coverage.vocabulary.points import distinct_rows
from sparse_coverage.vocabulary.sampling.sample import SpanSample
from sparse_coverage.vocabulary.selection.farthest_first import farthest_first
from sparse_coverage.vocabulary.selection.kmeans import refine, seed_by_distance


@dataclass(frozen=True, slots=True)
class Choice:
    """What a selection is asked for: how many centers, from which seed, with how many threads, saving where."""

    size: int
    seed: int = 0
    threads: int | None = None
    checkpoint: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Chosen centers: the row of the span behind each, its vector, and for farthest-first its distance when chosen."""

    rows: Int64s
    centers: Floats
    gaps: Floats


def by_farthest_first(sample: SpanSample, choice: Choice) -> Selection:
    """Cover the space: each center is the span farthest from those before it (the paper's choice)."""
    found = farthest_first(
        sample.points, choice.size, seed=choice.seed, threads=choice.threads, checkpoint=choice.checkpoint
    )
    return Selection(found.rows, sample.points.rows(found.rows), found.distances)


def by_kmeans_seeding(sample: SpanSample, choice: Choice) -> Selection:
    """Follow density and distance: each center is a span drawn with a chance proportional to its distance (k-means++)."""
    rows = seed_by_distance(sample.points, choice.size, seed=choice.seed, threads=choice.threads)
    return _observed(sample, rows)


def by_kmeans(sample: SpanSample, choice: Choice) -> Selection:
    """Follow density: k-means++ seeds moved to the means of their cells (mini-batch spherical k-means).

    A center is then no span; its anchor is the nearest of the spans it was moved by, or its seed.
    """
    rows = seed_by_distance(sample.points, choice.size, seed=choice.seed, threads=choice.threads)
    centers, anchors = refine(sample.points, rows, seed=choice.seed, threads=choice.threads)
    return Selection(anchors, centers, np.empty(0, dtype=np.float32))


def by_chance(sample: SpanSample, choice: Choice) -> Selection:
    """Draw spans uniformly, no two alike."""
    order = np.random.default_rng([choice.seed, 2]).permutation(len(sample))
    return _observed(sample, _first_distinct(sample, order, choice.size))


def by_frequency(sample: SpanSample, choice: Choice) -> Selection:
    """Draw distinct span texts with a chance proportional to how often they occur; one occurrence stands for each."""
    order = np.random.default_rng([choice.seed, 3]).permutation(len(sample))
    texts = np.array(_text_numbers(sample))
    _, first = np.unique(texts[order], return_index=True)  # the first occurrence in a random order: chance ~ frequency
    return _observed(sample, _first_distinct(sample, order[np.sort(first)], choice.size))


SELECTIONS: dict[str, Callable[[SpanSample, Choice], Selection]] = {
    "farthest-first": by_farthest_first,
    "kmeans++": by_kmeans_seeding,
    "kmeans": by_kmeans,
    "random": by_chance,
    "frequency": by_frequency,
}
NESTED = frozenset(SELECTIONS) - {"kmeans"}
"""Selections whose first V' centers are what they would choose for size V'."""


def _observed(sample: SpanSample, rows: Int64s) -> Selection:
    return Selection(rows, sample.points.rows(rows), np.empty(0, dtype=np.float32))


def _text_numbers(sample: SpanSample) -> list[int]:
    """Number the distinct texts (letter case aside) in the order they first occur."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(text.casefold(), len(numbers)) for text in sample.texts()]


def _first_distinct(sample: SpanSample, order: Int64s, size: int) -> Int64s:
    """Return the first `size` rows of an order, leaving out those that equal an earlier one bit by bit."""
    rows = distinct_rows(sample.points, order, size)
    if len(rows) < size:
        raise VocabularyError(
            f"{size:,} centers were asked for, but there are only {len(rows):,} distinct candidates. "
            f"Choose a vocabulary size of at most {len(rows):,}, or give more text."
        )
    return rows
