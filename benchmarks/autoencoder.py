"""A sparse autoencoder over token vectors, and an index of what it switches on: a neighbour of the method (see neighbours.py).

A token becomes its K most active of many learned latents, chosen so that few of them rebuild its vector (TopK, plain NumPy, Adam).
Passages and queries are scored exactly as in the paper, with latents in the place of centers: largest value over the tokens, length,
idf, stop latents. So the two differ only in where a token is put: among learned directions, or near tokens that were chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sparse_coverage.kernels import Array, Doubles, Floats, Int64s

_RATE, _BATCH, _MOMENTS = 1e-3, 512, (0.9, 0.999)


@dataclass(frozen=True)
class Autoencoder:
    """Encoder, its bias, decoder and the mean of the vectors it was trained on; `left` is the share of the variance it loses."""

    encoder: Floats
    bias: Floats
    decoder: Floats
    mean: Floats
    k: int
    left: float

    def latents(self, vectors: Array) -> Floats:
        """Return the value of every latent for some tokens: zero for all but the K largest, and for none below zero."""
        return top(np.asarray(vectors, np.float32) - self.mean, self.encoder, self.bias, self.k)


def top(centered: Floats, encoder: Floats, bias: Floats, k: int) -> Floats:
    active: Floats = np.maximum(centered @ encoder + bias, 0)
    least = np.partition(active, -k, axis=1)[:, -k]
    return np.where(active >= np.maximum(least, 1e-9)[:, None], active, 0).astype(np.float32)


def trained(vectors: Array, latents: int, k: int = 5, steps: int = 1000, seed: int = 0) -> Autoencoder:
    """Train on all vectors. Latents begin as tokens drawn at random, encoder and decoder alike."""
    draw = np.random.default_rng(seed)
    mean = np.asarray(vectors, np.float32).mean(axis=0)
    start = np.asarray(vectors[draw.choice(len(vectors), latents, replace=len(vectors) < latents)], np.float32) - mean
    decoder = start / np.maximum(np.linalg.norm(start, axis=1, keepdims=True), 1e-9)
    parts: list[Floats] = [decoder.T.copy(), np.zeros(latents, np.float32), decoder]
    first, second = ([np.zeros_like(part) for part in parts] for _ in range(2))
    for step in range(1, steps + 1):
        x = np.asarray(vectors[draw.integers(len(vectors), size=_BATCH)], np.float32) - mean
        z = top(x, parts[0], parts[1], k)
        wrong = (z @ parts[2] - x) * np.float32(2 / _BATCH)
        back = np.where(z > 0, wrong @ parts[2].T, 0)
        for place, gradient in enumerate((x.T @ back, back.sum(axis=0), z.T @ wrong)):
            first[place] += (1 - _MOMENTS[0]) * (gradient - first[place])
            second[place] += (1 - _MOMENTS[1]) * (gradient**2 - second[place])
            slope = first[place] / (1 - _MOMENTS[0] ** step)
            parts[place] -= _RATE * slope / (np.sqrt(second[place] / (1 - _MOMENTS[1] ** step)) + 1e-8)
        parts[2] /= np.maximum(np.linalg.norm(parts[2], axis=1, keepdims=True), 1e-9)
    sample = np.asarray(vectors[:: max(1, len(vectors) // 8192)], np.float32) - mean
    left = float(((top(sample, parts[0], parts[1], k) @ parts[2] - sample) ** 2).sum() / (sample**2).sum())
    return Autoencoder(parts[0], parts[1], parts[2], mean, k, left)


class LatentIndex:
    """What each passage switches on, weighed as the paper weighs centers (gamma 0.5, alpha 2, 1 % stop latents)."""

    def __init__(self, coder: Autoencoder, vectors: Array, offsets: Int64s) -> None:
        self.coder = coder
        raw = np.stack([coder.latents(vectors[a:b]).max(axis=0, initial=0) for a, b in pairwise(offsets)])
        self.frequencies = (raw > 0).sum(axis=0)
        self.postings = int(self.frequencies.sum())
        self._kept = np.ones(raw.shape[1], bool)
        self._kept[np.argsort(-self.frequencies, kind="stable")[: round(0.01 * raw.shape[1])]] = False
        idf = np.log((len(raw) + 1) / (self.frequencies + 1)) + 1
        lengths = np.sqrt(np.maximum(np.diff(offsets), 1))
        self._weights = raw / lengths[:, None] * np.where(self._kept, idf**2, 0)

    def scores(self, query: Array) -> Doubles:
        """Return the score of every passage; minus infinity for those that share nothing with the query."""
        found = self._weights @ self.coder.latents(query).max(axis=0, initial=0)
        return np.where(found > 0, found, -np.inf).astype(np.float64)

    def cost(self, query: Array) -> int:
        """Return how many postings a query scans."""
        active = self.coder.latents(query).max(axis=0, initial=0) > 0
        return int(self.frequencies[active & self._kept].sum())
