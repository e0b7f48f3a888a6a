"""PLAID, an approximation of MaxSim: clusters of tokens choose and prune the texts, compressed vectors score the rest.

What the paper's ColBERT runs on. Tokens are the nearest of some thousand centroids plus a residual of a few bits a dimension. A query
token looks at the texts that have tokens in its nearest centroids; those are scored by their centroids alone, first without the
centroids that no query token comes close to; the best quarter is scored with the decompressed vectors. Texts that were pruned have
no score. Vectors are compressed when a scorer is made: rankings are those of a PLAID index, disk space is not saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparse_coverage.kernels import Array, Floats, Int64s

_SAMPLE = 1 << 16  # tokens that the centroids are learned from
_ROUNDS = 4
_BLOCK = 1 << 15  # tokens compared with the centroids at once
_PORTION = 1 << 14  # tokens decompressed at once


@dataclass(frozen=True, slots=True)
class PlaidConfig:
    """How much is looked at, by the numbers of the published engine for rankings of a thousand texts.

    `probes`: nearest centroids of a query token; `threshold`: a centroid counts in the first pass if any query token is that close;
    `candidates`: texts that survive the first pass, a quarter of which is decompressed; `bits` a dimension of the residual.
    `centroids`: None for the power of two next below 16 times the root of the number of tokens.
    """

    probes: int = 4
    threshold: float = 0.4
    candidates: int = 4096
    bits: int = 2
    centroids: int | None = None
    seed: int = 0


class PlaidTokens:
    """The tokens of texts, compressed."""

    def __init__(self, vectors: Array, offsets: Int64s, config: PlaidConfig | None = None) -> None:
        self.config = config or PlaidConfig()
        self.offsets = np.asarray(offsets, dtype=np.int64)
        self.owners = np.repeat(np.arange(len(offsets) - 1), np.diff(self.offsets))
        self.centroids = _centroids(vectors, self.config)
        self.codes, residual = _nearest(vectors, self.centroids)
        levels = np.linspace(0, 1, 2**self.config.bits + 1)
        sample = residual[:: max(1, len(residual) // _SAMPLE)]
        self._cuts = np.quantile(sample, levels[1:-1]) if len(sample) else np.zeros(len(levels) - 2)
        middles = np.quantile(sample, (levels[1:] + levels[:-1]) / 2) if len(sample) else np.zeros(len(levels) - 1)
        self._values = middles.astype(np.float32)
        self.residuals = np.searchsorted(self._cuts, residual).astype(np.uint8)
        order = np.argsort(self.codes, kind="stable")
        self._by_centroid = self.owners[order]
        self._starts = np.searchsorted(self.codes[order], np.arange(len(self.centroids) + 1))

    def decompressed(self, tokens: npt.NDArray[np.intp]) -> Floats:
        """Return the vectors of some tokens as the compressed form has them, of unit length."""
        found: Floats = self._values[self.residuals[tokens]]
        found += self.centroids[self.codes[tokens]]
        lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
        found /= np.where(lengths == 0, 1, lengths)[:, None]
        return found

    def scores(self, query: Floats) -> npt.NDArray[np.float32]:
        """Return the score of every text for the token vectors of one chunk of a query; minus infinity for those pruned."""
        result = np.full(len(self.offsets) - 1, -np.inf, dtype=np.float32)
        if not len(query) or not len(self.codes):
            return result
        near = query @ self.centroids.T
        chosen = self._candidates(near)
        close = near.max(axis=0) >= self.config.threshold
        chosen = self._best(chosen, np.where(close, near, 0), self.config.candidates)
        chosen = self._best(chosen, near, max(self.config.candidates // 4, 1))
        for texts, tokens, starts in self._portions(chosen):
            similar = query @ self.decompressed(tokens).T
            result[texts] = np.maximum.reduceat(similar, starts, axis=1).sum(axis=0)
        return result

    def _portions(
        self, texts: npt.NDArray[np.intp]
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """Yield some texts at a time with their tokens, and where each text's begin among these."""
        sizes = self.offsets[texts + 1] - self.offsets[texts]
        while len(texts):
            taken = max(int(np.searchsorted(np.cumsum(sizes), _PORTION, side="right")), 1)
            now, mine, texts, sizes = texts[:taken], sizes[:taken], texts[taken:], sizes[taken:]
            ends = np.cumsum(mine)
            tokens = np.arange(ends[-1]) + np.repeat(self.offsets[now] - (ends - mine), mine)
            yield now, tokens, ends - mine

    def _candidates(self, near: Floats) -> npt.NDArray[np.intp]:
        probes = min(self.config.probes, near.shape[1])
        probed = np.unique(np.argpartition(-near, probes - 1, axis=1)[:, :probes])
        lists = [self._by_centroid[self._starts[c] : self._starts[c + 1]] for c in probed.tolist()]
        return np.unique(np.concatenate(lists))

    def _best(self, texts: npt.NDArray[np.intp], near: Floats, count: int) -> npt.NDArray[np.intp]:
        """Return the texts whose centroids come closest to the query, all where they are few enough."""
        if len(texts) <= count:
            return texts
        parts = [
            np.maximum.reduceat(near[:, self.codes[tokens]], starts, axis=1).sum(axis=0)
            for _, tokens, starts in self._portions(texts)
        ]
        scores = np.concatenate(parts)
        return np.sort(texts[np.argsort(-scores, kind="stable")[:count]])


def _centroids(vectors: Array, config: PlaidConfig) -> Floats:
    """Cluster a sample of the tokens by cosine: a few rounds of k-means from random tokens."""
    wanted = config.centroids or 2 ** int(np.log2(16 * np.sqrt(max(len(vectors), 1))))
    random = np.random.default_rng([config.seed, 11])
    rows = np.sort(random.choice(len(vectors), min(_SAMPLE, len(vectors)), replace=False))
    sample = np.asarray(vectors[rows], dtype=np.float32)
    if not len(sample):
        return sample
    found = sample[np.sort(random.choice(len(sample), min(wanted, len(sample)), replace=False))]
    for _ in range(_ROUNDS):
        codes, _residual = _nearest(sample, found)
        sums = np.zeros_like(found)
        np.add.at(sums, codes, sample)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        found = np.where(lengths > 0, sums / np.where(lengths == 0, 1, lengths), found).astype(np.float32)
    return found


def _nearest(vectors: Array, centroids: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return each token's nearest centroid, and what lies between them."""
    codes = np.empty(len(vectors), dtype=np.intp)
    residuals = np.empty((len(vectors), centroids.shape[1] if len(centroids) else 0), dtype=np.float32)
    for first in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[first : first + _BLOCK], dtype=np.float32)
        codes[first : first + _BLOCK] = (block @ centroids.T).argmax(axis=1)
        residuals[first : first + _BLOCK] = block - centroids[codes[first : first + _BLOCK]]
    return codes, residuals
