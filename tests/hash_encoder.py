"""An encoder without weights: a token's vector is made from a digest of the token and its neighbours, the same on every machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np

from sparse_coverage.encoding import Tokens, TokenVectors

DIMENSION = 24
_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")


class HashEncoder:
    """Follows the protocol of every encoder. Words longer than six letters are several tokens, as wordpieces would be."""

    name = "hash"
    fingerprint = "hash-24"
    precision = "fp32"
    dimension = DIMENSION

    def tokenize(self, text: str) -> Tokens:
        places = [found.span() for found in _TOKEN.finditer(text)]
        starts, ends = (np.asarray([place[side] for place in places], dtype=np.int32) for side in (0, 1))
        return Tokens(np.arange(len(places), dtype=np.int32), starts, ends)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        for text in texts:
            tokens = self.tokenize(text)
            own = [_vector(text[start:end].lower()) for start, end in zip(tokens.starts, tokens.ends, strict=True)]
            padded = np.asarray([np.zeros(DIMENSION), *own, np.zeros(DIMENSION)], dtype=np.float64)
            vectors = padded[1:-1] + padded[:-2] / 4 + padded[2:] / 4  # sums of few whole numbers and quarters: exact
            chunks = np.zeros(len(tokens), dtype=np.int32)
            yield TokenVectors(vectors.astype(np.float32), tokens.starts, tokens.ends, chunks)


def _vector(token: str) -> np.ndarray:
    return np.frombuffer(blake2b(token.encode(), digest_size=DIMENSION).digest(), dtype=np.int8).astype(np.float64)
