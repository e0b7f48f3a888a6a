"""How the scores of its passages make that of a document: `Best` or `TopMean`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sparse_coverage.errors import InputError
from sparse_coverage.kernels import Array, Floats, Int64s


@dataclass(frozen=True, slots=True)
class Best:
    """The score of the best passage, as in the paper."""

    m: ClassVar[int] = 1
    """How many of its passages make a document's score."""


@dataclass(frozen=True, slots=True)
class TopMean:
    """The mean of the `m` best passages, or of all where a document has fewer. Rewards more than one good passage."""

    m: int = 3

    def __post_init__(self) -> None:
        if self.m < 1:
            raise InputError(f"A mean of the best passages needs at least one, not {self.m}.")


Aggregation = Best | TopMean


def document_scores(scores: Array, starts: Int64s, aggregation: Aggregation, allowed: Array | None = None) -> Floats:
    """Return the score of each document, none of them empty: `starts` says where the scores of its passages begin.

    A passage without a score has minus infinity and counts 0; a document without any keeps it. Passages that are not `allowed`,
    whose scores are minus infinity too, are not there at all. In plain NumPy, for any scores:
    an index does the same in compiled code, for the best documents only.

    >>> document_scores(np.array([1.0, 4.0, 3.0, -np.inf]), np.array([0, 3]), TopMean(2)).tolist()
    [3.5, -inf]
    """
    best = np.maximum.reduceat(scores, starts)
    if isinstance(aggregation, Best):
        return np.asarray(best, dtype=np.float32)
    counts = np.diff(starts, append=len(scores))
    owners = np.repeat(np.arange(len(starts)), counts)
    falling = np.where(scores > -np.inf, scores, 0)[np.lexsort((-scores, owners))].astype(np.float64)
    places = np.arange(len(scores)) - np.repeat(starts, counts)
    there = counts if allowed is None else np.add.reduceat(allowed.astype(np.int64), starts)
    made = np.add.reduceat(np.where(places < aggregation.m, falling, 0), starts) / np.clip(there, 1, aggregation.m)
    return np.where(best > -np.inf, made, -np.inf).astype(np.float32)


def parse_aggregation(text: str) -> Aggregation:
    """Read an aggregation as the command line writes it.

    >>> parse_aggregation("top-mean:5"), parse_aggregation("best")
    (TopMean(m=5), Best())
    """
    name, _, value = text.partition(":")
    try:
        if name == "best" and not value:
            return Best()
        if name == "top-mean":
            return TopMean(int(value)) if value else TopMean()
    except ValueError:
        pass
    raise InputError(f"'{text}' is no way to rank documents. Use best or top-mean:3 (any number).")
