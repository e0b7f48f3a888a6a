"""Where the numbers of a calibration come from: claims, the documents that disclose them, and others that are near."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.evidence import window_scores
from sparse_coverage.charts.sentences import Sentences
from sparse_coverage.charts.space import Space
from sparse_coverage.charts.words import ElementWords, Rarity, SentenceWords
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Doubles, Floats, Int64s
from sparse_coverage.progress import tracked

HARD = 10
"""How many of the nearest other documents, by the words of the claim, are hard negatives; as many random ones are easy."""
DISCLOSED, PARTLY = 0.05, 0.15
"""The share of hard negatives that may be called disclosed, and disclosed or partly."""
_EVEN = 0.5
"""Where negatives are easily told apart, an element still needs even odds to be disclosed, and half of that to be so partly."""
_LEAST = 20
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True, eq=False)
class ClaimExample:
    """A claim: its text and those of its elements, the mean vectors of the whole and of each element, and who discloses it."""

    text: str
    parts: tuple[str, ...]
    whole: Floats
    elements: Floats
    relevant: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Claims, and documents that disclose them or do not: the texts of their passages, and their sentences."""

    claims: Sequence[ClaimExample]
    texts: Sequence[Sequence[str]]
    documents: Sequence[Sentences]


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of elements in documents: of those that disclose their claim, of near and of random others."""

    positive: Doubles
    hard: Doubles
    easy: Doubles


def fit_calibration(examples: Examples, *, encoder: str, fingerprint: str) -> Calibration:
    """Fit on every other claim, measure on the rest; for the figures also the other way round ("swapped")."""
    if len(examples.claims) < _LEAST or len(examples.documents) < 2 * HARD + 1:
        raise InputError(
            f"A calibration needs at least {_LEAST} claims and {2 * HARD + 1} documents; here are {len(examples.claims)} and "
            f"{len(examples.documents)}."
        )
    rarity = Rarity.learn(text for texts in examples.texts for text in texts)
    halves = []
    for half in (0, 1):
        bare = _space(examples, rarity, half, encoder, fingerprint)
        scored = score(bare, examples)
        tuned, held = together(scored[half::2]), together(scored[1 - half :: 2])
        halves.append((_fitted(bare, tuned), tuned, held))
    found, tuned, held = halves[0]
    figures = {
        "claims": len(examples.claims),
        "tuned": measures(found, tuned),
        "held_out": measures(found, held),
        "swapped": measures(halves[1][0], halves[1][2]),
    }
    return replace(found, figures=figures)


def _space(examples: Examples, rarity: Rarity, half: int, encoder: str, fingerprint: str) -> Calibration:
    """Return a calibration that has its space alone, from one half of the claims."""
    space = Space.learn(np.concatenate([claim.elements for claim in examples.claims[half::2]]), examples.documents)
    return Calibration(encoder, fingerprint, space, rarity, 1.0, 0.0, 0.0, 0.0, 1.0, {})


def _fitted(bare: Calibration, tuned: Scored) -> Calibration:
    """Fit the curve, and the thresholds that no more of the near others pass than may."""
    slope, offset = _logistic(tuned)
    found = replace(bare, slope=slope, offset=offset)
    evidence = found.evidence(tuned.hard.astype(np.float32))
    return replace(
        found,
        disclosed=max(_EVEN, float(np.quantile(evidence, 1 - DISCLOSED))),
        partly=max(_EVEN / 2, float(np.quantile(evidence, 1 - PARTLY))),
    )


def measures(calibration: Calibration, scored: Scored) -> dict[str, Any]:
    """Return what a calibration achieves: areas under the curve, shares called disclosed and partly, reliability."""
    groups = {
        name: calibration.evidence(getattr(scored, name)).astype(np.float64) for name in ("positive", "hard", "easy")
    }
    shares = {
        name: {
            "disclosed": float((values >= calibration.disclosed).mean()),
            "disclosed or partly": float((values >= calibration.partly).mean()),
        }
        for name, values in groups.items()
    }
    return {
        "elements": len(scored.positive),
        "auc_hard": auc(scored.positive, scored.hard),
        "auc_random": auc(scored.positive, scored.easy),
        "shares": shares,
        "reliability": reliability(groups["positive"], groups["hard"]),
    }


def auc(positive: Doubles, negative: Doubles) -> float:
    """Return the share of pairs in which the positive has the higher score; ties count half.

    >>> auc(np.asarray([2.0, 3.0]), np.asarray([1.0, 2.0]))
    0.875
    """
    order = np.sort(negative)
    below = np.searchsorted(order, positive, side="left") + np.searchsorted(order, positive, side="right")
    return float(below.mean() / 2 / len(order))


def reliability(positive: Doubles, negative: Doubles, bins: int = 10) -> list[dict[str, float | None]]:
    """Return, for ranges of evidence, how many of equally many positives and negatives in it are positive."""
    rows = []
    for low in np.arange(bins) / bins:
        inside = [
            ((values >= low) & (values < low + 1 / bins + (low == (bins - 1) / bins))).mean()
            for values in (positive, negative)
        ]
        total = sum(inside)
        rows.append(
            {"from": float(low), "positive": float(inside[0] / total) if total else None, "share": float(total / 2)}
        )
    return rows


def negatives(examples: Sequence[ClaimExample], texts: Sequence[str]) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield for each claim the nearest other documents by its words, and random ones of the rest."""
    chance = np.random.default_rng(0)
    bags = [Counter(_WORD.findall(text.lower())) for text in texts]
    frequency: Counter[str] = Counter(word for bag in bags for word in bag)
    lengths = np.asarray([bag.total() for bag in bags], dtype=np.float64)
    lengths /= lengths.mean()
    for example in examples:
        scores = np.zeros(len(texts))
        for word in set(_WORD.findall(example.text.lower())):
            rare = math.log(1 + (len(texts) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            counts = np.asarray([bag[word] for bag in bags], dtype=np.float64)
            scores += rare * counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * lengths) + 1e-9)
        order = np.asarray([number for number in np.argsort(-scores, kind="stable") if number not in example.relevant])
        yield order[:HARD], chance.choice(order[HARD:], min(HARD, len(order) - HARD), replace=False)


