"""Sparse vectors that remember which span made each weight, and which centers a span activates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sparse_coverage.kernels import Floats, Int32s

Assignment = Literal["soft", "nearest", "hard"]
Uncovered = Literal["drop", "nearest"]


@dataclass(frozen=True, slots=True)
class ActivationConfig:
    """Which centers a span activates.

    `soft`: the `k` most similar centers among all whose radius covers the span; `nearest`: the `k` most similar centers,
    whatever their radius; `hard`: the single nearest center. `uncovered`: what a span outside every radius does: `drop` it, or
    activate its `nearest` center. `repeats`: in a query, a center that n spans activate counts n^repeats times.
    `passage_repeats`: in a passage, whose weights stay below 1, its weight w becomes w^(1 / n^passage_repeats).

    >>> ActivationConfig(k=3).assignment
    'soft'
    """

    k: int = 5
    assignment: Assignment = "soft"
    uncovered: Uncovered = "drop"
    repeats: float = 0.0
    passage_repeats: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """One text over the vocabulary: active centers in rising order, their weights, and the span behind each weight.

    `spans[i]` is the ordinal of the span that gave `weights[i]`, and `starts[i]:ends[i]` its place in the text.
    `span_count` counts all spans of the text, `uncovered` those that no center covered.
    """

    centers: Int32s
    weights: Floats
    spans: Int32s
    starts: Int32s
    ends: Int32s
    span_count: int
    uncovered: int

    def __len__(self) -> int:
        return len(self.centers)

    def as_dict(self) -> dict[int, float]:
        """Return center numbers and weights as a plain dictionary."""
        return dict(zip(self.centers.tolist(), self.weights.tolist(), strict=True))
