"""What the tests of spans share: the real tagger, loaded once, and tokens made without an encoder."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sparse_coverage.encoding import Tokens, TokenVectors
from sparse_coverage.spans.noun_phrases import EmbeddedExtractor, embedded_extractor


@pytest.fixture(scope="session")
def extractor() -> EmbeddedExtractor:
    return embedded_extractor()


@pytest.fixture(scope="session")
def phrases(extractor):
    """The noun phrases of a text as strings."""

    def of(text: str) -> list[str]:
        [(starts, ends)] = extractor.extract([text])
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]

    return of


@pytest.fixture(scope="session")
def word_tokens():
    """Tokens as a tokenizer would cut them: pieces of at most four letters, and single punctuation marks."""

    def of(text: str) -> Tokens:
        places = [match.span() for match in re.finditer(r"[^\W_]{1,4}|[^\w\s]|_", text)]
        starts, ends = np.array(places, dtype=np.int32).reshape(-1, 2).T
        return Tokens(ids=np.zeros(len(places), dtype=np.int32), starts=starts.copy(), ends=ends.copy())

    return of


@pytest.fixture(scope="session")
def vectors_for():
    """Random token vectors for given tokens; `chunks` gives each token's chunk."""

    def of(tokens: Tokens, chunks: list[int] | None = None, dimension: int = 8) -> TokenVectors:
        vectors = np.random.default_rng(len(tokens)).normal(size=(len(tokens), dimension)).astype(np.float32)
        numbers = np.array(chunks if chunks is not None else [0] * len(tokens), dtype=np.int32)
        return TokenVectors(vectors=vectors, starts=tokens.starts, ends=tokens.ends, chunks=numbers)

    return of