def score(calibration: Calibration, examples: Examples) -> list[Scored]:
    """Return, claim by claim, the best score of each element in each document that it is measured on."""
    space = calibration.space
    windows = [space.place_windows(one.windows()[0]) if len(one) else None for one in examples.documents]
    there = [SentenceWords.of(*one) for one in zip(examples.texts, examples.documents, strict=True)]
    scored = []
    others = negatives(examples.claims, [" ".join(texts) for texts in examples.texts])
    rows = zip(examples.claims, others, strict=True)
    for claim, (hard, easy) in tracked(rows, "Scoring elements", len(examples.claims)):
        placed = space.place_elements(claim.elements, claim.whole)
        words = ElementWords.of(claim.parts, calibration.rarity)
        found: list[Doubles] = []
        chosen: tuple[Iterable[int], ...] = (claim.relevant, hard.tolist(), easy.tolist())
        for numbers in chosen:
            best = [np.zeros(0)]
            for number in numbers:
                if (placed_windows := windows[number]) is not None:
                    shares = there[number].shares(words)
                    best.append(window_scores(space, placed, placed_windows, shares).max(1))
            found.append(np.concatenate(best))
        scored.append(Scored(*found))
    return scored


def together(scored: Sequence[Scored]) -> Scored:
    """Return the scores of several claims as one."""
    return Scored(*(np.concatenate([getattr(one, kind) for one in scored]) for kind in ("positive", "hard", "easy")))


def _logistic(scored: Scored) -> tuple[float, float]:
    """Fit slope and offset by Newton's method; positives weigh as much together as hard negatives do."""
    scores = np.concatenate([scored.positive, scored.hard])
    labels = np.concatenate([np.ones(len(scored.positive)), np.zeros(len(scored.hard))])
    weights = np.concatenate([np.full(len(part), 0.5 / len(part)) for part in (scored.positive, scored.hard)])
    design = np.stack([scores, np.ones_like(scores)], axis=1)
    answer = np.zeros(2)
    for _ in range(100):
        likely = 1 / (1 + np.exp(-np.clip(design @ answer, -30, 30)))
        slope = design.T @ (weights * (labels - likely)) - 1e-4 * answer
        curve = (design * (weights * likely * (1 - likely))[:, None]).T @ design + 1e-4 * np.eye(2)
        step = np.linalg.solve(curve, slope)
        answer += step
        if np.abs(step).max() < 1e-9:
            break
    return float(answer[0]), float(answer[1])
