"""The fitted score of a cell: how likely a document discloses an element, from four figures of their token vectors and words."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from sparse_coverage.encoding import TokenVectors
from sparse_coverage.kernels import Doubles, Floats, Int32s, Int64s
from sparse_coverage.text import content_words, stems, stems_of

NEAR = 0.5
"""A word with a likeness of less than this to everything in a document is unmet."""
_RIDGE = 3.0


class Figures(NamedTuple):
    """What the score of a cell is made of; docs/charts.md says what each is."""

    unmet: float
    telling: float
    context: float
    shared: float


@dataclass(frozen=True, slots=True)
class Rarity:
    """In how many of so many claims a word (its stem) stands; one that is not listed stands in none."""

    claims: int
    counts: Mapping[str, int]

    @classmethod
    @cache
    def shipped(cls) -> Rarity:
        """Return the counts that come with the package, from 900 claims of all fields."""
        found = json.loads((files("sparse_coverage.charts") / "claim_words.json").read_text(encoding="utf-8"))
        return cls(found["claims"], found["counts"])

    def of(self, stem: str) -> float:
        """Return how rare a stem is: minus the logarithm of the share of claims that have it.

        >>> rarity = Rarity(9, {"valv": 4})
        >>> rarity.of("valv") < rarity.of("spring")
        True
        """
        return -math.log((self.counts.get(stem, 0) + 1) / (self.claims + 1))

    def of_text(self, text: str) -> float:
        """Return the mean rarity of the words of a text."""
        found = stems(text, "en")
        return math.fsum(map(self.of, found)) / len(found) if found else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class TokenSpace:
    """Token vectors without what all tokens of an encoder share: their mean, and the one longest direction about it.

    `claims` is the mean of claims of all fields: what a document is near to whatever is claimed.
    """

    mean: Floats
    common: Floats
    claims: Floats

    @classmethod
    def learn(cls, tokens: Floats) -> TokenSpace:
        """Learn from the token vectors of some texts; of claims nothing is known yet."""
        rows = _unit(tokens)
        mean = rows.mean(0)
        _, directions = np.linalg.eigh(np.cov((rows - mean).T))
        return cls(mean, directions[:, -1].astype(np.float32), np.zeros_like(mean))

    def place_means(self, means: Floats) -> Floats:
        """Return token vectors of length 1, or means of such, in the space, of length 1."""
        rows = means - self.mean
        return _unit(rows - np.outer(rows @ self.common, self.common))


@dataclass(frozen=True, slots=True, eq=False)
class PlacedTokens:
    """The tokens of a text that hold a letter or digit: vectors in a space, where they are, and their mean before it was placed."""

    vectors: Floats
    starts: Int32s
    ends: Int32s
    mean: Floats

    @classmethod
    def of(cls, text: str, found: TokenVectors, space: TokenSpace) -> PlacedTokens:
        """Place the tokens of a text."""
        pairs = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
        kept = np.asarray([any(map(str.isalnum, text[start:end])) for start, end in pairs], dtype=bool)
        rows = np.flatnonzero(kept)
        unit = _unit(found.vectors[rows].astype(np.float32))
        mean = unit.mean(0) if len(rows) else np.zeros(unit.shape[1], np.float32)
        return cls(space.place_means(unit), found.starts[rows], found.ends[rows], mean)


@dataclass(frozen=True, slots=True, eq=False)
class ElementTokens:
    """The words of an element that say something: token vectors, the number of each token's word, how rare each word is and where
    it begins in the element.
    """

    vectors: Floats
    word: Int64s
    rarity: Doubles
    starts: Int64s

    @classmethod
    def of(cls, text: str, start: int, end: int, tokens: PlacedTokens, rarity: Rarity) -> ElementTokens:
        """Return the words of a claim between two places; all tokens as one word where none says anything."""
        inside = np.flatnonzero((tokens.starts >= start) & (tokens.starts < end))
        rows: list[int] = []
        numbers: list[int] = []
        weights: list[float] = []
        starts: list[int] = []
        for found in content_words(text[start:end], "en"):
            here = inside[(tokens.starts[inside] < start + found.end) & (tokens.ends[inside] > start + found.start)]
            if len(here):
                rows += here.tolist()
                numbers += [len(weights)] * len(here)
                weights.append(max(map(rarity.of, stems_of(found.text)), default=0.0))
                starts.append(found.start)
        if not rows:
            rows, numbers, weights, starts = inside.tolist(), [0] * len(inside), [rarity.of("")], [0]
        placed = np.asarray(starts, np.int64)
        return cls(tokens.vectors[rows], np.asarray(numbers, np.int64), np.asarray(weights), placed)

    @property
    def telling(self) -> float:
        """How rare the rarest word is."""
        return float(self.rarity.max(initial=0.0))

    def likeness(self, tokens: Floats, borders: Int64s) -> Floats:
        """Return the largest likeness of each word to the tokens of each piece of a text, a word a row; pieces end at borders."""
        if not len(self.vectors):
            return np.zeros((len(self.rarity), len(borders) - 1), np.float32)
        best = np.maximum.reduceat(self.vectors @ tokens.T, borders[:-1], axis=1)
        sums = np.zeros((len(self.rarity), best.shape[1]), np.float32)
        np.add.at(sums, self.word, best)
        found: Floats = (sums / np.bincount(self.word, minlength=len(self.rarity))[:, None]).astype(np.float32)
        return found

    def match(self, likeness: Floats) -> Floats:
        """Return the mean likeness of the words, a piece a column; rare words count more."""
        weights = self.rarity / max(float(self.rarity.sum()), 1e-9) if self.rarity.any() else np.ones(len(self.rarity))
        found: Floats = (weights @ likeness).astype(np.float32)
        return found

    def unmet(self, likeness: Floats) -> float:
        """Return what the words say that no piece is near to, below 0."""
        return -math.sqrt(float((self.rarity * np.maximum(0.0, NEAR - likeness.max(1, initial=-1.0))).sum()))


@dataclass(frozen=True, slots=True)
class Score:
    """An ordinal logistic regression over the figures of a cell, and from which probabilities on a cell is called what."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    offsets: tuple[float, float]
    thresholds: tuple[float, float] = (0.5, 0.5)

    @classmethod
    def fit(cls, figures: Sequence[Sequence[float]], labels: Sequence[int], thresholds: tuple[float, float]) -> Score:
        """Fit labels of 0 (not), 1 (partly) and 2 (disclosed) by Newton's method; weights are held back (ridge)."""
        table = np.asarray(figures, np.float64)
        means, deviations = table.mean(0), table.std(0) + 1e-9
        rows, count = (table - means) / deviations, len(table)
        wide = rows.shape[1]
        design = np.zeros((2 * count, wide + 2))
        design[:count, :wide] = design[count:, :wide] = rows
        design[:count, wide] = design[count:, wide + 1] = 1
        truth = np.concatenate([np.asarray(labels) >= level for level in (1, 2)]).astype(np.float64)
        held = np.diag([_RIDGE] * wide + [1e-3] * 2)
        answer = np.zeros(wide + 2)
        for _ in range(100):
            likely = _logistic(design @ answer)
            slope = design.T @ (truth - likely) - held @ answer
            curve = (design * (likely * (1 - likely))[:, None]).T @ design + held
            step = np.linalg.solve(curve, slope)
            answer += step
            if np.abs(step).max() < 1e-9:
                break
        values = [tuple(map(float, each)) for each in (means, deviations, answer[:wide])]
        return cls(values[0], values[1], values[2], (float(answer[wide]), float(answer[wide + 1])), thresholds)

    def probabilities(self, figures: Sequence[Sequence[float]]) -> Doubles:
        """Return how likely cells are at least partly disclosed, and disclosed: two columns."""
        table = np.asarray(figures, np.float64).reshape(-1, len(self.weights))
        rows = (table - self.means) / np.asarray(self.deviations)
        return _logistic((rows @ np.asarray(self.weights))[:, None] + np.asarray(self.offsets))

    def evidence(self, figures: Sequence[Sequence[float]]) -> Floats:
        """Return one number in [0, 1] for each cell: the mean of its two probabilities."""
        found: Floats = self.probabilities(figures).mean(1).astype(np.float32)
        return found

    def levels(self) -> tuple[float, float]:
        """Return the evidence from which on a cell is called partly, and disclosed."""
        pairs = zip(self.thresholds, self.offsets, strict=True)
        sums = [math.log(share / (1 - share)) - offset for share, offset in pairs]
        partly, disclosed = _logistic(np.add.outer([sums[0], max(sums)], self.offsets)).mean(1).astype(np.float32)
        return float(partly), float(disclosed)


def _logistic(values: Doubles) -> Doubles:
    found: Doubles = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return found


def _unit(rows: Floats) -> Floats:
    found: Floats = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return found
