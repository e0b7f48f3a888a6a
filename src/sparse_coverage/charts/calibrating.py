"""Makes the calibration of an encoder: from cells judged by readers, or from claims and the documents that disclose them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparse_coverage.charts.calibration import Calibration
from sparse_coverage.charts.chart import ChartDocument
from sparse_coverage.charts.claims import encode_claims
from sparse_coverage.charts.elements import Element
from sparse_coverage.charts.reading import KeptTokenVectors, read_documents
from sparse_coverage.charts.score import Figures, PlacedTokens, Rarity, Score, TokenSpace
from sparse_coverage.encoding import Encoder
from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Doubles, Int64s
from sparse_coverage.patents import Claim
from sparse_coverage.progress import tracked

THRESHOLDS = (0.42, 0.45)
"""From which probabilities on a cell is called partly and disclosed: those with the best agreement on cells judged by readers
(`benchmarks/charts.py`)."""
_LEAST = 20
_SAMPLE = 200


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with its elements, and for documents by their number the label of each element: 0 not, 1 partly, 2 disclosed."""

    claim: Claim
    elements: tuple[Element, ...]
    labels: dict[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class JudgedCells:
    """The figures of judged cells, the labels, and the number of the claim that each belongs to; claims of one text have one number."""

    figures: Sequence[Sequence[float]]
    labels: Sequence[int]
    claims: Sequence[int]


def fit_calibration(claims: Sequence[JudgedClaim], texts: Sequence[Sequence[str]], encoder: Encoder) -> Calibration:
    """Fit the score of an encoder on judged claims; `texts` are the passages of the documents. The figures are cross-validated."""
    if len(claims) < _LEAST:
        raise InputError(
            f"A calibration needs at least {_LEAST} claims with documents that disclose them; here are {len(claims)}."
        )
    space, without = learn_spaces(claims, texts, encoder)
    cells = judged_cells(claims, texts, encoder, without)
    score = Score.fit(cells.figures, cells.labels, THRESHOLDS)
    return Calibration(
        encoder.name, encoder.fingerprint, space, score, measures(cells.labels, cross_validated(cells), score)
    )


def learn_spaces(
    claims: Sequence[JudgedClaim], texts: Sequence[Sequence[str]], encoder: Encoder
) -> tuple[TokenSpace, list[TokenSpace]]:
    """Learn the space of token vectors from passages of documents, some of each, and what claims are like from all of them.

    Return it, and for each claim one that knows what all other claims are like. A text that was judged twice counts once.
    """
    some = [passage for passages in texts for passage in passages[:: max(1, len(passages) // 4)]]
    vectors = [found.vectors for found in encoder.encode(some[:: max(1, len(some) // _SAMPLE)]) if len(found.vectors)]
    space = TokenSpace.learn(np.concatenate(vectors))
    places = {text: place for place, text in enumerate(dict.fromkeys(judged.claim.text for judged in claims))}
    means = [
        PlacedTokens.of(text, found, space).mean for text, found in zip(places, encoder.encode(places), strict=True)
    ]
    placed = space.place_means(np.stack(means))
    without = [np.delete(placed, places[judged.claim.text], axis=0).mean(0) for judged in claims]
    return replace(space, claims=placed.mean(0)), [replace(space, claims=others) for others in without]


def judged_cells(
    claims: Sequence[JudgedClaim], texts: Sequence[Sequence[str]], encoder: Encoder, spaces: Sequence[TokenSpace]
) -> JudgedCells:
    """Read every judged document closely, in a space for each claim that does not know it."""
    wide = len(Figures._fields)
    blank = Score((0.0,) * wide, (1.0,) * wide, (1.0,) * wide, (0.0, 0.0))
    documents = [ChartDocument.of_texts(str(number), passages) for number, passages in enumerate(texts)]
    vectors = KeptTokenVectors(encoder)
    figures: list[Figures] = []
    found: list[int] = []
    numbers: list[int] = []
    names = {claim.claim.text: number for number, claim in enumerate(claims)}
    for judged, others in zip(tracked(claims, "Reading documents", len(claims)), spaces, strict=True):
        calibration = Calibration(encoder.name, encoder.fingerprint, others, blank, {}, Rarity.shipped())
        encoded = encode_claims([judged.claim], judged.elements, encoder, calibration)
        read = read_documents(encoded, [documents[place] for place in judged.labels], vectors, calibration)
        for labels, (_, closely) in zip(judged.labels.values(), read, strict=True):
            figures += closely.figures
            found += labels
            numbers += [names[judged.claim.text]] * len(labels)
    return JudgedCells(figures, found, numbers)


def cross_validated(cells: JudgedCells, folds: int = 40) -> Doubles:
    """Return the probabilities of cells by scores that were fitted without their claims."""
    table, labels, claims = np.asarray(cells.figures), np.asarray(cells.labels), np.asarray(cells.claims)
    fold = np.unique(claims, return_inverse=True)[1] % folds
    found = np.zeros((len(labels), 2))
    for number in np.unique(fold).tolist():
        out = fold == number
        score = Score.fit(table[~out].tolist(), labels[~out].tolist(), THRESHOLDS)
        found[out] = score.probabilities(table[out].tolist())
    return found


def measures(labels: Sequence[int], probabilities: Doubles, score: Score) -> dict[str, Any]:
    """Return how good verdicts are: agreement, kappa with linear weights, area under the curve, precision and recall of disclosed."""
    truth = np.asarray(labels)
    partly, disclosed = score.thresholds
    said = (probabilities[:, 0] >= partly).astype(int) + ((probabilities >= (partly, disclosed)).all(1))
    right = float(((said == 2) & (truth == 2)).sum())
    whole = probabilities.sum(1)
    return {
        "cells": len(truth),
        "agreement": round(float((said == truth).mean()), 3),
        "kappa": round(kappa(truth, said), 3),
        "auc": round(auc(whole[truth == 2], whole[truth == 0]), 3),
        "precision": round(right / max(1, int((said == 2).sum())), 3),
        "recall": round(right / max(1, int((truth == 2).sum())), 3),
        "disclosed but not found": round(float((said[truth == 2] == 0).mean()) if (truth == 2).any() else 0.0, 3),
    }


def kappa(one: Int64s, other: Int64s, levels: int = 3) -> float:
    """Return Cohen's kappa with linear weights.

    >>> kappa(np.asarray([0, 1, 2, 2]), np.asarray([0, 1, 2, 2]))
    1.0
    """
    table = np.zeros((levels, levels))
    np.add.at(table, (one, other), 1)
    chance = np.outer(table.sum(1), table.sum(0)) / max(table.sum(), 1)
    weights = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels)))
    return float(1 - (weights * table).sum() / max((weights * chance).sum(), 1e-9))


def auc(positive: Doubles, negative: Doubles) -> float:
    """Return the share of pairs in which the positive has the higher score; ties count half.

    >>> auc(np.asarray([2.0, 3.0]), np.asarray([1.0, 2.0]))
    0.875
    """
    if not len(positive) or not len(negative):
        return 0.5
    order = np.sort(negative)
    below = np.searchsorted(order, positive, side="left") + np.searchsorted(order, positive, side="right")
    return float(below.mean() / 2 / len(order))
